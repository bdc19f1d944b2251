/** The template with one point per group. It always emits an ordering, so reading can rely on one. */
import type {
  ChainStep,
  Issue,
  Params,
  PlainScalar,
  QueryFilter,
  QueryTemplate,
  StepArgument,
} from '@platform/builder';
import {
  buckets,
  directions,
  kindOf,
  maxSeriesPoints,
  measureOps,
  orderings,
  type MeasureOp,
  type Resource,
} from '@platform/page-runtime';
import { isZone } from '../zones';
import { completeWhere, emitWhere, readWhere, whereIssues } from './where';

const literal = (value: unknown): StepArgument => ({ kind: 'literal', value: value as PlainScalar });

export const seriesTemplate: QueryTemplate = {
  id: 'series',
  resourceType: 'database-table',
  title: 'Series',
  description: 'Groups the rows by a field or by a period and measures each group.',
  output: 'series',
  params: {
    op: { type: 'option', title: 'Measure', options: measureOps, default: 'count' },
    field: { type: 'field', title: 'Measured field', kinds: ['number'] },
    groupBy: {
      type: 'field',
      title: 'Grouped by',
      required: true,
      kinds: ['text', 'select', 'number', 'boolean', 'date'],
    },
    bucket: { type: 'option', title: 'Period', options: buckets },
    timezone: { type: 'timezone', title: 'Time zone' },
    orderBy: { type: 'option', title: 'Ordered by', options: orderings, default: 'group' },
    direction: { type: 'option', title: 'Direction', options: directions, default: 'asc' },
    limit: { type: 'integer', title: 'Only the first', minimum: 1, maximum: maxSeriesPoints },
    where: { type: 'filters', title: 'Only rows where' },
  },
  validate: (params, resource) => [
    ...measureIssues(params, resource),
    ...groupIssues(params, resource),
    ...orderIssues(params),
    ...whereIssues(params['where'], resource),
  ],
  complete({ op = 'count', field, groupBy, bucket, timezone, orderBy = 'group', direction = 'asc', limit, where }) {
    const optional = Object.entries({ field, bucket, timezone, limit }).filter(([, value]) => value !== undefined);
    return { op, groupBy, orderBy, direction, ...Object.fromEntries(optional), ...completeWhere(where) };
  },
  emit: (params, resource) => [
    ...emitWhere(params['where'] as QueryFilter[] | undefined, resource),
    ...emitSeries(params),
  ],
  read(steps) {
    const read = readWhere(steps);
    const series = read && readSeries(read.rest);
    return series && { ...series, ...completeWhere(read.where) };
  },
  measureOf: ({ op }) => (op ?? 'count') as MeasureOp,
};

function emitSeries({ op, field, groupBy, bucket, timezone, orderBy, direction, limit }: Params): ChainStep[] {
  const period = Object.entries({ bucket, timezone }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return [
    {
      method: 'groupBy',
      args: [
        literal(groupBy),
        ...(period.length > 0 ? [{ kind: 'object', entries: Object.fromEntries(period) } as const] : []),
      ],
    },
    { method: 'measure', args: [literal(op), ...(field === undefined ? [] : [literal(field)])] },
    { method: 'orderBy', args: [literal(orderBy), literal(direction)] },
    ...(limit === undefined ? [] : [{ method: 'limit', args: [literal(limit)] }]),
  ];
}

function readSeries(steps: readonly ChainStep[]): Params | undefined {
  const [group, measure, order, limit, ...more] = steps;
  if (group?.method !== 'groupBy' || measure?.method !== 'measure' || order?.method !== 'orderBy' || more.length > 0)
    return undefined;
  if (limit && (limit.method !== 'limit' || limit.args.length !== 1)) return undefined;
  const [groupBy, period] = group.args;
  const scalars = [groupBy, ...measure.args, ...order.args, ...(limit?.args ?? [])].map((each) =>
    each?.kind === 'literal' ? each.value : undefined,
  );
  const shaped =
    group.args.length <= 2 &&
    (period === undefined || period.kind === 'object') &&
    measure.args.length <= 2 &&
    order.args.length === 2;
  if (!shaped || scalars.includes(undefined)) return undefined;
  const [op, field] = measure.args.map((each) => (each.kind === 'literal' ? each.value : undefined));
  const [orderBy, direction] = order.args.map((each) => (each.kind === 'literal' ? each.value : undefined));
  return {
    op,
    groupBy: scalars[0],
    orderBy,
    direction,
    ...(field === undefined ? {} : { field }),
    ...(period?.kind === 'object' ? period.entries : {}),
    ...(limit ? { limit: scalars.at(-1) } : {}),
  };
}

function measureIssues({ op = 'count', field }: Params, resource: Resource): Issue[] {
  if (!measureOps.some((each) => each === op))
    return [{ pointer: '/op', message: `must be one of ${measureOps.join(', ')}` }];
  if (op === 'count') return field === undefined ? [] : [{ pointer: '/field', message: 'is not used by count' }];
  const numeric = typeof field === 'string' && kindOf(resource, field) === 'number';
  return numeric ? [] : [{ pointer: '/field', message: 'must be a numeric field of the resource' }];
}

function groupIssues({ groupBy, bucket, timezone }: Params, resource: Resource): Issue[] {
  const issues: Issue[] = [];
  const kind = typeof groupBy === 'string' ? kindOf(resource, groupBy) : undefined;
  if (kind === undefined) issues.push({ pointer: '/groupBy', message: 'must be a field of the resource' });
  else if (kind === 'opaque')
    issues.push({ pointer: '/groupBy', message: 'must be a text, a number, a truth value or a date' });
  else if (kind === 'date' && bucket === undefined)
    issues.push({ pointer: '/bucket', message: 'is required to group by a date' });
  if (bucket !== undefined && !buckets.some((each) => each === bucket))
    issues.push({ pointer: '/bucket', message: `must be one of ${buckets.join(', ')}` });
  else if (bucket !== undefined && kind !== undefined && kind !== 'date')
    issues.push({ pointer: '/bucket', message: 'is only for a date' });
  if (timezone !== undefined && bucket === undefined) issues.push({ pointer: '/timezone', message: 'needs a bucket' });
  if (timezone !== undefined && (typeof timezone !== 'string' || !isZone(timezone)))
    issues.push({ pointer: '/timezone', message: 'must be an IANA zone that the platform knows' });
  return issues;
}

function orderIssues({ orderBy = 'group', direction = 'asc', limit }: Params): Issue[] {
  const issues: Issue[] = [];
  if (!orderings.some((each) => each === orderBy))
    issues.push({ pointer: '/orderBy', message: 'must be group or measure' });
  if (!directions.some((each) => each === direction))
    issues.push({ pointer: '/direction', message: 'must be asc or desc' });
  const fits =
    limit === undefined || (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= maxSeriesPoints);
  if (!fits) issues.push({ pointer: '/limit', message: `must be a whole number from 1 to ${maxSeriesPoints}` });
  return issues;
}
