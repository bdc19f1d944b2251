/**
 * What the database answered becomes plain numbers. Long and Decimal128 are rounded once, to the nearest number of
 * JavaScript; what is not finite then (a sum beyond every number) is null and never `NaN` or a text.
 */
import type { Point, ScalarCalculation } from './chain';
import type { SeriesCap } from './compile/compile';

export type Row = Readonly<Record<string, unknown>>;

/** A finite number, or null for everything else. Takes numbers, bigints and the BSON classes of the driver. */
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

/** The number of a scalar; without any row 0 for counts and sums, null for the others. */
export function readScalar(rows: readonly Row[], { op }: ScalarCalculation): number | null {
  const [row] = rows;
  if (!row) return op === 'count' || op === 'sum' ? 0 : null;
  return toFiniteNumber(row['y']);
}

export interface ReadSeries {
  readonly points: readonly Point[];
  /** There are more points than the platform answers. */
  readonly truncated: boolean;
}

/** What a series was cut from: figures over all its groups, those that are not answered among them. */
export interface SeriesTotals {
  readonly groups: number;
  /** Groups that have a figure. */
  readonly measured: number;
  /** The sum of the figures; null when it is beyond every number. */
  readonly total: number | null;
  readonly least: number | null;
  readonly most: number | null;
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
  };
}

const cuts = new WeakMap<object, SeriesTotals>();

/** Notes what the points were cut from, for the one who arranges or serves that very list. */
export function noteCut(points: readonly Point[], totals: SeriesTotals): void {
  cuts.set(points, totals);
}

/** What a list of points was cut from; undefined for any other value and for a whole series. */
export function cutOf(value: unknown): SeriesTotals | undefined {
  return typeof value === 'object' && value !== null ? cuts.get(value) : undefined;
}

/** The points of a series in the order of the rows. */
export function readSeries(rows: readonly Row[], cap?: Pick<SeriesCap, 'points' | 'drops'>): ReadSeries {
  const kept =
    cap === undefined || rows.length <= cap.points
      ? rows
      : cap.drops === 'first'
        ? rows.slice(-cap.points)
        : rows.slice(0, cap.points);
  return {
    points: kept.map((row) => ({ x: groupOf(row['_id']), y: toFiniteNumber(row['y']) })),
    truncated: kept.length < rows.length,
  };
}

function groupOf(id: unknown): string | number | null {
  return typeof id === 'string' ? id : toFiniteNumber(id);
}
