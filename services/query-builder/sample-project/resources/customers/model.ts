import { TableModel } from '@platform/page-runtime';
import { customers } from './resource';

export class CustomersModel extends TableModel<typeof customers> {
  readonly resource = customers;

  newCustomers() {
    return this.rows()
      .groupBy('joinedAt', { bucket: 'quarter' })
      .measure('count')
      .orderBy('group', 'asc');
  }

  topCountries() {
    return this.rows()
      .groupBy('country')
      .measure('sum', 'lifetimeValue')
      .orderBy('measure', 'desc')
      .limit(10);
  }

  readers() {
    return this.rows()
      .where('newsletter', 'eq', true)
      .count();
  }
}
