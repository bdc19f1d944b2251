import { defineResource } from '@platform/page-runtime';

export const orders = defineResource('orders', {
  title: 'Orders',
  tenantScoped: true,
  fields: {
    number: { type: 'string', title: 'Number' },
    status: { type: 'select', title: 'Status', options: ['pending', 'paid', 'shipped', 'refunded', 'cancelled'] },
    channel: { type: 'select', title: 'Channel', options: ['web', 'app', 'store', 'phone'] },
    customer: { type: 'relation', title: 'Customer' },
    product: { type: 'relation', title: 'Product' },
    category: { type: 'string', title: 'Category' },
    country: { type: 'string', title: 'Country' },
    quantity: { type: 'number', title: 'Quantity' },
    total: { type: 'price', title: 'Total' },
    discount: { type: 'percentage', title: 'Discount' },
    gift: { type: 'boolean', title: 'Gift' },
    note: { type: 'rich_text', title: 'Note' },
    createdAt: { type: 'date', title: 'Created' },
    paidAt: { type: 'date', title: 'Paid' },
    shippingAddress: { type: 'address', title: 'Shipping address' },
    tags: { type: 'string', title: 'Tags', multiple: true },
  },
});
