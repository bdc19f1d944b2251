/** The rows of people's requests: what each shows, and where a page begins and ends. */
import type { InspectActions } from '@platform/contracts-lifecycle-delivery';
import { at, stamp } from '../testing/delivery-records';
import { askedActions } from './asked-actions';
import type { ConsumerRecord } from './consumer';
import type { TestOfConsumer } from './consumer-work';

const ann = { by: 'ann@example.com', reason: 'a look' };
const tested = (testId: string, over: Partial<TestOfConsumer> = {}): TestOfConsumer => ({
  ...{ ...ann, testId, requestedAt: at(3) },
  ...over,
});
const receipt = { receiptId: 'r-1', effectiveAt: at(4), acceptedAt: at(4) };
const failure = { error: 'no disk', at: at(4) };
const fields = { ...stamp, status: 'registered' as const, transitions: [], registeredBy: 'one', registeredAt: at(0) };
const replay = { ...ann, since: at(0), startedAt: at(2), received: 0, skipped: 0, status: 'completed' as const };
const records: readonly ConsumerRecord[] = [
  {
    ...{ ...fields, _id: 'storage', replay: { ...replay, requestId: 'a' } },
    actions: [
      { ...ann, requestId: 'b', action: 'pause', at: at(1) },
      { ...ann, requestId: 'c', action: 'replay', since: at(0), at: at(1) },
      { ...ann, requestId: 'a', action: 'replay', since: at(0), at: at(2), by: 'ben@example.com' },
    ],
    tests: [tested('e'), tested('f', { receipt, failure }), tested('g', { failure })],
  },
  { ...fields, _id: 'billing', actions: [{ ...ann, requestId: 'a', action: 'replay', since: at(0), at: at(1) }] },
  {
    // The request of its replay has left the record, and its id was used again.
    ...{ ...fields, _id: 'crm', replay: { ...replay, requestId: 'a' } },
    actions: [{ ...ann, requestId: 'a', action: 'pause', at: at(1) }],
  },
  { ...fields, _id: 'untouched' },
];
const list = (over: Partial<InspectActions> = {}) =>
  askedActions(records, { order: 'oldest', limit: 100, ...over }).map(({ id, status }) => `${id} ${status}`);
const all = [
  'billing/a recorded',
  'crm/a recorded',
  'storage/b recorded',
  'storage/c recorded',
  'storage/a completed',
  'storage/e pending',
  'storage/f succeeded',
  'storage/g failed',
];

describe('the list of requests', () => {
  it('shows each with its outcome, in the order of time', () => {
    expect(list()).toEqual(all);
    expect(list({ order: 'newest' })).toEqual(all.toReversed());
    expect(askedActions(records, { order: 'newest', limit: 1, from: at(3).toISOString() })).toStrictEqual([
      { id: 'storage/g', consumer: 'storage', action: 'test', ...ann, at: at(3).toISOString(), status: 'failed' },
    ]);
    expect(askedActions(records, { order: 'oldest', limit: 1 })).toStrictEqual([
      { id: 'billing/a', consumer: 'billing', action: 'replay', ...ann, at: at(1).toISOString(), status: 'recorded' },
    ]);
  });

  it('is cut to a person, to a time with its begin and without its end, and to a page', () => {
    expect(list({ by: 'ben@example.com' })).toEqual(['storage/a completed']);
    expect(list({ from: at(2).toISOString(), to: at(3).toISOString() })).toEqual(['storage/a completed']);
    expect(list({ from: '2026-01-01T00:02:00Z', to: '2026-01-01T00:03:00Z' })).toEqual(['storage/a completed']);
    expect(list({ limit: 2 })).toEqual(all.slice(0, 2));
  });

  it('goes on strictly after a row, in whichever text format its time is written', () => {
    for (const time of [at(1).toISOString(), '2026-01-01T00:01:00Z']) {
      const after = { at: time, id: 'storage/b' };
      expect(list({ after })).toEqual(all.slice(3));
      expect(list({ after, order: 'newest' })).toEqual(['crm/a recorded', 'billing/a recorded']);
    }
    expect(list({ after: { at: at(3).toISOString(), id: 'storage/g' } })).toEqual([]);
  });
});
