/** A series by day of more points than an answer holds, in the order of its figures. */
import { testProject } from '../testing/project';
import { servePages, writeProject, type TestPages } from '../testing/serve-pages';

const days = 1_010;
/** Days in the midst of the others, whose points the answer leaves out. */
const isLow = (at: number): boolean => at >= 500 && at < 510;
const replaced = (path: string, text: string, by: string): Record<string, string> => ({
  [path]: testProject[path]!.replace(text, by),
});
const project = {
  ...testProject,
  ...replaced(
    'resources/orders/model.ts',
    '  notes() {',
    "  best() { return this.rows().groupBy('createdAt', { bucket: 'day' }).measure('sum', 'total').orderBy('measure', 'desc'); }\n  notes() {",
  ),
  ...replaced(
    'pages/shop/orders/page.ts',
    "  @Get('/stats/notes')",
    "  @Get('/stats/best')\n  async best(@PagePermission(OrdersPage) _user: PageUser, @Model(OrdersModel) model: OrdersModel) { return { series: await model.best() }; }\n\n  @Get('/stats/notes')",
  ),
};

describe('the best days, of which some are cut', () => {
  let pages: TestPages;
  beforeAll(async () => {
    pages = await servePages(writeProject(project));
    await pages.insert(
      'orders',
      Array.from({ length: days }, (_unused, at) => ({
        tenantId: 't1',
        total: isLow(at) ? 5 : 100 + at,
        createdAt: new Date(Date.UTC(2020, 0, 1 + at)),
      })),
    );
  });
  afterAll(() => pages.close());

  it('are no days without rows in the file, whose name says which points it holds', async () => {
    const file = await pages.get('/dms/pages/shop/orders?csv=best');
    const lines = file.text.trim().split('\r\n').slice(1);
    expect(lines).toHaveLength(days);
    expect(lines.filter((_line, at) => isLow(at)).map((line) => line.split(',')[1])).toEqual(Array(10).fill(''));
    expect(file.headers['content-disposition']).toMatch(/best-.*-first\.csv/);
  });

  it('are not called the newest on the page', async () => {
    const page = await pages.get('/dms/pages/shop/orders');
    expect(page.text).toContain('The first 1,000 of 1,010 points are');
    expect(page.text).not.toContain('The newest');
  });
});
