/** A small project with every kind of parameter and answer, for tests of the host. */

const ordersResource = `import { defineResource } from '@platform/page-runtime';
export const orders = defineResource('orders', {
  tenantScoped: true,
  fields: {
    status: { type: 'select', options: ['paid', 'open'] },
    note: { type: 'string' },
    total: { type: 'price' },
    gift: { type: 'boolean' },
    createdAt: { type: 'date' },
  },
});
`;

const ordersModel = `import { TableModel } from '@platform/page-runtime';
import { orders } from './resource';
export class OrdersModel extends TableModel<typeof orders> {
  readonly resource = orders;
  count(status: string) {
    return this.rows().where('status', 'eq', status).count();
  }
  mixed(minTotal: number, gift: boolean, minCreatedAt: Date, note: string) {
    return this.rows().where('total', 'ge', minTotal).where('gift', 'eq', gift).where('createdAt', 'ge', minCreatedAt).where('note', 'ne', note).aggregate('sum', 'total');
  }
  monthly(minCreatedAt: Date, belowCreatedAt: Date) {
    return this.rows().where('createdAt', 'ge', minCreatedAt).where('createdAt', 'lt', belowCreatedAt)
      .groupBy('createdAt', { bucket: 'month', timezone: 'Europe/Paris' }).measure('sum', 'total').orderBy('group', 'asc');
  }
  notes() {
    return this.rows().groupBy('note').measure('count').orderBy('group', 'asc');
  }
}
`;

const ordersPage = `import { Get, Header, Model, Page, PagePermission, type PageUser, Param, Query, arrange, asBoolean, asDate, asNumber } from '@platform/page-runtime';
import { OrdersModel } from '../../../resources/orders/model';

@Page({ title: 'Orders', permission: 'shop.read', blocks: [{ kind: 'chart-card', title: 'Revenue', fetchUrl: '/dms/pages/shop/orders/stats/monthly' }] })
export class OrdersPage {
  @Get('/stats/count')
  async count(@PagePermission(OrdersPage) _user: PageUser, @Model(OrdersModel) model: OrdersModel, @Query('status') status: string) {
    return { value: await model.count(status) };
  }

  @Get('/stats/of/:status')
  async ofStatus(@PagePermission(OrdersPage) _user: PageUser, @Model(OrdersModel) model: OrdersModel, @Param('status') status: string) {
    return { value: await model.count(status) };
  }

  @Get('/stats/mixed')
  async mixed(@PagePermission(OrdersPage) _user: PageUser, @Model(OrdersModel) model: OrdersModel, @Query('least') least: string, @Query('gift') gift: string, @Query('from') from: string, @Query('note') note: string) {
    return { value: await model.mixed(asNumber(least), asBoolean(gift), asDate(from), note) };
  }

  @Get('/stats/monthly')
  async monthly(@PagePermission(OrdersPage) _user: PageUser, @Model(OrdersModel) model: OrdersModel, @Query('from') from: string, @Query('to') to: string, @Query('compareFrom') compareFrom: string, @Query('compareTo') compareTo: string) {
    return arrange(await model.monthly(asDate(from), asDate(to)), { response: 'card', measure: 'sum', previous: await model.monthly(asDate(compareFrom), asDate(compareTo)) });
  }

  @Get('/stats/by-header')
  async byHeader(@PagePermission(OrdersPage) _user: PageUser, @Model(OrdersModel) model: OrdersModel, @Header('X-Status') status: string) {
    return { value: await model.count(status) };
  }

  @Get('/stats/notes')
  async notes(@PagePermission(OrdersPage) _user: PageUser, @Model(OrdersModel) model: OrdersModel) {
    return arrange(await model.notes(), { response: 'items', measure: 'count' });
  }
}
`;

export const testProject: Readonly<Record<string, string>> = {
  'resources/orders/resource.ts': ordersResource,
  'resources/orders/model.ts': ordersModel,
  'pages/shop/orders/page.ts': ordersPage,
};
