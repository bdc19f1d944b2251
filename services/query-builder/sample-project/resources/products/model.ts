import { TableModel } from '@platform/page-runtime';
import { products } from './resource';

export class ProductsModel extends TableModel<typeof products> {
  readonly resource = products;

  stockByCategory() {
    return this.rows()
      .where('active', 'eq', true)
      .groupBy('category')
      .measure('sum', 'stock')
      .orderBy('group', 'asc');
  }

  averageMargin() {
    return this.rows().aggregate('avg', 'margin');
  }
}
