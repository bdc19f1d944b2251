/** What the answer of an endpoint means: only the receipt of the very message that was posted is a success. */
import { lifecycleLimits, lifecycleTypes } from '@platform/contracts-lifecycle-delivery';
import { requestedAt } from '../testing/fake-world';
import { readAnswer, readPosted, type Posted } from './read-answer';

const named = { tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' as const };
const delivery: Posted = { kind: 'delivery', body: { ...named, requestedAt } };
const test: Posted = { kind: 'test', body: { testId: 't-1', consumer: 'storage', requestedAt } };
const proof = { receiptId: 'r-1', effectiveAt: requestedAt };
const now = new Date(requestedAt);

/** What an answer with this status, body and pause means for a message. */
const read = (status: number, body = '', retryAfter?: string, posted: Posted = delivery) =>
  readAnswer(posted, { kind: 'answered', status, body, ...(retryAfter !== undefined && { retryAfter }) }, now);
const receipted = (body: object, posted: Posted = delivery) => read(200, JSON.stringify(body), undefined, posted);
const refused = (reason: string) => ({ kind: 'receipt_refused', reason });

describe('a message of a durable', () => {
  it.each([
    ['a delivery', lifecycleTypes.delivery, delivery.body, delivery],
    ['a test', lifecycleTypes.test, test.body, test],
    ['null, of a type that is not known', 'tenant.lifecycle.v9', delivery.body, null],
    ['null, as a delivery with the body of a test', lifecycleTypes.delivery, test.body, null],
    ['null, as a test with the body of a delivery', lifecycleTypes.test, delivery.body, null],
  ])('is read as %s', (_what, type, body, posted) => {
    expect(readPosted({ type, body })).toEqual(posted);
  });
});

describe('the answer of an endpoint', () => {
  it.each([
    ['not_sent', 'the message was not sent: refused'],
    ['unanswered', 'it is not known whether the message took effect: refused'],
  ] as const)('that never came (%s) is a failure that says what is known', (kind, reason) => {
    expect(readAnswer(delivery, { kind, reason: 'refused' }, now)).toStrictEqual({ kind: 'failed', reason });
  });

  it.each([200, 204, 299])('with the receipt of the message is its receipt (HTTP %i)', (status) => {
    const receipt = { ...named, ...proof };
    expect(read(status, JSON.stringify(receipt))).toEqual({ kind: 'receipt', receipt });
  });

  it('to a test with the receipt of that test is its receipt', () => {
    const receipt = { testId: 't-1', ...proof };
    expect(receipted(receipt, test)).toEqual({ kind: 'test_receipt', receipt });
  });

  it.each([
    ['no body', '', 'HTTP 200 without a body: the body must be the receipt'],
    ['blanks', ' \n ', 'HTTP 200 without a body: the body must be the receipt'],
    ['no JSON', 'ok', 'HTTP 200: the body is no JSON'],
  ])('of success with %s is no receipt', (_what, body, reason) => {
    expect(read(200, body)).toEqual(refused(reason));
  });

  it.each([
    ['operationId', { operationId: 'operation-2' }],
    ['tenantId', { tenantId: 'globex' }],
    ['transition', { transition: 'created' }],
  ])('with the receipt of another %s is refused', (field, over) => {
    expect(receipted({ ...named, ...proof, ...over })).toEqual(refused(`${field} is not that of the delivery`));
  });

  it('with the receipt of another test, or of the wrong kind, is refused', () => {
    expect(receipted({ testId: 't-2', ...proof }, test)).toEqual(refused('testId is not that of the test'));
    expect(receipted({ ...named, ...proof }, test)).toEqual(refused(expect.stringContaining('/testId')));
    expect(receipted({ testId: 't-1', ...proof })).toEqual(refused(expect.stringContaining('/tenantId')));
  });

  it.each([300, 302, 399])('that redirects is a failure, and is not followed (HTTP %i)', (status) => {
    const reason = `HTTP ${status}: redirects are not followed`;
    expect(read(status, '{"error":"moved"}')).toStrictEqual({ kind: 'failed', reason });
  });

  it.each([
    ['its own words', '{"error":"disk full"}', 'HTTP 500: disk full'],
    ['empty words', '{"error":""}', 'HTTP 500'],
    ['words of another kind', '{"error":7}', 'HTTP 500'],
    ['no JSON', 'Internal Server Error', 'HTTP 500'],
    ['no body', '', 'HTTP 500'],
  ])('of failure with %s is a failure with a reason', (_what, body, reason) => {
    expect(read(500, body)).toStrictEqual({ kind: 'failed', reason });
  });

  it.each([199, 400, 499])('with any other status is a failure (HTTP %i)', (status) => {
    expect(read(status)).toStrictEqual({ kind: 'failed', reason: `HTTP ${status}` });
  });

  it('has its words cut to what a message holds', () => {
    const { reason } = read(500, JSON.stringify({ error: 'e'.repeat(1_000) })) as { reason: string };
    expect(reason).toBe(`HTTP 500: ${'e'.repeat(1_000)}`.slice(0, lifecycleLimits.errorCharacters));
  });

  it('of 410 says that the endpoint is gone, in its words, whatever pause it names', () => {
    expect(read(410, '{"error":"switched off"}', '60')).toEqual({ kind: 'gone', reason: 'HTTP 410: switched off' });
  });

  it.each([
    ['in seconds', '7', 7_000],
    ['in many seconds, as long as a quarter of an hour', '999999999', 900_000],
    ['of no length', '0', 0],
    ['until a date', 'Thu, 01 Jan 2026 00:02:00 GMT', 120_000],
    ['until a date with its offset from UTC', 'Thu, 01 Jan 2026 01:02:00 +0100', 120_000],
    ['until a date in the order of its parts', '2026-01-01T00:02:00Z', 120_000],
    ['until a date that is past', 'Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['until a date that is far', 'Thu, 01 Jan 2026 09:00:00 GMT', 900_000],
  ])('of 429 or 503 may ask for a pause %s', (_what, retryAfter, waitMs) => {
    for (const status of [429, 503])
      expect(read(status, '', retryAfter)).toEqual({ kind: 'failed', reason: `HTTP ${status}`, waitMs });
  });

  it.each([undefined, 'soon', '7s', '1234567890'])('of 429 asks for no pause with %p', (retryAfter) => {
    expect(read(429, '', retryAfter)).toStrictEqual({ kind: 'failed', reason: 'HTTP 429' });
  });

  it('with any other status asks for no pause, because only a busy endpoint does', () => {
    expect(read(500, '', '7')).toStrictEqual({ kind: 'failed', reason: 'HTTP 500' });
  });
});
