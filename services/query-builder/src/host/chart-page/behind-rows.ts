/** The rows behind a figure of a chart page: decodes the address, and formats the rows as plain cells. */
import {
  compileRowCount,
  compileRows,
  readScalar,
  type FieldDefinition,
  type Point,
  type PointBehind,
} from '@platform/page-runtime';
import type { AskedOfRows } from '../serving/serve-query';

/** The most rows that one view shows, and that one file contains. */
export const rowsPerView = 100;
export const rowsPerFile = 10_000;
/** How far a reader may page: more rows need a narrower period. */
export const maxSkipped = 10_000;

export interface RowsQuestion {
  readonly point: PointBehind;
  readonly skip: number;
}

/** Undefined when the address names no point. `field`: the field of the query's breakdown. */
export function readRowsQuestion(
  query: Readonly<Record<string, unknown>>,
  field: string | undefined,
): RowsQuestion | undefined {
  const x = groupIn(query['at']);
  const part = groupIn(query['part']);
  const skip = query['skip'] === undefined ? 0 : Number(query['skip']);
  const whole = Number.isInteger(skip) && skip >= 0 && skip <= maxSkipped;
  if (x === 'unreadable' || part === 'unreadable' || !whole || (part && field === undefined)) return undefined;
  return {
    point: { ...(x && { x: x.group }), ...(part && { part: { field: field!, value: part.group } }) },
    skip,
  };
}

/** A group in an address, as JSON: `202603`, `"web"`, `true`, `null`. */
export const groupText = (group: Point['x']): string => JSON.stringify(group);

function groupIn(text: unknown): { readonly group: Point['x'] } | undefined | 'unreadable' {
  if (text === undefined) return undefined;
  if (typeof text !== 'string') return 'unreadable';
  try {
    const group: unknown = JSON.parse(text);
    return group === null || ['string', 'number', 'boolean'].includes(typeof group)
      ? { group: group as Point['x'] }
      : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

export interface RowsRead {
  readonly columns: readonly { readonly name: string; readonly definition: FieldDefinition }[];
  readonly rows: readonly (readonly unknown[])[];
  /** All rows of the point. */
  readonly total: number;
}

/** Throws what the desk throws. */
export async function readRows(
  { calculations, aggregate }: AskedOfRows,
  fields: readonly string[],
  { point, skip }: RowsQuestion,
  limit: number,
): Promise<RowsRead> {
  const { resource, calculation } = calculations[0]!;
  const wanted = compileRows(resource, calculation, { point, fields, skip, limit });
  const count = compileRowCount(resource, calculation, point);
  const found = await aggregate(wanted.collection, wanted.pipeline);
  const counted = await aggregate(count.collection, count.pipeline);
  return {
    columns: fields.map((name) => ({ name, definition: resource.fields[name]! })),
    rows: found.map((row) => fields.map((_field, at) => row[`c${at}`])),
    total: readScalar(counted, { kind: 'scalar', where: [], op: 'count' }) ?? 0,
  };
}
