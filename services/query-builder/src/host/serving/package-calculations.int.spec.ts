/** A page whose model uses a calculation of a package: compiled with it, tried, and answered with the caller's rows. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { servePages, writeProject } from '../testing/serve-pages';

const files = {
  'resources/orders/resource.ts': `import { defineResource } from '@platform/page-runtime';
export const orders = defineResource('orders', {
  tenantScoped: true,
  fields: { customer: { type: 'string' }, status: { type: 'select', options: ['paid', 'open'] } },
});
`,
  'resources/orders/model.ts': `import { TableModel } from '@platform/page-runtime';
import { distinctCount } from '@platform/example-query-templates/calculations';
import { orders } from './resource';
export class OrdersModel extends TableModel<typeof orders> {
  readonly resource = orders;
  buyers(status: string) {
    return this.rows().where('status', 'eq', status).calculate(distinctCount, { field: 'customer' });
  }
}
`,
  'pages/shop/page.ts': `import { Get, Model, Page, PagePermission, type PageUser, Query } from '@platform/page-runtime';
import { OrdersModel } from '../../resources/orders/model';
@Page({ title: 'Shop', permission: 'shop.read', blocks: [] })
export class ShopPage {
  @Get('/stats/buyers')
  async buyers(@PagePermission(ShopPage) _user: PageUser, @Model(OrdersModel) model: OrdersModel, @Query('status') status: string) {
    return { value: await model.buyers(status) };
  }
}
`,
};

describe('a page with a calculation of a package', () => {
  it('answers by it, for the rows of the caller, with the values of the request judged before', async () => {
    const project = writeProject(files);
    mkdirSync(join(project, 'node_modules/@platform'), { recursive: true });
    symlinkSync(
      join(__dirname, '../../../../../examples/query-templates'),
      join(project, 'node_modules/@platform/example-query-templates'),
    );
    const pages = await servePages(project);
    const row = (tenantId: string, customer: unknown, status = 'paid') => ({ tenantId, customer, status });
    await pages.insert('orders', [
      ...['a', 'a', 'b', null, undefined].map((customer) => row('t1', customer)),
      row('t1', 'c', 'open'),
      row('t2', 'd'),
    ]);
    const ask = (status: string) => pages.get(`/dms/pages/shop/stats/buyers?status=${status}`);
    expect(JSON.parse((await ask('paid')).text)).toEqual({ value: 2 });
    expect((await ask('lost')).status).toBe(400);
    expect((await ask('open')).text).toBe('{"value":1}');
    await pages.close();
  });
});
