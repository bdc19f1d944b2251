/** The templates that answer one number: `count` and `aggregate`. */
import type { Issue, Params, QueryFilter, QueryTemplate } from '@platform/builder';
import { aggregateOps, kindOf, type AggregateOp, type Resource } from '@platform/page-runtime';
import { completeWhere, emitWhere, readWhere, whereIssues } from './where';

const whereParam = { where: { type: 'filters', title: 'Only rows where' } } as const;

export const countTemplate: QueryTemplate = {
  id: 'count',
  resourceType: 'database-table',
  title: 'Count',
  description: 'Counts the rows.',
  output: 'scalar',
  params: whereParam,
  validate: (params, resource) => whereIssues(params['where'], resource),
  complete: (params) => completeWhere(params['where']),
  emit: (params, resource) => [
    ...emitWhere(params['where'] as QueryFilter[] | undefined, resource),
    { method: 'count', args: [] },
  ],
  read(steps) {
    const read = readWhere(steps);
    const [last, ...more] = read?.rest ?? [];
    if (!read || last?.method !== 'count' || last.args.length > 0 || more.length > 0) return undefined;
    return completeWhere(read.where);
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
  validate: (params, resource) => [...aggregateIssues(params, resource), ...whereIssues(params['where'], resource)],
  complete: ({ op, field, where }) => ({ op, field, ...completeWhere(where) }),
  emit: (params, resource) => [
    ...emitWhere(params['where'] as QueryFilter[] | undefined, resource),
    {
      method: 'aggregate',
      args: [
        { kind: 'literal', value: params['op'] as string },
        { kind: 'literal', value: params['field'] as string },
      ],
    },
  ],
  read(steps) {
    const read = readWhere(steps);
    const [last, ...more] = read?.rest ?? [];
    const [op, field] = last?.args ?? [];
    if (!read || last?.method !== 'aggregate' || last.args.length !== 2 || more.length > 0) return undefined;
    if (op?.kind !== 'literal' || field?.kind !== 'literal') return undefined;
    return { op: op.value, field: field.value, ...completeWhere(read.where) };
  },
  measureOf: ({ op }) => op as AggregateOp,
};

function aggregateIssues({ op, field }: Params, resource: Resource): Issue[] {
  const issues: Issue[] = [];
  if (!aggregateOps.some((each) => each === op))
    issues.push({ pointer: '/op', message: `must be one of ${aggregateOps.join(', ')}` });
  if (typeof field !== 'string' || kindOf(resource, field) !== 'number')
    issues.push({ pointer: '/field', message: 'must be a numeric field of the resource' });
  return issues;
}
