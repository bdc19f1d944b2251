/**
 * Compiles a calculation into one aggregation: `$match`, `$group`, `$sort`, `$limit`. Rows that a series leaves out
 * (those without a date) form one more group, which is marked and put first after the grouping, so its rows are counted
 * and take no place under a limit.
 */
import type { Calculation, SeriesCalculation } from '../chain';
import { collectionOf, kindOf, pathOf, type Resource } from '../resource';
import { buckets, directions, maxSeriesPoints, measureOps, orderings } from '../vocabulary';
import { ChainError } from './chain-error';
import { isPlainFieldName } from './condition-value';
import {
  bucketKey,
  finiteNumber,
  idKey,
  numberKey,
  otherThanNumber,
  textKey,
  truthKey,
  type Expression,
} from './expressions';
import { compileCustom } from './custom-stages';
import { labelStages } from './labels';
import { compileMatch } from './match';
import type { Stage } from './stage';

export interface CompiledCalculation {
  readonly collection: string;
  readonly pipeline: readonly Stage[];
  /** Most points that the series itself requests. */
  readonly limit?: number;
  /** Set for a series that the platform may cut because it has no limit of its own. */
  readonly cap?: SeriesCap;
}

export interface SeriesCap {
  /** A series of more points than this is cut; the pipeline asks for one more. */
  readonly points: number;
  /** Which points are dropped: a timeline keeps its newest. */
  readonly drops: 'first' | 'last';
  /** One row over all groups, for totals that a cut series needs: see {@link readTotals}. Read only when it was cut. */
  readonly totals: readonly Stage[];
}

export interface CompileOptions {
  /** Most points that are read; in a preview fewer than the platform's limit. */
  readonly maxPoints?: number;
}

/** Compiles for one caller. Throws ChainError, BadValueError, MissingTenantError before anything is sent. */
export function compileCalculation(
  resource: Resource,
  calculation: Calculation,
  { maxPoints = maxSeriesPoints }: CompileOptions = {},
): CompiledCalculation {
  const zone = zoneOf(calculation);
  const $match = compileMatch(resource, calculation, zone);
  const first: Stage[] = Object.keys($match).length > 0 ? [{ $match }] : [];
  const collection = collectionOf(resource);
  if (calculation.kind === 'scalar' && calculation.custom)
    return { collection, pipeline: [...first, ...compileCustom(resource, calculation.custom)] };
  const measured = accumulators(resource, calculation);
  if (calculation.kind === 'scalar')
    return { collection, pipeline: [...first, { $group: { _id: null, ...measured } }] };
  checkSeries(calculation);
  const { bucket, limit } = calculation;
  const groups: Stage[] = [
    ...first,
    {
      $group: {
        _id: groupKey(resource, calculation, zone),
        ...measured,
        ...(bucket !== undefined && calculation.op !== 'count' && { rows: { $sum: 1 } }),
      },
    },
  ];
  const cut = limit !== undefined && limit <= maxPoints;
  const capped = { collection, ...(limit !== undefined && { limit }) };
  const labels = labelStages(resource, calculation);
  if (cut)
    return { ...capped, pipeline: [...groups, ...firstPoints(calculation, limit, spare(calculation)), ...labels] };
  const series = cappedSeries(calculation, groups, maxPoints);
  return { ...capped, ...series, pipeline: [...series.pipeline, ...labels] };
}

/** One more group is read than requested: the group of the rows without a date comes first and is not a point. */
function spare({ bucket }: SeriesCalculation): number {
  return bucket === undefined ? 0 : 1;
}

/** The groups in their order, up to a limit. Groups with equal measures have the same order in every request. */
function firstPoints(calculation: SeriesCalculation, limit: number | undefined, more: number): Stage[] {
  const { bucket, op, orderBy, direction } = calculation;
  const sign = direction === 'asc' ? 1 : -1;
  // For a measure that may be absent: such a group does not count as the lowest.
  const blanks = orderBy === 'measure' && op !== 'count' && op !== 'sum';
  const marks = {
    ...(bucket !== undefined && { dateless: isNull('$_id') }),
    ...(blanks && { blank: isNull('$y') }),
  };
  return [
    ...(Object.keys(marks).length > 0 ? [{ $set: marks }] : []),
    ...(blanks && limit !== undefined ? [{ $match: { $or: [{ blank: false }, { dateless: true }] } }] : []),
    {
      $sort: {
        ...(bucket !== undefined && { dateless: -1 }),
        ...(blanks && { blank: 1 }),
        ...(orderBy === 'group' ? { _id: sign } : { y: sign, _id: 1 }),
      },
    },
    ...(limit === undefined ? [] : [{ $limit: limit + more }]),
  ];
}

