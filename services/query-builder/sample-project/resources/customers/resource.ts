import { defineResource } from '@platform/page-runtime';

export const customers = defineResource('customers', {
  title: 'Customers',
  tenantScoped: true,
  fields: {
    name: { type: 'string', title: 'Name' },
    email: { type: 'email', title: 'Email' },
    phone: { type: 'phone', title: 'Phone' },
    website: { type: 'url', title: 'Website' },
    segment: { type: 'select', title: 'Segment', options: ['consumer', 'small_business', 'enterprise'] },
    country: { type: 'string', title: 'Country' },
    newsletter: { type: 'boolean', title: 'Newsletter' },
    lifetimeValue: { type: 'price', title: 'Lifetime value' },
    joinedAt: { type: 'date', title: 'Joined' },
    avatar: { type: 'image', title: 'Picture' },
  },
});
