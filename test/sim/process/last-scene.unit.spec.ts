/** Which requests an orderly end must answer: those that had arrived at the process that was asked to end. */
import type { Observed } from '../../chaos/observer/outside-evidence';
import { leftBy } from './last-scene';
import { operationAskedFor } from './wire';

const deployment = { operationIds: new Set(['op-1']), at: 100 };
const observed = (answer?: object) =>
  ({ changes: [], gateway: [{ body: '{"operationId":"op-1"}', ...(answer && { answer }) }] }) as unknown as Observed;

describe('an orderly end', () => {
  it('leaves no request without an answer that had arrived before it', () => {
    const arrived = new Map([['op-1', 99]]);
    expect(leftBy(deployment, observed(), arrived)).toEqual([expect.stringContaining('request for operation op-1')]);
    expect(leftBy(deployment, observed({ status: 200 }), arrived)).toEqual([]);
  });

  it('may reset a request that was on its way', () => {
    expect(leftBy(deployment, observed(), new Map())).toEqual([]);
    expect(leftBy(deployment, observed(), new Map([['op-1', 100]]))).toEqual([]);
  });
});

it.each([
  ['POST /api HTTP/1.1\r\nhost: a\r\n\r\n{"operationId":"op-1"}', 'op-1'],
  ['GET /api?operationId HTTP/1.1\r\n\r\n', undefined],
  ['MSG lifecycle 1 24\r\n{"operationId":"op-1"}', undefined],
])('the operation is read in requests alone: %j', (bytes, operationId) => {
  expect(operationAskedFor(Buffer.from(bytes))).toBe(operationId);
});
