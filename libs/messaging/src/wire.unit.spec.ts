/** What is written to the wire and read from it. */
import fc from 'fast-check';
import {
  cloudEventHeaders,
  deadLetter,
  decodeBody,
  encodeBody,
  headerText,
  inboundId,
  MessageTooLargeError,
} from './wire';

describe('bodies', () => {
  it('come back as they were, for any JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        expect(decodeBody(encodeBody('subject', body))).toEqual({ ok: true, body: JSON.parse(JSON.stringify(body)) });
      }),
    );
  });

  it('count in bytes, not in characters', () => {
    expect(() => encodeBody('subject', { text: 'é'.repeat(32_768) })).toThrow(MessageTooLargeError);
    expect(encodeBody('subject', { text: 'e'.repeat(32_768) })).toHaveLength(32_779);
  });

  it.each([
    ['nothing', []],
    ['half a text', [0x7b]],
    ['bytes that are not UTF-8', [0x22, 0xff, 0x22]],
  ])('that are %s are refused with a reason', (_name, bytes) => {
    expect(decodeBody(new Uint8Array(bytes))).toEqual({ ok: false, reason: 'The body is not JSON in UTF-8' });
  });
});

describe('headers', () => {
  const message = { subject: 's', id: 'op-1', type: 't.v1', body: {} };

  it('carry CloudEvents attributes, and a trace context only where one was given', () => {
    expect(cloudEventHeaders(message, 'operator', new Date('2026-01-01T00:00:00Z'))).toEqual({
      'ce-specversion': '1.0',
      'ce-id': 'op-1',
      'ce-source': 'operator',
      'ce-type': 't.v1',
      'ce-time': '2026-01-01T00:00:00.000Z',
      'content-type': 'application/json',
    });
  });

  it('give the id of a message from the first that knows it', () => {
    expect(inboundId({ 'ce-id': 'a', 'Nats-Msg-Id': 'b' }, 'S', 7)).toBe('a');
    expect(inboundId({ 'Nats-Msg-Id': 'b' }, 'S', 7)).toBe('b');
    expect(inboundId({}, 'S', 7)).toBe('S:7');
  });

  it('are one line of printable ASCII of bounded length, whatever goes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (text) => {
        expect(headerText(text)).toMatch(/^[\x20-\x7e]{0,500}$/);
      }),
    );
  });
});

describe('dead letters', () => {
  const origin = {
    stream: 'LIFECYCLE',
    durable: 'lifecycle-delivery',
    subject: 'lifecycle.message.suspended',
    sequence: 7,
    publishedAt: new Date('2026-01-01T00:00:00Z'),
    deliveryCount: 2,
    headers: {
      'ce-id': 'op-1',
      'Nats-Msg-Id': 'op-1',
      'Nats-Expected-Stream': 'LIFECYCLE',
      authorization: 'secret',
      traceparent: '00-1-2-00',
    },
  };

  it('keep the attributes of the event and drop headers that would steer the broker or leak', () => {
    const { headers } = deadLetter(origin, 'reason');
    expect(Object.keys(headers).filter((name) => !name.startsWith('dead-letter-'))).toEqual(['ce-id', 'traceparent']);
  });

  it('have one id per delivery place, another one after the stream was recreated', () => {
    const { id } = deadLetter(origin, 'reason');
    expect(deadLetter({ ...origin, deliveryCount: 3 }, 'other reason').id).toBe(id);
    expect(deadLetter({ ...origin, publishedAt: new Date('2026-01-02T00:00:00Z') }, 'reason').id).not.toBe(id);
  });
});
