/** What the page of the streams measures while it is open, and what it says of outboxes that no service showed. */
import type { Streams } from '@platform/contracts-operator';

export interface Samples {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  /** Null where it was not known. */
  readonly values: readonly (number | null)[];
}

export type Trend = Readonly<Record<'lag' | 'unacknowledged' | 'outbox', Samples>>;

const kept = 120;
const none: Samples = { times: [], values: [] };
export const noTrend: Trend = { lag: none, unacknowledged: none, outbox: none };

function grown({ times, values }: Samples, at: number, value: number | null): Samples {
  return { times: [...times, at].slice(-kept), values: [...values, value].slice(-kept) };
}

/** The last 120 samples. The sum of all outboxes is not known while a service does not show its own. */
export function measured(before: Trend, { streams, outbox, unavailable }: Streams, at: number): Trend {
  const durables = streams.flatMap((stream) => stream.durables);
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const waiting = unavailable.length > 0 ? null : sum(outbox.map((each) => each.waiting));
  return {
    lag: grown(before.lag, at, sum(durables.map(({ pending }) => pending))),
    unacknowledged: grown(before.unacknowledged, at, sum(durables.map(({ ackPending }) => ackPending))),
    outbox: grown(before.outbox, at, waiting),
  };
}

/** In place of an empty table. */
export function noOutboxWords({ unavailable }: Pick<Streams, 'unavailable'>): string {
  return unavailable.length > 0 ? 'No outbox is known.' : 'No outbox.';
}

/** The last value, beside the chart. */
export function lastWords({ values }: Samples): string {
  const last = values.at(-1);
  return last === undefined ? '–' : last === null ? 'not known' : String(last);
}
