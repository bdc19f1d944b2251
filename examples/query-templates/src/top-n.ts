/**
 * The largest groups of a field: a series ordered by its measure, largest first, and cut. It is built on the template
 * `series` and needs fewer parameters for the same chain, so such a query reads back as `top-n`.
 */
import { queryTemplates, type Params, type QueryTemplate } from '@platform/builder';

const series = (): QueryTemplate => queryTemplates.get('series')!;

const asSeries = ({ limit = 5, ...params }: Params): Params => ({
  ...params,
  orderBy: 'measure',
  direction: 'desc',
  limit,
});

export const topTemplate: QueryTemplate = {
  id: 'top-n',
  resourceType: 'database-table',
  title: 'Top n',
  description: 'Measures the groups of a field and keeps the largest.',
  output: 'series',
  params: {
    op: { type: 'option', title: 'Measure', options: ['count', 'sum', 'avg', 'min', 'max'], default: 'count' },
    field: { type: 'field', title: 'Measured field', kinds: ['number'] },
    groupBy: { type: 'field', title: 'Groups of', required: true, kinds: ['text', 'select', 'number', 'boolean'] },
    limit: { type: 'integer', title: 'How many', minimum: 1, maximum: 1_000, default: 5 },
    where: { type: 'filters', title: 'Only rows where' },
  },
  validate: (params, resource) => series().validate(asSeries(params), resource),
  complete(params) {
    const { orderBy: _by, direction: _direction, ...complete } = series().complete(asSeries(params));
    return complete;
  },
  emit: (params, resource) => series().emit(asSeries(params), resource),
  read(steps) {
    const { orderBy, direction, ...params } = series().read(steps) ?? {};
    const isTop = orderBy === 'measure' && direction === 'desc' && params['limit'] !== undefined;
    return isTop && params['bucket'] === undefined ? params : undefined;
  },
  measureOf: (params) => series().measureOf(params),
};
