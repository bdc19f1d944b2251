import { Get, Model, Page, PagePermission, type PageUser, arrange } from '@platform/page-runtime';
import { CustomersModel } from '../../../resources/customers/model';

@Page({
  title: 'Customers',
  permission: 'shop.customers.read',
  blocks: [
    { kind: 'bar-chart', title: 'New customers by quarter', fetchUrl: '/dms/pages/shop/customers/stats/new-customers' },
    { kind: 'ranked-list', title: 'Best countries', fetchUrl: '/dms/pages/shop/customers/stats/top-countries' },
    { kind: 'kpi-card', title: 'Readers of the newsletter', fetchUrl: '/dms/pages/shop/customers/stats/readers' },
  ],
})
export class CustomersPage {
  @Get('/stats/new-customers')
  async newCustomers(
    @PagePermission(CustomersPage) _user: PageUser,
    @Model(CustomersModel) model: CustomersModel,
  ) {
    return { series: await model.newCustomers() };
  }

  @Get('/stats/top-countries')
  async topCountries(
    @PagePermission(CustomersPage) _user: PageUser,
    @Model(CustomersModel) model: CustomersModel,
  ) {
    return arrange(await model.topCountries(), { response: 'items', measure: 'sum' });
  }

  @Get('/stats/readers')
  async readers(
    @PagePermission(CustomersPage) _user: PageUser,
    @Model(CustomersModel) model: CustomersModel,
  ) {
    return { value: await model.readers() };
  }
}
