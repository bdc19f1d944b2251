import { TableModel } from '@platform/page-runtime';
import { orders } from './resource';

export class OrdersModel extends TableModel<typeof orders> {
  readonly resource = orders;

  monthlyRevenue(minCreatedAt: Date, belowCreatedAt: Date) {
    return this.rows()
      .where('status', 'eq', 'paid')
      .where('createdAt', 'ge', minCreatedAt)
      .where('createdAt', 'lt', belowCreatedAt)
      .groupBy('createdAt', { bucket: 'month', timezone: 'Europe/Paris' })
      .measure('sum', 'total')
      .orderBy('group', 'asc');
  }

  dailyOrders(minCreatedAt: Date) {
    return this.rows()
      .where('createdAt', 'ge', minCreatedAt)
      .groupBy('createdAt', { bucket: 'day', timezone: 'Europe/Paris' })
      .measure('count')
      .orderBy('group', 'asc');
  }

  openOrders() {
    return this.rows()
      .where('status', 'eq', 'pending')
      .count();
  }

  averageOrder() {
    return this.rows()
      .where('status', 'ne', 'cancelled')
      .aggregate('avg', 'total');
  }

  topCategories() {
    return this.rows()
      .where('status', 'eq', 'paid')
      .groupBy('category')
      .measure('sum', 'total')
      .orderBy('measure', 'desc')
      .limit(5);
  }

  ordersOf(status: string) {
    return this.rows()
      .where('status', 'eq', status)
      .count();
  }
}
