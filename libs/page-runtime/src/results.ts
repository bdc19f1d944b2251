/**
 * Turns the database's answer into plain numbers. Long and Decimal128 are rounded once, to the nearest JavaScript
 * number; a result that is not finite (a sum beyond the number range) is null and never `NaN` or a text.
 */
import type { Point, ScalarCalculation } from './chain';
import type { SeriesCap } from './compile/compile';

export type Row = Readonly<Record<string, unknown>>;

/** A finite number, or null for everything else. Accepts numbers, bigints and the driver's BSON classes. */
export function toFiniteNumber(value: unknown): number | null {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'bigint' || isNumericClass(value)
        ? Number(String(value))
        : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

function isNumericClass(value: unknown): boolean {
  const kind = typeof value === 'object' && value !== null && '_bsontype' in value ? value._bsontype : undefined;
  return kind === 'Long' || kind === 'Decimal128' || kind === 'Double' || kind === 'Int32';
}

/** The number of a scalar; without any row, 0 for counts and sums and null for the others. */
export function readScalar(rows: readonly Row[], { op }: ScalarCalculation): number | null {
  const [row] = rows;
  if (!row) return op === 'count' || op === 'sum' ? 0 : null;
  return toFiniteNumber(row['y']);
}

/** Rows that match but are left out of the figures. */
export interface LeftOut {
  /** Rows of a series by period without a date of the years 1 to 9999. */
  readonly withoutDate: number;
  /** Rows whose measured field has something other than a finite number; rows without a value do not count. */
  readonly withoutNumber: number;
}

/** The number of rows of a scalar whose measured field is not a number. */
export function readOdd([row]: readonly Row[]): number {
  return toFiniteNumber(row?.['odd']) ?? 0;
}

export interface ReadSeries {
  readonly points: readonly Point[];
  /** Whether there are more points than the platform returns. */
  readonly truncated: boolean;
  /** What the read groups leave out. */
  readonly leftOut: LeftOut;
}

/** The totals of a cut series: figures over all its groups, including those that are not returned. */
export interface SeriesTotals {
  readonly groups: number;
  /** Groups that have a figure. */
  readonly measured: number;
  /** The sum of the figures; null when it exceeds the number range. */
  readonly total: number | null;
  readonly least: number | null;
  readonly most: number | null;
  /** Rows without a number in the measured field. */
  readonly odd: number;
}

/** Reads the one row of a cap's `totals`. */
export function readTotals([row = {}]: readonly Row[]): SeriesTotals {
  const figure = (name: string): number | null => toFiniteNumber(row[name]);
  return {
    groups: figure('groups') ?? 0,
    measured: figure('measured') ?? 0,
    total: figure('total'),
    least: figure('least'),
    most: figure('most'),
    odd: figure('odd') ?? 0,
  };
}

const cuts = new WeakMap<object, SeriesTotals>();

/** Records the totals of the points' series, for the code that arranges or serves this list. */
export function noteCut(points: readonly Point[], totals: SeriesTotals): void {
  cuts.set(points, totals);
}

/**
 * The totals of the series from which a list of points was cut; undefined for any other value and for a whole series.
 */
export function cutOf(value: unknown): SeriesTotals | undefined {
  return typeof value === 'object' && value !== null ? cuts.get(value) : undefined;
}

/**
 * The points of a series in the order of the rows; the group of the rows without a date comes first and is not a point.
 */
export function readSeries(
  rows: readonly Row[],
  { limit, cap }: { readonly limit?: number; readonly cap?: Pick<SeriesCap, 'points' | 'drops'> } = {},
): ReadSeries {
  const [first] = rows;
  const dateless = first?.['dateless'] === true ? first : undefined;
  const groups = (dateless ? rows.slice(1) : rows).slice(0, limit);
  const kept =
    cap === undefined || groups.length <= cap.points
      ? groups
      : cap.drops === 'first'
        ? groups.slice(-cap.points)
        : groups.slice(0, cap.points);
  return {
    points: kept.map(pointOf),
    truncated: kept.length < groups.length,
    leftOut: {
      withoutDate: toFiniteNumber(dateless?.['rows'] ?? dateless?.['y']) ?? 0,
      withoutNumber: kept.reduce((sum, row) => sum + readOdd([row]), 0),
    },
  };
}

function pointOf(row: Row): Point {
  const x = groupOf(row['_id']);
  const label = x === null ? undefined : labelOf(row['label']);
  return { x, y: toFiniteNumber(row['y']), ...(label !== undefined && { label }) };
}

/** The group of a row in the form of points; ids as their digits. */
export function groupOf(id: unknown): Point['x'] {
  if (typeof id === 'string' || typeof id === 'boolean') return id;
  return isObjectId(id) ? String(id) : toFiniteNumber(id);
}

function isObjectId(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_bsontype' in value && value._bsontype === 'ObjectId';
}

/** The text in the one row that was looked up. */
function labelOf(found: unknown): string | undefined {
  const [row]: readonly unknown[] = Array.isArray(found) ? found : [];
  const text = typeof row === 'object' && row !== null && 'text' in row ? row.text : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
