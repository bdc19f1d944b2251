import { Get, Model, Page, PagePermission, type PageUser, Param, Query, arrange, asDate } from '@platform/page-runtime';
import { OrdersModel } from '../../../resources/orders/model';

@Page({
  title: 'Orders',
  permission: 'shop.orders.read',
  blocks: [
    {
      kind: 'chart-card',
      title: 'Revenue by month',
      unit: 'EUR',
      better: 'up',
      breakdown: ['channel', 'category', 'country'],
      rows: ['number', 'createdAt', 'channel', 'category', 'total'],
      fetchUrl: '/dms/pages/shop/orders/stats/monthly-revenue',
    },
    {
      kind: 'line-chart',
      title: 'Orders by day',
      breakdown: ['status', 'channel', 'gift'],
      rows: ['number', 'createdAt', 'status', 'channel', 'total'],
      fetchUrl: '/dms/pages/shop/orders/stats/daily-orders',
    },
    {
      kind: 'kpi-card',
      title: 'Open orders',
      breakdown: ['channel', 'country'],
      rows: ['number', 'createdAt', 'channel', 'country', 'total'],
      fetchUrl: '/dms/pages/shop/orders/stats/open-orders',
    },
    { kind: 'kpi-card', title: 'Average order', unit: 'EUR', fetchUrl: '/dms/pages/shop/orders/stats/average-order' },
    {
      kind: 'ranked-list',
      title: 'Best categories',
      unit: 'EUR',
      breakdown: ['channel'],
      fetchUrl: '/dms/pages/shop/orders/stats/top-categories',
    },
  ],
})
export class OrdersPage {
  @Get('/stats/monthly-revenue')
  async monthlyRevenue(
    @PagePermission(OrdersPage) _user: PageUser,
    @Model(OrdersModel) model: OrdersModel,
    @Query('from') from: string,
    @Query('to') to: string,
    @Query('compareFrom') compareFrom: string,
    @Query('compareTo') compareTo: string,
  ) {
    return arrange(await model.monthlyRevenue(asDate(from), asDate(to)), { response: 'card', measure: 'sum', previous: await model.monthlyRevenue(asDate(compareFrom), asDate(compareTo)) });
  }

  @Get('/stats/daily-orders')
  async dailyOrders(
    @PagePermission(OrdersPage) _user: PageUser,
    @Model(OrdersModel) model: OrdersModel,
    @Query('from') from: string,
  ) {
    return { series: await model.dailyOrders(asDate(from)) };
  }

  @Get('/stats/open-orders')
  async openOrders(
    @PagePermission(OrdersPage) _user: PageUser,
    @Model(OrdersModel) model: OrdersModel,
  ) {
    return { value: await model.openOrders() };
  }

  @Get('/stats/average-order')
  async averageOrder(
    @PagePermission(OrdersPage) _user: PageUser,
    @Model(OrdersModel) model: OrdersModel,
  ) {
    return { value: await model.averageOrder() };
  }

  @Get('/stats/top-categories')
  async topCategories(
    @PagePermission(OrdersPage) _user: PageUser,
    @Model(OrdersModel) model: OrdersModel,
  ) {
    return arrange(await model.topCategories(), { response: 'items', measure: 'sum' });
  }

  @Get('/stats/orders-of/:status')
  async ordersOf(
    @PagePermission(OrdersPage) _user: PageUser,
    @Model(OrdersModel) model: OrdersModel,
    @Param('status') status: string,
  ) {
    return { value: await model.ordersOf(status) };
  }
}
