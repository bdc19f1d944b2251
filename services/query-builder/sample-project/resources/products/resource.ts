import { defineResource } from '@platform/page-runtime';

export const products = defineResource('products', {
  title: 'Products',
  tenantScoped: true,
  fields: {
    name: { type: 'string', title: 'Name' },
    sku: { type: 'string', title: 'SKU' },
    category: { type: 'select', title: 'Category', options: ['coffee', 'tea', 'brewing', 'cups', 'sweets', 'gifts'] },
    price: { type: 'price', title: 'Price' },
    margin: { type: 'percentage', title: 'Margin' },
    stock: { type: 'number', title: 'In stock' },
    active: { type: 'boolean', title: 'Offered' },
    launchedAt: { type: 'date', title: 'Launched' },
    photo: { type: 'image', title: 'Photo' },
  },
});
