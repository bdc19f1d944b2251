import { Get, Model, Page, PagePermission, type PageUser, Query, asDate } from '@platform/page-runtime';
import { VisitsModel } from '../../resources/visits/model';

@Page({
  title: 'Visits',
  permission: 'visits.read',
  blocks: [{ kind: 'line-chart', title: 'Visits by day', fetchUrl: '/dms/pages/visits/stats/by-day' }],
})
export class VisitsPage {
  @Get('/stats/by-day')
  async visitsByDay(
    @PagePermission(VisitsPage) _user: PageUser,
    @Model(VisitsModel) model: VisitsModel,
    @Query('from') from: string,
  ) {
    return { series: await model.visitsByDay(asDate(from)) };
  }
}
