import { Get, Model, Page, PagePermission, type PageUser } from '@platform/page-runtime';
import { ProductsModel } from '../../../resources/products/model';

@Page({
  title: 'Products',
  permission: 'shop.products.read',
  blocks: [
    { kind: 'bar-chart', title: 'Stock by category', fetchUrl: '/dms/pages/shop/products/stats/stock-by-category' },
    { kind: 'kpi-card', title: 'Average margin', fetchUrl: '/dms/pages/shop/products/stats/average-margin' },
  ],
})
export class ProductsPage {
  @Get('/stats/stock-by-category')
  async stockByCategory(
    @PagePermission(ProductsPage) _user: PageUser,
    @Model(ProductsModel) model: ProductsModel,
  ) {
    return { series: await model.stockByCategory() };
  }

  @Get('/stats/average-margin')
  async averageMargin(
    @PagePermission(ProductsPage) _user: PageUser,
    @Model(ProductsModel) model: ProductsModel,
  ) {
    return { value: await model.averageMargin() };
  }
}
