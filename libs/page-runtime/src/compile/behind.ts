/**
 * What lies behind the figures of a calculation: its parts by a second field, and the rows of one point. Both use the
 * calculation's own conditions and keys, so parts add up to their point and a count equals the number of its rows. Row
 * values are put into expressions as literals: a text that begins with `$` stays a text.
 */
import type { Calculation, Point, ScalarCalculation, SeriesCalculation } from '../chain';
import { firstDayOf, nextBucket } from '../calendar-buckets';
import { isObjectIdText } from '../coercions';
import { collectionOf, kindOf, pathOf, type Resource } from '../resource';
import { maxSeriesPoints, type Bucket } from '../vocabulary';
import { ChainError } from './chain-error';
import { accumulators, groupKey, zoneOf } from './compile';
import type { Expression } from './expressions';
import { isPlainFieldName } from './condition-value';
import { labelStages } from './labels';
import { compileMatch } from './match';
import type { Stage } from './stage';

type Group = Point['x'];

export interface CompiledRead {
  readonly collection: string;
  readonly pipeline: readonly Stage[];
}

/** One point of a calculation; without `x`, all of it. */
export interface PointBehind {
  readonly x?: Group;
  /** The part of the point, by a second field. */
  readonly part?: { readonly field: string; readonly value: Group };
}

export interface RowsBehind {
  readonly point: PointBehind;
  /** Declared fields, in the order of the columns. */
  readonly fields: readonly string[];
  readonly skip: number;
  readonly limit: number;
}

/** Whether a field can name the parts of a point: every field by which a series can group, except dates. */
export function canBreakDown(resource: Resource, field: string): boolean {
  const kind = isPlainFieldName(field) ? kindOf(resource, field) : undefined;
  return kind === 'text' || kind === 'select' || kind === 'number' || kind === 'boolean';
}

/** Whether a row can show a field: every declared field with a single plain value. */
export function canShow(resource: Resource, field: string): boolean {
  const kind = isPlainFieldName(field) ? kindOf(resource, field) : undefined;
  return kind !== undefined && kind !== 'opaque';
}

/** The largest parts first: by the figure where parts add up, otherwise by their number of rows. */
export function compileParts(
  resource: Resource,
  calculation: ScalarCalculation | SeriesCalculation,
  field: string,
  limit: number,
): CompiledRead {
  const adds = calculation.op === 'count' || calculation.op === 'sum';
  return {
    collection: collectionOf(resource),
    pipeline: [
      ...matched(resource, calculation),
      { $group: { _id: partKey(resource, field), ...measures(resource, calculation), n: { $sum: 1 } } },
      { $sort: { [adds ? 'y' : 'n']: -1, _id: 1 } },
      { $limit: limit },
      ...labelStages(resource, { ...calculation, groupBy: field }),
    ],
  };
}

export interface PartsOfPoints {
  readonly field: string;
  /** The separate parts; all others are combined into one more, `rest`. */
  readonly values: readonly Group[];
  /** The points whose parts are read. */
  readonly points: readonly Group[];
}

/** One row for each part of each point: `_id: { x, part, rest }` and `y`. */
export function compilePartsOfPoints(
  resource: Resource,
  calculation: SeriesCalculation,
  { field, values, points }: PartsOfPoints,
): CompiledRead {
  const key = partKey(resource, field);
  const known: Expression = { $in: [key, { $literal: values.map((value) => stored(resource, field, value)) }] };
  const xs = points.map((x) => stored(resource, calculation.groupBy, x));
  return {
    collection: collectionOf(resource),
    pipeline: [
      ...matched(resource, calculation),
      {
        $group: {
          _id: {
            x: groupKey(resource, calculation, zoneOf(calculation)),
            part: { $cond: [known, key, null] },
            rest: { $not: [known] },
          },
          ...measures(resource, calculation),
        },
      },
      { $match: { '_id.x': { $in: xs } } },
      { $limit: (values.length + 1) * maxSeriesPoints },
    ],
  };
}

