/** The templates of the package, with samples that the builder tests when it registers them. */
import type { QueryTemplate, TemplatePackage } from '@platform/builder';
import { distinctCountTemplate } from './distinct-count';
import { topTemplate } from './top-n';

export const templates: readonly QueryTemplate[] = [topTemplate, distinctCountTemplate];

const resource = {
  name: 'orders',
  tenantScoped: false,
  fields: {
    status: { type: 'string' },
    customer: { type: 'relation' },
    total: { type: 'price' },
    at: { type: 'date' },
  },
} as const;
const paid = { field: 'status', op: 'eq', value: 'paid' };

export const samples: TemplatePackage['samples'] = {
  'top-n': {
    resource,
    samples: [
      { groupBy: 'customer' },
      { groupBy: 'customer', op: 'sum', field: 'total', limit: 10, where: [paid] },
      { groupBy: 'status', op: 'avg', field: 'total', limit: 1 },
    ],
  },
  'distinct-count': {
    resource,
    samples: [
      { field: 'customer' },
      { field: 'status', where: [paid] },
      { field: 'customer', timezone: 'Europe/Paris', where: [{ field: 'at', op: 'ge', value: '2026-01-01' }] },
    ],
  },
};
