/** The templates with one number as answer: `count` and `aggregate`. */
import type { ChainStep, Issue, Params, QueryFilter, QueryTemplate, StepArgument } from '@platform/builder';
import { aggregateOps, kindOf, type AggregateOp, type Resource } from '@platform/page-runtime';
import { isZone } from '../zones';
import { completeWhere, emitWhere, readWhere, whereIssues } from './where';

const whereParam = {
  timezone: { type: 'timezone', title: 'Time zone of its days' },
  where: { type: 'filters', title: 'Only rows where' },
} as const;

export const countTemplate: QueryTemplate = {
  id: 'count',
  resourceType: 'database-table',
  title: 'Count',
  description: 'Counts the rows.',
  output: 'scalar',
  params: whereParam,
  validate: (params, resource) => sharedIssues(params, resource),
  complete: (params) => completeShared(params),
  emit: (params, resource) => [
    ...emitWhere(params['where'] as QueryFilter[] | undefined, resource),
    { method: 'count', args: emitZone(params) },
  ],
  read(steps) {
    const read = readWhere(steps);
    const [last, ...more] = read?.rest ?? [];
    if (!read || last?.method !== 'count' || more.length > 0) return undefined;
    const zoned = readZone(last, 0);
    return zoned && { ...zoned, ...completeWhere(read.where) };
  },
  measureOf: () => 'count',
};

export const aggregateTemplate: QueryTemplate = {
  id: 'aggregate',
  resourceType: 'database-table',
  title: 'Aggregate',
  description: 'Computes the sum, average, minimum or maximum of a numeric field.',
  output: 'scalar',
  params: {
    op: { type: 'option', title: 'Measure', required: true, options: aggregateOps },
    field: { type: 'field', title: 'Field', required: true, kinds: ['number'] },
    ...whereParam,
  },
  validate: (params, resource) => [...aggregateIssues(params, resource), ...sharedIssues(params, resource)],
  complete: ({ op, field, ...shared }) => ({ op, field, ...completeShared(shared) }),
  emit: (params, resource) => [
    ...emitWhere(params['where'] as QueryFilter[] | undefined, resource),
    {
      method: 'aggregate',
      args: [
        { kind: 'literal', value: params['op'] as string },
        { kind: 'literal', value: params['field'] as string },
        ...emitZone(params),
      ],
    },
  ],
  read(steps) {
    const read = readWhere(steps);
    const [last, ...more] = read?.rest ?? [];
    const [op, field] = last?.args ?? [];
    if (!read || last?.method !== 'aggregate' || more.length > 0) return undefined;
    if (op?.kind !== 'literal' || field?.kind !== 'literal') return undefined;
    const zoned = readZone(last, 2);
    return zoned && { op: op.value, field: field.value, ...zoned, ...completeWhere(read.where) };
  },
  measureOf: ({ op }) => op as AggregateOp,
};

function sharedIssues({ timezone, where }: Params, resource: Resource): Issue[] {
  const known = timezone === undefined || (typeof timezone === 'string' && isZone(timezone));
  return [
    ...(known ? [] : [{ pointer: '/timezone', message: 'must be an IANA zone that the platform knows' }]),
    ...whereIssues(where, resource),
  ];
}

function completeShared({ timezone, where }: Params): Params {
  return { ...(timezone !== undefined && { timezone }), ...completeWhere(where) };
}

/** The zone as the last argument of the chain, if there is one. */
function emitZone({ timezone }: Params): StepArgument[] {
  return timezone === undefined ? [] : [{ kind: 'object', entries: { timezone: timezone as string } }];
}

/** The zone after the first `count` arguments of a step; undefined when anything else follows. */
function readZone({ args }: ChainStep, count: number): Params | undefined {
  const [zone, ...more] = args.slice(count);
  if (args.length < count || more.length > 0) return undefined;
  if (!zone) return {};
  return zone.kind === 'object' && Object.keys(zone.entries).join() === 'timezone' ? zone.entries : undefined;
}

function aggregateIssues({ op, field }: Params, resource: Resource): Issue[] {
  const issues: Issue[] = [];
  if (!aggregateOps.some((each) => each === op))
    issues.push({ pointer: '/op', message: `must be one of ${aggregateOps.join(', ')}` });
  if (typeof field !== 'string' || kindOf(resource, field) !== 'number')
    issues.push({ pointer: '/field', message: 'must be a numeric field of the resource' });
  return issues;
}
