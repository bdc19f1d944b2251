/**
 * What the database answered becomes plain numbers. Long and Decimal128 are rounded once, to the nearest number of
 * JavaScript; what is not finite then (a sum beyond every number) is null and never `NaN` or a text.
 */
import type { Point, ScalarCalculation } from './chain';

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

/** The points of a series in the order of the rows. */
export function readSeries(rows: readonly Row[], cap: number | undefined): ReadSeries {
  const kept = cap !== undefined && rows.length > cap ? rows.slice(0, cap) : rows;
  return {
    points: kept.map((row) => ({ x: groupOf(row['_id']), y: toFiniteNumber(row['y']) })),
    truncated: kept.length < rows.length,
  };
}

function groupOf(id: unknown): string | number | null {
  return typeof id === 'string' ? id : toFiniteNumber(id);
}
