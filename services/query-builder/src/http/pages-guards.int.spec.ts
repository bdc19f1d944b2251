/** A route may have another guard than its page: the page for people shows its figures only to those who may call it. */
import { servePages, writeProject, type TestPages } from '../host/testing/serve-pages';
import { testProject } from '../host/testing/project';

const finance = `import { Page } from '@platform/page-runtime';
@Page({ title: 'Finance', permission: 'finance.read' })
export class FinancePage {}
`;
const mixed = `import { Get, Model, Page, PagePermission, type PageUser } from '@platform/page-runtime';
import { OrdersModel } from '../../resources/orders/model';
import { FinancePage } from '../finance/page';
@Page({ title: 'Mixed', permission: 'shop.read', blocks: [{ kind: 'ranked-list', title: 'Secret notes', rows: ['note'], fetchUrl: '/dms/pages/mixed/stats/notes' }] })
export class MixedPage {
  @Get('/stats/notes')
  async notes(@PagePermission(FinancePage) _user: PageUser, @Model(OrdersModel) model: OrdersModel) {
    return { series: await model.notes() };
  }
}
`;

describe('a route with the guard of another page', () => {
  let pages: TestPages;
  beforeAll(async () => {
    pages = await servePages(
      writeProject({ ...testProject, 'pages/finance/page.ts': finance, 'pages/mixed/page.ts': mixed }),
    );
    await pages.insert('orders', [{ _id: '1', note: 'an offer', total: 7, tenantId: 't1', status: 'paid' }]);
  });
  afterAll(() => pages.close());

  it.each(['/stats/notes', '?csv=notes', '?rows=notes', '?rows=notes&as=csv'])(
    'is refused at %s without its permission, and answered with it',
    async (address) => {
      pages.commands();
      expect(await pages.get(`/dms/pages/mixed${address}`)).toMatchObject({ status: 403 });
      expect(pages.commands()).toEqual([]);
      const caller = { permissions: ['shop.read', 'finance.read'] };
      const answer = await pages.get(`/dms/pages/mixed${address}`, { caller });
      expect([answer.status, answer.text.includes('an offer')]).toEqual([200, true]);
    },
  );

  it('is no part of the page for people without its permission', async () => {
    pages.commands();
    const answer = await pages.get('/dms/pages/mixed');
    expect([answer.status, answer.text.includes('an offer')]).toEqual([200, false]);
    expect(pages.commands()).toEqual([]);
  });
});
