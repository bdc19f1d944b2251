/** Series whose own conditions fix their days, beside the period of the page or instead of it. */
import { testProject } from '../testing/project';
import { servePages, writeProject, type TestPages } from '../testing/serve-pages';

const method = (name: string, parameters: string, conditions: string): string =>
  `  ${name}(${parameters}) { return this.rows()${conditions}.groupBy('createdAt', { bucket: 'month', timezone: 'Europe/Paris' }).measure('sum', 'total').orderBy('group', 'asc'); }\n`;
const route = (name: string, ...values: string[]): string =>
  `  @Get('/stats/${name}')\n  async ${name}(@PagePermission(OrdersPage) _user: PageUser, @Model(OrdersModel) model: OrdersModel${values
    .map((value) => `, @Query('${value}') ${value}: string`)
    .join('')}) { return { series: await model.${name}(${values.map((value) => `asDate(${value})`).join(', ')}) }; }\n`;
const spring = ".where('createdAt', 'ge', asDate('2026-02-15')).where('createdAt', 'lt', asDate('2026-06-01'))";
const daily = (text: string): string => text.replace("bucket: 'month'", "bucket: 'day'");
const methods = [
  daily(method('modern', '', ".where('createdAt', 'ge', asDate('2000-01-01'))")),
  method('fixed', '', spring),
  method('within', 'from: Date, to: Date', `.where('createdAt', 'ge', from).where('createdAt', 'lt', to)${spring}`),
  method(
    'since',
    'from: Date',
    `.where('createdAt', 'ge', from).where('createdAt', 'lt', asDate('2026-04-15T12:00:00Z'))`,
  ),
];
const routes = [route('modern'), route('fixed'), route('within', 'from', 'to'), route('since', 'from')];

const added = (path: string, before: string, text: string): Record<string, string> => ({
  [path]: testProject[path]!.replace(before, `${text}${before}`),
});
const model = added('resources/orders/model.ts', '  notes() {', methods.join(''));
const project = {
  ...testProject,
  'resources/orders/model.ts': model['resources/orders/model.ts']!.replace('{ TableModel }', '{ TableModel, asDate }'),
  ...added('pages/shop/orders/page.ts', "  @Get('/stats/notes')", routes.join('\n')),
};

describe('a series with days of its own', () => {
  let pages: TestPages;
  beforeAll(async () => {
    pages = await servePages(writeProject(project));
    await pages.insert(
      'orders',
      ['2026-01-10', '2026-03-10', '2026-04-10', '2026-06-10'].map((day, at) => ({
        tenantId: 't1',
        total: at + 1,
        createdAt: new Date(`${day}T12:00:00Z`),
      })),
    );
  });
  afterAll(() => pages.close());

  const address = '/dms/pages/shop/orders?from=2026-01-01&to=2026-05-10';
  const file = async (name: string): Promise<string[]> =>
    (await pages.get(`${address}&csv=${name}`)).text.trim().split('\r\n').slice(1);

  it('has the axis of these days where the page gives none, and marks the months that they cut', async () => {
    expect(await file('fixed')).toEqual(['2026-02,0,yes', '2026-03,2,', '2026-04,3,', '2026-05,0,']);
  });

  it('has the axis of the days that its conditions and the period of the page share', async () => {
    expect(await file('within')).toEqual(['2026-02,0,yes', '2026-03,2,', '2026-04,3,', '2026-05,0,yes']);
  });

  it('ends with its own last day, and has no zero for the months after it', async () => {
    expect(await file('since')).toEqual(['2026-01,1,', '2026-02,0,', '2026-03,2,', '2026-04,3,yes']);
  });

  it('keeps the days without rows between its points where all of its days are too many to draw', async () => {
    const days = await file('modern');
    expect([days.length, days[0], days[1], days.at(-1)]).toEqual([
      152,
      '2026-01-10,1,',
      '2026-01-11,0,',
      '2026-06-10,4,',
    ]);
  });

  it('has no month where the period of the page begins after its days', async () => {
    const late = '/dms/pages/shop/orders?from=2026-08-01&to=2026-09-30';
    expect((await pages.get(`${late}&csv=within`)).text.trim().split('\r\n')).toHaveLength(1);
    expect((await pages.get(late)).status).toBe(200);
  });

  it('is called neither of all time nor without a last day', async () => {
    const { text } = await pages.get(address);
    const cardOf = (name: string): string =>
      text.split('<section').find((card) => card.includes(`<bdi>${name}<`)) ?? '';
    expect(cardOf('Fixed')).toContain('the period above does not apply');
    expect(cardOf('Fixed')).not.toContain('of all time');
    expect(cardOf('Since')).toContain('by month');
    expect(cardOf('Since')).not.toContain('without a last day');
    expect(cardOf('Notes')).toContain('of all time');
  });
});
