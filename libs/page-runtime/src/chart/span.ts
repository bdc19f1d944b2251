/** The days that the conditions of a series leave of the field by which it is grouped. */
import { isDateText } from '../coercions';
import { addDays, isDay } from './period';
import type { Span } from './timeline';

/** A comparison of the field with a day or an instant; with any other text it ends no days. */
interface Bound {
  readonly op: string;
  readonly text: unknown;
}

/**
 * Of a comparison with a date: the days from it to the first or last day that is kept; and, in milliseconds from an
 * instant, the first or last instant that is kept and the nearest one that is not. A last second is written without its
 * fraction.
 */
interface Comparison {
  readonly days: number;
  readonly kept: number;
  readonly left: number;
}

const atLeast: Comparison = { days: 0, kept: 0, left: -1 };
const atMost: Comparison = { days: 0, kept: 0, left: 1_000 };
const lower = new Map([
  ['ge', atLeast],
  ['eq', atLeast],
  ['gt', { days: 1, kept: 1, left: 0 }],
]);
const upper = new Map([
  ['le', atMost],
  ['eq', atMost],
  ['lt', { days: -1, kept: -1, left: 0 }],
]);

/** A first or last day. */
interface End {
  readonly day: string;
  /** The end lies within its day, whose figure is a part. */
  readonly within: boolean;
}

type DayOf = (instant: Date) => string;

/** The days that all bounds share. `dayOf`: the day of an instant in the zone of the series. */
export function spanOf(bounds: readonly Bound[], dayOf: DayOf): Span {
  const [from] = endsOf(bounds, lower, dayOf).sort((a, b) => (a.day < b.day ? 1 : -1));
  const [to] = endsOf(bounds, upper, dayOf).sort((a, b) => (a.day < b.day ? -1 : 1));
  return {
    ...(from && { from: from.day, ...(from.within && { fromWithin: true }) }),
    ...(to && { to: to.day, ...(to.within && { toWithin: true }) }),
  };
}

/** One end for each day; it lies within the day when that of one bound does. */
function endsOf(bounds: readonly Bound[], comparisons: ReadonlyMap<string, Comparison>, dayOf: DayOf): End[] {
  const ends = new Map<string, boolean>();
  for (const { op, text } of bounds) {
    const compared = comparisons.get(op);
    const end = compared && endOf(text, compared, dayOf);
    if (end) ends.set(end.day, end.within || ends.get(end.day) === true);
  }
  return [...ends].map(([day, within]) => ({ day, within }));
}

function endOf(text: unknown, { days, kept, left }: Comparison, dayOf: DayOf): End | undefined {
  if (isDay(text)) return { day: addDays(text, days), within: false };
  if (!isDateText(text)) return undefined;
  const dayAt = (offsetMs: number) => dayOf(new Date(Date.parse(text) + offsetMs));
  return { day: dayAt(kept), within: dayAt(left) === dayAt(kept) };
}
