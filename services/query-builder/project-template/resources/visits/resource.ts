import { defineResource } from '@platform/page-runtime';

export const visits = defineResource('visits', {
  title: 'Visits',
  tenantScoped: true,
  fields: {
    source: { type: 'select', title: 'Source', options: ['search', 'mail', 'direct'] },
    seconds: { type: 'number', title: 'Seconds' },
    startedAt: { type: 'date', title: 'Started' },
  },
});
