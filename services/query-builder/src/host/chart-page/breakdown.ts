/** A query's figures by a second field: the largest parts, and all others combined. */
import {
  compileParts,
  compilePartsOfPoints,
  groupOf,
  readSeries,
  toFiniteNumber,
  type Point,
} from '@platform/page-runtime';
import type { AskedOfRows } from '../serving/serve-query';

export interface Breakdown {
  readonly field: string;
  /** The parts, largest first. `y` is the figure of the whole part. */
  readonly parts: readonly Point[];
  /** Whether more parts exist than are listed. */
  readonly more: boolean;
  /**
   * For each point, its figures by part in the order of the parts; when there are more parts, the last figure combines
   * the others.
   */
  readonly cells: ReadonlyMap<Point['x'], readonly (number | null)[]>;
}

/** The most lines that people can distinguish; a list may be longer. */
const partsOfPoints = 6;
const partsOfFigure = 20;

/** `points`: the points of the answer; undefined for a single figure. Throws what the desk throws. */
export async function readBreakdown(
  { calculations, aggregate }: AskedOfRows,
  field: string,
  points: readonly Point[] | undefined,
): Promise<Breakdown> {
  const { resource, calculation } = calculations[0]!;
  const most = points ? partsOfPoints : partsOfFigure;
  const parts = compileParts(resource, calculation, field, most + 1);
  const found = readSeries(await aggregate(parts.collection, parts.pipeline)).points;
  const shown = found.slice(0, most);
  const more = found.length > most;
  const whole = { field, parts: shown, more, cells: new Map<Point['x'], readonly (number | null)[]>() };
  if (!points || points.length === 0 || calculation.kind !== 'series') return whole;
  const values = shown.map(({ x }) => x);
  const wanted = { field, values, points: points.map(({ x }) => x) };
  const each = compilePartsOfPoints(resource, calculation, wanted);
  const cells = new Map<Point['x'], (number | null)[]>();
  for (const { _id, y } of await aggregate(each.collection, each.pipeline)) {
    const { x, part, rest } = _id as { readonly x: unknown; readonly part: unknown; readonly rest: boolean };
    const line = cells.get(groupOf(x)) ?? Array.from({ length: values.length + (more ? 1 : 0) }, () => null);
    line[rest ? values.length : values.indexOf(groupOf(part))] = toFiniteNumber(y);
    cells.set(groupOf(x), line);
  }
  return { ...whole, cells };
}