/** The newest rows first, when the calculation uses a date; each row's fields are `c0`, `c1` …. */
export function compileRows(
  resource: Resource,
  calculation: Calculation,
  { point, fields, skip, limit }: RowsBehind,
): CompiledRead {
  const wrong = fields.find((field) => !canShow(resource, field));
  if (wrong !== undefined) throw new ChainError(`a row of ${resource.name} cannot show ${JSON.stringify(wrong)}`);
  const date = dateOf(resource, calculation);
  return {
    collection: collectionOf(resource),
    pipeline: [
      ...rowsOfPoint(resource, calculation, point),
      { $sort: { ...(date !== undefined && { [pathOf(resource, date)]: -1 }), _id: -1 } },
      { $skip: skip },
      { $limit: limit },
      {
        $project: {
          _id: 0,
          ...Object.fromEntries(fields.map((field, at) => [`c${at}`, `$${pathOf(resource, field)}`])),
        },
      },
    ],
  };
}

/** The number of rows of a point, as `y` of one row; no row when there are none. */
export function compileRowCount(resource: Resource, calculation: Calculation, point: PointBehind): CompiledRead {
  return {
    collection: collectionOf(resource),
    pipeline: [...rowsOfPoint(resource, calculation, point), { $group: { _id: null, y: { $sum: 1 } } }],
  };
}

function matched(resource: Resource, calculation: Calculation): Stage[] {
  const $match = compileMatch(resource, calculation, zoneOf(calculation));
  return Object.keys($match).length > 0 ? [{ $match }] : [];
}

function measures(resource: Resource, calculation: Calculation): Stage {
  if (calculation.kind === 'scalar' && calculation.custom)
    throw new ChainError('a calculation of a package has no parts');
  const { odd: _odd, ...measured } = accumulators(resource, calculation);
  return measured;
}

function partKey(resource: Resource, field: string): Expression {
  if (!canBreakDown(resource, field))
    throw new ChainError(`${resource.name} cannot be broken down by ${JSON.stringify(field)}`);
  return groupKey(resource, { groupBy: field }, 'UTC');
}

/** A group in its stored form. */
function stored(resource: Resource, field: string, value: Group): Expression {
  const isId = resource.fields[field]?.stored === 'objectId';
  return isId && typeof value === 'string' && isObjectIdText(value) ? { $oid: value.toLowerCase() } : value;
}

/** By the group's own key, computed for each row, so that a group in a chart is the same group here. */
function rowsOfPoint(resource: Resource, calculation: Calculation, { x, part }: PointBehind): Stage[] {
  const series = calculation.kind === 'series' && x !== undefined ? calculation : undefined;
  const wanted = [
    ...(series
      ? [{ key: groupKey(resource, series, zoneOf(series)), value: stored(resource, series.groupBy, x!) }]
      : []),
    ...(part ? [{ key: partKey(resource, part.field), value: stored(resource, part.field, part.value) }] : []),
  ];
  const names = freeNames(resource, wanted.length);
  return [
    ...matched(resource, calculation),
    ...(series ? around(pathOf(resource, series.groupBy), x!, series.bucket) : []),
    ...(wanted.length === 0
      ? []
      : [
          { $set: Object.fromEntries(wanted.map(({ key }, at) => [names[at]!, key])) },
          { $match: Object.fromEntries(wanted.map(({ value }, at) => [names[at]!, { $eq: value }])) },
        ]),
  ];
}

/** Names that do not hide a field of a row. */
function freeNames(resource: Resource, count: number): string[] {
  const taken = new Set(Object.keys(resource.fields).map((field) => pathOf(resource, field).split('.')[0]!));
  const names: string[] = [];
  for (let at = 0; names.length < count; at += 1) if (!taken.has(`key${at}`)) names.push(`key${at}`);
  return names;
}

const slackMs = 2 * 86_400_000;

/** The days of a bucket with a margin, as a plain range that an index can serve; the key itself decides. */
function around(path: string, x: Group, bucket: Bucket | undefined): Stage[] {
  if (bucket === undefined || typeof x !== 'number') return [];
  const [first, last] = [x, nextBucket(x, bucket)].map((each) => Date.parse(`${firstDayOf(each, bucket)}T00:00:00Z`));
  if (!Number.isFinite(first) || !Number.isFinite(last)) return [];
  return [{ $match: { [path]: { $gte: new Date(first! - slackMs), $lt: new Date(last! + slackMs) } } }];
}

/** The date by which rows are ordered: that of the groups, otherwise the first that restricts them. */
function dateOf(resource: Resource, calculation: Calculation): string | undefined {
  if (calculation.kind === 'series' && calculation.bucket !== undefined) return calculation.groupBy;
  return calculation.where.find(({ field }) => kindOf(resource, field) === 'date')?.field;
}
