import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { sdkWebhooks } from './stripe/sdk';
import { verifyWebhook } from './verify-webhook';

const now = new Date('2026-03-01T12:00:00.000Z');
const nowSeconds = now.getTime() / 1000;
const secret = 'whsec_present';
const event = {
  id: 'evt_1',
  object: 'event',
  type: 'invoice.paid',
  created: nowSeconds - 5,
  data: { object: { id: 'in_1', note: 'Müller ✓' } },
};
const body = Buffer.from(JSON.stringify(event));

function sign(bytes: Uint8Array, options: { readonly secret?: string; readonly at?: number } = {}): string {
  const at = options.at ?? nowSeconds;
  return `t=${at},v1=${createHmac('sha256', options.secret ?? secret)
    .update(`${at}.`)
    .update(bytes)
    .digest('hex')}`;
}

function verify(bytes: Uint8Array, header: string | undefined, secrets: readonly string[] = [secret]) {
  return verifyWebhook(bytes, header, secrets, 300, now);
}

const codeOf = (result: ReturnType<typeof verify>) => (result.ok ? 'verified' : result.error.code);

describe('the verification of a webhook', () => {
  it('accepts what the provider signs', () => {
    const header = sdkWebhooks.generateTestHeaderString({
      payload: body.toString('utf8'),
      secret,
      timestamp: nowSeconds,
    });
    expect(verify(body, header)).toEqual({
      ok: true,
      value: {
        id: 'evt_1',
        type: 'invoice.paid',
        created: new Date((nowSeconds - 5) * 1000),
        object: event.data.object,
      },
    });
  });

  it('accepts each of several secrets during a rotation, and several signatures in one header', () => {
    for (const signing of ['whsec_old', 'whsec_new'])
      expect(codeOf(verify(body, sign(body, { secret: signing }), ['whsec_old', 'whsec_new']))).toBe('verified');
    const both = `${sign(body, { secret: 'whsec_old' })},v1=${'0'.repeat(64)},v0=abc`;
    expect(codeOf(verify(body, both, ['whsec_old']))).toBe('verified');
  });

  it('refuses a signature of another secret', () => {
    expect(codeOf(verify(body, sign(body, { secret: 'whsec_other' })))).toBe('no_matching_signature');
  });

  it('refuses every body in which one byte differs', () => {
    const header = sign(body);
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (position, flip) => {
        const tampered = Buffer.from(body);
        tampered[position] = tampered[position]! ^ flip;
        expect(['no_matching_signature', 'payload_not_utf8']).toContain(codeOf(verify(tampered, header)));
      }),
    );
  });

  it('refuses a byte order mark before a signed body, and bytes that are no UTF-8', () => {
    expect(codeOf(verify(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]), sign(body)))).toBe(
      'no_matching_signature',
    );
    const invalid = Buffer.from([0x22, 0xff, 0x22]);
    expect(codeOf(verify(invalid, sign(invalid)))).toBe('payload_not_utf8');
  });

  it.each([
    ['at the edge of the past', -300, 'verified'],
    ['beyond it', -301, 'timestamp_too_old'],
    ['at the edge of the future', 300, 'verified'],
    ['beyond that', 301, 'timestamp_in_future'],
  ])('judges a timestamp %s (%i s)', (_name, distance, expected) => {
    expect(codeOf(verify(body, sign(body, { at: nowSeconds + distance })))).toBe(expected);
  });

  it('does not let an unsigned caller learn whether the timestamp would do', () => {
    expect(codeOf(verify(body, sign(body, { at: nowSeconds - 9_000, secret: 'whsec_other' })))).toBe(
      'no_matching_signature',
    );
  });

  it.each([
    [undefined, 'header_missing'],
    ['', 'header_missing'],
    ['v1', 'header_malformed'],
    [`t=${nowSeconds}`, 'header_malformed'],
    [`t=${nowSeconds},v1`, 'header_malformed'],
    [`t=${nowSeconds},v0=${'a'.repeat(64)}`, 'header_malformed'],
    [`t=soon,v1=${'a'.repeat(64)}`, 'header_malformed'],
    [`t=1,t=${nowSeconds},v1=${'a'.repeat(64)}`, 'header_malformed'],
    [`t=${nowSeconds},v1=${'a'.repeat(64)},${'x'.repeat(5_000)}`, 'header_malformed'],
    [`t=${nowSeconds},v1=${'a'.repeat(64)},v1`, 'no_matching_signature'],
  ])('refuses the header %s', (header, expected) => {
    expect(codeOf(verify(body, header))).toBe(expected);
  });

  it.each([
    ['an empty body', '', 'payload_empty'],
    ['a body that is no JSON', 'hello', 'payload_not_an_event'],
    ['null', 'null', 'payload_not_an_event'],
    ['an event without an object', JSON.stringify({ ...event, data: {} }), 'payload_not_an_event'],
    ['a time that no date holds', JSON.stringify({ ...event, created: 8.64e12 + 1 }), 'payload_not_an_event'],
    ['an id of two lines', JSON.stringify({ ...event, id: 'evt_1\nevt_2' }), 'payload_not_an_event'],
    ['an id that no header carries', JSON.stringify({ ...event, id: 'evt_\ud800' }), 'payload_not_an_event'],
    ['a thin event', JSON.stringify({ ...event, object: 'v2.core.event' }), 'payload_not_an_event'],
  ])('refuses %s although it is signed', (_name, text, expected) => {
    const bytes = Buffer.from(text);
    expect(codeOf(verify(bytes, sign(bytes)))).toBe(expected);
  });

  it('tells no secret and nothing of the body in a refusal', () => {
    const result = verify(body, sign(body, { secret: 'whsec_other' }));
    expect(JSON.stringify(result)).not.toMatch(/whsec|Müller|in_1/);
  });

  it('demands secrets and a tolerance', () => {
    expect(() => verify(body, sign(body), [])).toThrow('at least one signing secret');
    expect(() => verify(body, sign(body), [' '])).toThrow('at least one signing secret');
    expect(() => verifyWebhook(body, sign(body), [secret], 0, now)).toThrow('tolerance');
  });
});
