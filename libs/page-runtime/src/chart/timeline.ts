/**
 * A bucketed series on the axis of the requested period: empty buckets are included, the previous period is placed
 * under it by its position in the period, and buckets that the period or the current day cuts are marked. Pure, so that
 * every number of a drawn chart can be tested without a browser.
 */
import { firstDayOf, nextBucket } from '../calendar-buckets';
import type { Point } from '../chain';
import type { Bucket } from '../vocabulary';
import type { Kept } from './notes';
import { addDays, type Period } from './period';

/** Most points of a chart; a gap of centuries must not become a million empty days. */
const maxDrawn = 2_000;
/** The longest period that can be chosen, in days: a century. */
const maxBuckets = 366 * 100;

/** The days that restrict a series on the field by which it is grouped; an absent end is open. */
export type Span = Partial<Period> & {
  /** Instants of the first day lie before the span, so that its figure is a part. */
  readonly fromWithin?: boolean;
  /** Instants of the last day lie after it. */
  readonly toWithin?: boolean;
};

export interface TimelineParts {
  readonly series: readonly Point[];
  /** The series of the period before. */
  readonly comparison?: readonly Point[] | undefined;
  readonly bucket: Bucket;
  readonly span: Span;
  /** The period before, where one is compared. */
  readonly before?: Period | undefined;
  /** The value of a bucket without rows: 0 where figures add up, a gap elsewhere. */
  readonly missing: 0 | null;
  /** Which points a cut series keeps; the value of every bucket that may have lost its point is unknown, and not empty. */
  readonly cut: Kept | undefined;
  /** The current day in the zone of the series. */
  readonly today: string;
}

export interface Timeline {
  readonly buckets: readonly number[];
  readonly values: readonly (number | null)[];
  /** Whether the bucket is incomplete: the period begins or ends within it, or it is not over yet. */
  readonly partial: readonly boolean[];
  /** By position in the period; may be longer than `buckets` when the previous period touches one more. */
  readonly before?: readonly (number | null)[];
  readonly beforeBuckets?: readonly number[];
}

export function timelineOf(parts: TimelineParts): Timeline {
  const { series, comparison, bucket, span, before, cut, today } = parts;
  const missing = cut === 'first' ? null : parts.missing;
  const asked = axisOf(series, bucket, span, today);
  const shown = cut === 'newest' ? asked.slice(Math.max(0, asked.indexOf(lowest(series)))) : asked;
  const buckets = shown.length > maxDrawn ? axisOfPoints(series, bucket, today) : shown;
  const timeline: Timeline = {
    buckets,
    values: valuesOn(buckets, series, missing, bucket, today),
    partial: buckets.map((each) => isPartial(each, bucket, span, today)),
  };
  if (!comparison || !before || shown.length > maxDrawn) return timeline;
  const beforeBuckets = axisOf(comparison, bucket, before, today).slice(asked.length - shown.length);
  return { ...timeline, beforeBuckets, before: valuesOn(beforeBuckets, comparison, missing, bucket, today) };
}

/** From the first bucket of the period to its last; an open end extends to the last point, or to the present. */
function axisOf(series: readonly Point[], bucket: Bucket, { from, to }: Span, today: string): number[] {
  const present = from === undefined ? [] : [bucketOf(today, bucket)];
  const ends = to === undefined ? present : [bucketOf(to, bucket)];
  const starts = from === undefined ? [] : [bucketOf(from, bucket)];
  const known = series.map(({ x }) => Number(x));
  const first = Math.min(...starts, ...known, ...(starts.length + known.length === 0 ? ends : []));
  const last = Math.max(...ends, ...known, ...(ends.length + known.length === 0 ? starts : []));
  const axis: number[] = [];
  for (let at = first; at <= last && axis.length < maxBuckets; at = nextBucket(at, bucket)) axis.push(at);
  return axis;
}

/** From the first point to the last; the points alone where even those buckets are too many. */
function axisOfPoints(series: readonly Point[], bucket: Bucket, today: string): number[] {
  const axis = axisOf(series, bucket, {}, today);
  return axis.length > maxDrawn ? series.map(({ x }) => Number(x)).sort((a, b) => a - b) : axis;
}

function valuesOn(
  buckets: readonly number[],
  points: readonly Point[],
  missing: 0 | null,
  bucket: Bucket,
  today: string,
): (number | null)[] {
  const known = new Map(points.map(({ x, y }) => [Number(x), y]));
  // For a time that has not begun no figure is known, so it is not shown as zero.
  return buckets.map(
    (each) => known.get(each) ?? (firstDayOf(each, bucket) > today ? null : known.has(each) ? null : missing),
  );
}

function isPartial(each: number, bucket: Bucket, span: Span, today: string): boolean {
  const { from, fromWithin = false, to, toWithin = false } = span;
  const [first, last] = [firstDayOf(each, bucket), lastDayOf(each, bucket)];
  const begins = from !== undefined && (first < from || (fromWithin && first === from));
  const ends = to !== undefined && (last > to || (toWithin && last === to));
  return begins || ends || (first <= today && today <= last);
}

/** After the last day of the calendar, a day has no text. */
function lastDayOf(each: number, bucket: Bucket): string {
  const after = firstDayOf(nextBucket(each, bucket), bucket);
  return after.startsWith('10000') ? '9999-12-31' : addDays(after, -1);
}

function lowest(series: readonly Point[]): number {
  return Math.min(...series.map(({ x }) => Number(x)));
}

/** The bucket of a day: `2026-08-31` is 20260831, 202608, 20263 or 2026. */
export function bucketOf(day: string, bucket: Bucket): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  switch (bucket) {
    case 'day':
      return year * 10_000 + month * 100 + date;
    case 'month':
      return year * 100 + month;
    case 'quarter':
      return year * 10 + Math.ceil(month / 3);
    case 'year':
      return year;
  }
}
