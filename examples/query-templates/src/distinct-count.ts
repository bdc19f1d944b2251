/** How many different values a field has, by a step from this package. Its filters are those of `count`. */
import { queryTemplates, type ChainStep, type Params, type QueryTemplate } from '@platform/builder';

const count = (): QueryTemplate => queryTemplates.get('count')!;
const calculation = {
  kind: 'imported',
  module: '@platform/example-query-templates/calculations',
  name: 'distinctCount',
} as const;

const withoutField = ({ field: _field, ...shared }: Params): Params => shared;

export const distinctCountTemplate: QueryTemplate = {
  id: 'distinct-count',
  resourceType: 'database-table',
  title: 'Distinct count',
  description: 'Counts the different values of a field.',
  output: 'scalar',
  params: {
    field: {
      type: 'field',
      title: 'Different values of',
      required: true,
      kinds: ['text', 'select', 'number', 'boolean', 'date'],
    },
    timezone: { type: 'timezone', title: 'Time zone of its days' },
    where: { type: 'filters', title: 'Only rows where' },
  },
  validate(params, resource) {
    const { field } = params;
    const known = typeof field === 'string' && Object.hasOwn(resource.fields, field);
    const usable = known && resource.fields[field]?.multiple !== true;
    const own = usable ? [] : [{ pointer: '/field', message: 'must be a field of the resource with one value' }];
    return [...own, ...count().validate(withoutField(params), resource)];
  },
  complete: (params) => ({ field: params['field'], ...count().complete(withoutField(params)) }),
  emit(params, resource) {
    const steps = count().emit(withoutField(params), resource);
    const { args } = steps.at(-1)!;
    const options = { kind: 'object', entries: { field: params['field'] as string } } as const;
    return [...steps.slice(0, -1), { method: 'calculate', args: [calculation, options, ...args] }];
  },
  read(steps) {
    const [called, options, ...zone] = steps.at(-1)?.args ?? [];
    if (steps.at(-1)?.method !== 'calculate' || called?.kind !== 'imported' || options?.kind !== 'object')
      return undefined;
    if (called.module !== calculation.module || called.name !== calculation.name) return undefined;
    const { field, ...more } = options.entries;
    const counted: ChainStep[] = [...steps.slice(0, -1), { method: 'count', args: zone }];
    const shared = count().read(counted);
    return field !== undefined && Object.keys(more).length === 0 && shared ? { field, ...shared } : undefined;
  },
  measureOf: () => 'count',
};
