/**
 * The points of an answer, whatever its shape, on the axis and with the labels of its chart page. Pure; tested in Node.
 */
import { csvLine } from '@platform/kernel/csv';
import { buckets, orderings, type Bucket } from '@platform/page-runtime';
import {
  dayIn,
  formatDelta,
  formatGroup,
  formatNumber,
  keptOf,
  spanOf,
  timelineOf,
  type Kept,
  type Period,
  type Span,
} from '@platform/page-runtime/chart';
import { bindingOf, filtersOf, type Form, type Preview } from './form';

export interface Point {
  readonly label: string;
  readonly value: number | null;
  /** The bucket is incomplete: the period cuts it, or it is not over yet. */
  readonly part?: boolean;
}

export interface Shown {
  /** A figure above the chart. */
  readonly headline?: number | null;
  /** Change compared with the previous period, as a fraction. */
  readonly delta?: number;
  /** The headline of the previous period. */
  readonly previous?: number | null;
  readonly points?: readonly Point[];
  /** The points of the previous period, by position. */
  readonly before?: readonly Point[];
  /** Points follow each other in time. */
  readonly timeline: boolean;
}

/** The axis for the points of a query by period. */
export interface Axis {
  readonly bucket?: Bucket;
  readonly span: Span;
  readonly before?: Period;
  /** Whether a bucket without rows is a zero: where figures add up and none is left out. */
  readonly whole: boolean;
  /** Which points a cut answer keeps. */
  readonly keeps: Kept;
  /** The current day in the zone of the query. */
  readonly today: string;
}

interface Found {
  readonly x: unknown;
  readonly y: unknown;
  readonly label?: unknown;
}

const isPoint = (value: unknown): value is Found =>
  typeof value === 'object' && value !== null && 'x' in value && 'y' in value;
const isPoints = (value: unknown): value is readonly Found[] => Array.isArray(value) && value.every(isPoint);
const isFigure = (value: unknown): value is number | null => value === null || typeof value === 'number';

/** The axis of a form's query for the values of a request. */
export function axisOf(form: Form, args: Readonly<Record<string, string>>, today: string): Axis {
  const { params } = form;
  const bucket = buckets.find((each) => each === params['bucket']);
  const { op = 'count', limit, groupBy, orderBy = 'group' } = params;
  const bounds = filtersOf(params)
    .filter(({ field }) => field === groupBy)
    .map(({ op: compared, value }) => {
      const binding = bindingOf(value);
      return { op: compared, text: binding ? args[binding.name] : value };
    });
  const dayAt = (instant: Date) => dayOf(form, instant);
  const compared = [
    { op: 'ge', text: args['compareFrom'] },
    { op: 'lt', text: args['compareTo'] },
  ];
  const { from, to } = spanOf(compared, dayAt);
  return {
    ...(bucket && { bucket }),
    span: spanOf(bounds, dayAt),
    ...(form.compare && from !== undefined && to !== undefined && { before: { from, to } }),
    whole: (op === 'count' || op === 'sum') && limit === undefined,
    keeps: keptOf({ bucket, orderBy: orderings.find((each) => each === orderBy) }),
    today,
  };
}

/** The day of an instant in the zone of a form's query, as on the chart page; in UTC while the form names none. */
export function dayOf({ params: { timezone } }: Form, instant: Date): string {
  try {
    return dayIn(typeof timezone === 'string' ? timezone : 'UTC', instant);
  } catch (error) {
    if (error instanceof RangeError) return dayIn('UTC', instant);
    throw error;
  }
}

/** The content of an answer. Its shape is detected, so a new response shape still shows its points. */
export function shownOf(body: Preview['body'], axis: Axis, cut: boolean): Shown {
  const list = Object.entries(body).find(([name, value]) => name !== 'comparisonSeries' && isPoints(value))?.[1];
  const { value, delta, previousValue } = body;
  const compared = body['comparisonSeries'];
  return {
    timeline: axis.bucket !== undefined,
    ...(isFigure(value) && { headline: value }),
    ...(typeof delta === 'number' && { delta }),
    ...('previousValue' in body && isFigure(previousValue) && { previous: previousValue }),
    ...(isPoints(list) && pointsOn(list, isPoints(compared) ? compared : undefined, axis, cut)),
  };
}

function pointsOn(
  list: readonly Found[],
  compared: readonly Found[] | undefined,
  { bucket, whole, keeps, ...axis }: Axis,
  cut: boolean,
): Pick<Shown, 'points' | 'before'> {
  const numbered = (found: readonly Found[]) => found.map(({ x, y }) => ({ x: Number(x), y: figure(y) }));
  if (bucket === undefined || !list.every(({ x }) => Number.isInteger(x))) return { points: list.map(pointOf) };
  const {
    buckets: shown,
    values,
    partial,
    before,
    beforeBuckets,
  } = timelineOf({
    ...axis,
    bucket,
    series: numbered(list),
    comparison: compared && numbered(compared),
    before: axis.before,
    missing: whole ? 0 : null,
    cut: cut ? keeps : undefined,
  });
  const at = (keys: readonly number[], figures: readonly (number | null)[]): Point[] =>
    keys.map((key, index) => ({ label: formatGroup(key, bucket), value: figures[index] ?? null }));
  return {
    points: at(shown, values).map((point, index) => (partial[index] ? { ...point, part: true } : point)),
    ...(before && beforeBuckets && { before: at(beforeBuckets, before) }),
  };
}

function pointOf({ x, y, label }: Found): Point {
  const plain = x === null || ['string', 'number', 'boolean'].includes(typeof x);
  const name = plain ? formatGroup(x as Parameters<typeof formatGroup>[0], undefined) : String(x);
  return { label: typeof label === 'string' ? label : name, value: figure(y) };
}

const figure = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The points of an answer; a single figure is one. */
export const pointsOf = ({ points, headline }: Shown): readonly Point[] =>
  points ?? (headline === undefined ? [] : [{ label: 'Value', value: headline }]);

/** Group and figure of each point, in the words and digits of the chart page. */
export const tableOf = (points: readonly Point[]): (readonly [string, string])[] =>
  points.map(({ label, value, part }) => [part ? `${label} (part)` : label, formatNumber(value)]);

/** A change as its direction and its share, as on the chart page. */
export const changeOf = (delta: number): string => `${delta === 0 ? '→' : delta > 0 ? '▲' : '▼'} ${formatDelta(delta)}`;

/** The points as comma-separated values; a cell that a spreadsheet would run as a formula is quoted as text. */
export const csvOf = (points: readonly Point[]): string =>
  [['group', 'value'], ...points.map(({ label, value }) => [label, value])].map(csvLine).join('');
