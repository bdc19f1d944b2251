/**
 * A calculation becomes one aggregation: `$match`, `$group`, `$sort`, `$limit`. What a series leaves out (rows without
 * a date) goes after the grouping, where it is one comparison per point.
 */
import type { Calculation, ScalarCalculation, SeriesCalculation } from '../chain';
import { kindOf, type Resource } from '../resource';
import { buckets, directions, maxSeriesPoints, measureOps, orderings } from '../vocabulary';
import { ChainError } from './chain-error';
import { isPlainFieldName } from './condition-value';
import { bucketKey, finiteNumber, textKey, type Expression } from './expressions';
import { compileMatch } from './match';

export type Stage = Readonly<Record<string, unknown>>;

export interface CompiledCalculation {
  readonly collection: string;
  readonly pipeline: readonly Stage[];
  /** Set for a series that the platform may cut, which its own limit does not. */
  readonly cap?: SeriesCap;
}

export interface SeriesCap {
  /** A series of more points than this is cut; the pipeline asks for one more. */
  readonly points: number;
  /** Where the points go that are too many: a timeline keeps its newest. */
  readonly drops: 'first' | 'last';
  /** One row over all groups, for what a cut series must still say: see {@link readTotals}. Asked only when it was cut. */
  readonly totals: readonly Stage[];
}

export interface CompileOptions {
  /** Most points that are read; fewer than the platform's limit in a preview. */
  readonly maxPoints?: number;
}

/** Compiles for one caller. Throws ChainError, BadValueError, MissingTenantError; then nothing has been asked. */
export function compileCalculation(
  resource: Resource,
  calculation: Calculation,
  { maxPoints = maxSeriesPoints }: CompileOptions = {},
): CompiledCalculation {
  const zone = zoneOf(calculation);
  const $match = compileMatch(resource, calculation, zone);
  const first: Stage[] = Object.keys($match).length > 0 ? [{ $match }] : [];
  const y = accumulator(resource, calculation);
  const collection = resource.name;
  if (calculation.kind === 'scalar') return { collection, pipeline: [...first, { $group: { _id: null, y } }] };
  checkSeries(calculation);
  const { bucket, orderBy, direction, limit } = calculation;
  const sign = direction === 'asc' ? 1 : -1;
  const cut = limit !== undefined && limit <= maxPoints;
  const groups: Stage[] = [
    ...first,
    { $group: { _id: groupKey(resource, calculation, zone), y } },
    ...(bucket === undefined ? [] : [{ $match: { _id: { $ne: null } } }]),
  ];
  // Groups with equal measures keep one order from request to request.
  const ordered: Stage[] = [{ $sort: orderBy === 'group' ? { _id: sign } : { y: sign, _id: 1 } }];
  if (cut) return { collection, pipeline: [...groups, ...ordered, { $limit: limit }] };
  const own: Stage[] = limit === undefined ? [] : [...ordered, { $limit: limit }];
  const oldestFirst = bucket !== undefined && orderBy === 'group' && direction === 'asc';
  const capped: Stage[] = oldestFirst
    ? [...own, { $sort: { _id: -1 } }, { $limit: maxPoints + 1 }, { $sort: { _id: 1 } }]
    : [...(limit === undefined ? ordered : own), { $limit: maxPoints + 1 }];
  const totals = [...groups, ...own, { $group: totalsOfGroups }];
  return {
    collection,
    pipeline: [...groups, ...capped],
    cap: { points: maxPoints, drops: oldestFirst ? 'first' : 'last', totals },
  };
}

const totalsOfGroups = {
  _id: null,
  groups: { $sum: 1 },
  measured: { $sum: { $cond: [{ $eq: ['$y', null] }, 0, 1] } },
  total: { $sum: '$y' },
  least: { $min: '$y' },
  most: { $max: '$y' },
} as const;

/** The zone of a calculation's days. */
export function zoneOf(calculation: Calculation): string {
  return (calculation.kind === 'series' ? calculation.timezone : undefined) ?? 'UTC';
}

function accumulator(resource: Resource, { op, field }: ScalarCalculation | SeriesCalculation): Expression {
  if (!measureOps.includes(op)) throw new ChainError(`${JSON.stringify(op)} is no measure`);
  if (op === 'count') {
    if (field !== undefined) throw new ChainError('count measures no field');
    return { $sum: 1 };
  }
  if (field === undefined || !isPlainFieldName(field) || kindOf(resource, field) !== 'number')
    throw new ChainError(`${op} needs a numeric field of ${resource.name}, not ${JSON.stringify(field)}`);
  return { [`$${op}`]: finiteNumber(field) };
}

function groupKey(resource: Resource, { groupBy, bucket, timezone }: SeriesCalculation, zone: string): Expression {
  const kind = isPlainFieldName(groupBy) ? kindOf(resource, groupBy) : undefined;
  if (timezone !== undefined && bucket === undefined) throw new ChainError('a time zone needs a bucket');
  if (kind === 'date') {
    if (bucket === undefined) throw new ChainError(`grouping by the date ${JSON.stringify(groupBy)} needs a bucket`);
    return bucketKey(groupBy, bucket, zone);
  }
  if (bucket !== undefined)
    throw new ChainError(`a bucket is for dates, and ${JSON.stringify(groupBy)} of ${resource.name} is none`);
  if (kind === 'number') return finiteNumber(groupBy);
  if (kind === 'text' || kind === 'select') return textKey(groupBy);
  throw new ChainError(`${resource.name} cannot be grouped by ${JSON.stringify(groupBy)}`);
}

function checkSeries({ bucket, orderBy, direction, limit }: SeriesCalculation): void {
  if (bucket !== undefined && !buckets.includes(bucket)) throw new ChainError(`${JSON.stringify(bucket)} is no bucket`);
  if (!orderings.includes(orderBy) || !directions.includes(direction))
    throw new ChainError('a series is ordered by group or measure, asc or desc');
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= maxSeriesPoints))
    throw new ChainError(`a limit is a whole number from 1 to ${maxSeriesPoints}`);
}
