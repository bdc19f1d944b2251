import type { Streams } from '@platform/contracts-operator';
import { lastWords, measured, noOutboxWords, noTrend } from './stream-trend';

const streams = (change: Partial<Streams> = {}): Streams =>
  ({
    streams: [{ durables: [{ pending: 3, ackPending: 1 }] }, { durables: [{ pending: 4, ackPending: 0 }] }],
    outbox: [{ waiting: 2 }, { waiting: 5 }],
    unavailable: [],
    ...change,
  }) as unknown as Streams;
const silent = streams({ unavailable: [{ service: 'provisioning', problem: 'timeout' }] });

describe('the page of the streams', () => {
  it('measures the sums of all durables and of all outboxes', () => {
    const trend = measured(measured(noTrend, streams(), 10), streams({ outbox: [] }), 15);
    expect(trend.lag).toEqual({ times: [10, 15], values: [7, 7] });
    expect(trend.unacknowledged.values).toEqual([1, 1]);
    expect(trend.outbox.values).toEqual([7, 0]);
    expect([lastWords(trend.outbox), lastWords(noTrend.outbox)]).toEqual(['0', '–']);
  });

  it('has a gap, and no smaller sum, while a service does not show its outboxes', () => {
    const { lag, outbox } = measured(measured(noTrend, streams(), 10), silent, 15);
    expect([outbox.values, lastWords(outbox)]).toEqual([[7, null], 'not known']);
    expect(lag.values).toEqual([7, 7]);
  });

  it('says that there is no outbox only when every service was asked', () => {
    expect(noOutboxWords(streams())).toBe('No outbox.');
    expect(noOutboxWords(silent)).toBe('No outbox is known.');
  });

  it('keeps the last 120 samples', () => {
    let trend = noTrend;
    for (let at = 0; at < 130; at += 1) trend = measured(trend, streams(), at);
    expect([trend.outbox.times.length, trend.outbox.times[0]]).toEqual([120, 10]);
  });
});