const isNull = (path: string): Expression => ({ $eq: [path, null] });

function cappedSeries(
  calculation: SeriesCalculation,
  groups: readonly Stage[],
  maxPoints: number,
): Pick<CompiledCalculation, 'pipeline' | 'cap'> {
  const { bucket, orderBy, direction, limit } = calculation;
  const dated: Stage[] = bucket === undefined ? [] : [{ $match: { dateless: false } }];
  // When a preview reads less than the series requests, the group without a date would take a place under its limit.
  const ordered = firstPoints(calculation, limit, 0);
  const own = limit === undefined ? ordered : [...ordered.slice(0, -2), ...dated, ...ordered.slice(-2)];
  const most = { $limit: maxPoints + 1 + spare(calculation) };
  const oldestFirst = bucket !== undefined && orderBy === 'group' && direction === 'asc';
  const newest = [{ $sort: { dateless: -1, _id: -1 } }, most, { $sort: { dateless: -1, _id: 1 } }];
  return {
    pipeline: [...groups, ...own, ...(oldestFirst ? newest : [most])],
    cap: {
      points: maxPoints,
      drops: oldestFirst ? 'first' : 'last',
      totals: [...groups, ...own, ...(limit === undefined ? dated : []), { $group: totalsOfGroups }],
    },
  };
}

const totalsOfGroups = {
  _id: null,
  groups: { $sum: 1 },
  measured: { $sum: { $cond: [{ $eq: ['$y', null] }, 0, 1] } },
  total: { $sum: '$y' },
  least: { $min: '$y' },
  most: { $max: '$y' },
  odd: { $sum: '$odd' },
} as const;

/** The zone of a calculation's days. */
export function zoneOf(calculation: Calculation): string {
  return calculation.timezone ?? 'UTC';
}

/** `y`, the figure; for the measure of a field also `odd`, the number of rows whose value there is not a number. */
export function accumulators(
  resource: Resource,
  { op, field }: Pick<Calculation, 'op' | 'field'>,
): Readonly<Record<string, Expression>> {
  if (!measureOps.includes(op)) throw new ChainError(`${JSON.stringify(op)} is no measure`);
  if (op === 'count') {
    if (field !== undefined) throw new ChainError('count measures no field');
    return { y: { $sum: 1 } };
  }
  if (field === undefined || !isPlainFieldName(field) || kindOf(resource, field) !== 'number')
    throw new ChainError(`${op} needs a numeric field of ${resource.name}, not ${JSON.stringify(field)}`);
  const path = pathOf(resource, field);
  return { y: { [`$${op}`]: finiteNumber(path) }, odd: { $sum: otherThanNumber(path) } };
}

/** The key of a row's group. Throws ChainError for a field by which a series cannot group. */
export function groupKey(
  resource: Resource,
  { groupBy, bucket, timezone }: Pick<SeriesCalculation, 'groupBy' | 'bucket' | 'timezone'>,
  zone: string,
): Expression {
  const kind = isPlainFieldName(groupBy) ? kindOf(resource, groupBy) : undefined;
  const path = pathOf(resource, groupBy);
  if (timezone !== undefined && bucket === undefined) throw new ChainError('a time zone needs a bucket');
  if (kind === 'date') {
    if (bucket === undefined) throw new ChainError(`grouping by the date ${JSON.stringify(groupBy)} needs a bucket`);
    return bucketKey(path, bucket, zone);
  }
  if (bucket !== undefined)
    throw new ChainError(`a bucket is for dates, and ${JSON.stringify(groupBy)} of ${resource.name} is none`);
  if (kind === 'number') return numberKey(path);
  if (kind === 'text' && resource.fields[groupBy]?.stored === 'objectId') return idKey(path);
  if (kind === 'text' || kind === 'select') return textKey(path);
  if (kind === 'boolean') return truthKey(path);
  throw new ChainError(`${resource.name} cannot be grouped by ${JSON.stringify(groupBy)}`);
}

function checkSeries({ bucket, orderBy, direction, limit }: SeriesCalculation): void {
  if (bucket !== undefined && !buckets.includes(bucket)) throw new ChainError(`${JSON.stringify(bucket)} is no bucket`);
  if (!orderings.includes(orderBy) || !directions.includes(direction))
    throw new ChainError('a series is ordered by group or measure, asc or desc');
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= maxSeriesPoints))
    throw new ChainError(`a limit is a whole number from 1 to ${maxSeriesPoints}`);
}
