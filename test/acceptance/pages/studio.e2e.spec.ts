/** The query studio in a browser: the work of a new user, concurrent changes by others, and what both see. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { eventually } from '@platform/testing';
import { describeInBrowser } from '../../support/browser';
import { startPageService } from './page-service';
import { studioSuite } from './studio-suite';
import { takeScreenshot, takeScreenshots } from '../../support/screenshots';

const pageFile = 'pages/shop/orders/page.ts';
const modelFile = 'resources/orders/model.ts';

describeInBrowser('The query studio', () => {
  const studio = studioSuite(() => startPageService({ rows: 4_000 }));
  const { signIn, openPage, open, read, edit, violations } = studio;
  const answered = () => studio.page.getByRole('tabpanel').waitFor();
  const shoot = (name: string): Promise<void> => takeScreenshot(studio.page, `studio-${name}`);

  it('loads less than 150 kB of script at first, under a policy without anything inline', async () => {
    // By address: the page is opened once more to sign in, and its scripts are answered again.
    const scripts = new Set<string>();
    studio.page.on('response', (response) => {
      if (/\.js$/.test(response.url())) scripts.add(response.url());
    });
    const answer = await studio.page.goto(`${studio.service.url}/dms/studio`);
    expect(answer!.headers()['content-security-policy']).not.toMatch(/unsafe|\*|data:/);
    expect(await violations()).toEqual([]);
    await signIn();
    await studio.page.getByRole('heading', { name: 'Queries' }).waitFor();
    expect(await violations()).toEqual([]);
    const bodies = await Promise.all([...scripts].map(async (url) => (await studio.page.request.get(url)).body()));
    const bytes = bodies.reduce((total, { length }) => total + length, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(150_000);
  });

  it('makes a first chart on a new page, sees it before it is written, and saves the source that was shown', async () => {
    await signIn();
    await studio.page.getByRole('button', { name: '+ Page' }).click();
    await studio.page.getByLabel('Address').fill('/shop/returns');
    await studio.page.getByLabel('Title').fill('Returns');
    await studio.page.getByLabel('Permission').fill('shop.orders.read');
    await studio.page.getByRole('button', { name: 'Make the page' }).click();
    await studio.page.getByLabel(/^Name/).fill('revenueByMonth');
    await studio.page.getByLabel(/^Rows of/).selectOption('orders');
    await studio.page.getByLabel(/^Template/).selectOption('series');
    await studio.page
      .getByLabel(/^Measure/)
      .first()
      .selectOption('sum');
    await studio.page.getByLabel('Measured field').selectOption('total');
    await studio.page.getByLabel(/^Grouped by/).selectOption('createdAt');
    await studio.page.getByText('is required to group by a date').first().waitFor();
    await studio.page.getByRole('button', { name: 'Add to the page', disabled: true }).waitFor();
    await studio.page.getByLabel('Period', { exact: true }).selectOption('month');
    await studio.page.locator('.uplot').waitFor();
    expect(await violations()).toEqual([]);
    await studio.page.getByRole('button', { name: 'What saving writes' }).click();
    await studio.page
      .getByRole('region', { name: 'pages/shop/returns/page.ts' })
      .getByText('revenueByMonth')
      .first()
      .waitFor();
    await takeScreenshots(studio.page, 'studio-diff');
    expect(await violations()).toEqual([]);
    await studio.page.getByRole('button', { name: 'Add to the page' }).click();
    await studio.page.waitForURL(/#\/query\/shop\/returns@revenueByMonth/);
    await studio.page.getByText('Added: it answers at /dms/pages/shop/returns/stats/revenue-by-month.').waitFor();
    const shown = studio.page.getByRole('link', { name: /^Open the page/ }).first();
    expect(await shown.getAttribute('href')).toBe('/dms/pages/shop/returns');
    await open('revenueByMonth');
    expect(read('pages/shop/returns/page.ts')).toContain("@Get('/stats/revenue-by-month')");
    expect(read(modelFile)).toContain(".measure('sum', 'total')");
  });

  it('shows a filter in the preview at once, and reads every way of an answer', async () => {
    await signIn();
    await open('monthlyRevenue');
    await answered();
    await studio.page.locator('.uplot').waitFor();
    await shoot('light');
    expect(await violations()).toEqual([]);
    const value = studio.page.getByRole('group', { name: 'Filter 1' }).getByLabel('Value', { exact: true });
    // A change of the project that is announced late asks for the preview without the filter once more.
    const asked = studio.page.waitForResponse(
      (answer) => answer.ok() && /PreviewQuery .*"pending"/.test(`${answer.url()} ${answer.request().postData()}`),
    );
    await value.selectOption('pending');
    expect((await asked).request().postDataJSON()).toMatchObject({
      query: { params: { where: [{ field: 'status', value: 'pending' }, {}, {}] } },
    });
    for (const tab of ['Table', 'JSON', 'Pipeline', 'Request', 'On the page']) {
      await studio.page.getByRole('tab', { name: tab }).click();
      expect(await violations()).toEqual([]);
    }
    expect(await studio.page.getByLabel('Block', { exact: true }).textContent()).toContain(
      "fetchUrl: '/dms/pages/shop/orders/stats/monthly-revenue'",
    );
    await studio.page.getByRole('tab', { name: 'Table' }).click();
    const download = studio.page.waitForEvent('download');
    await studio.page.getByRole('button', { name: 'Download CSV' }).click();
    expect(readFileSync(await (await download).path(), 'utf8')).toMatch(/^\ufeffgroup,value\r\n/);
    await studio.page.getByRole('tab', { name: 'Pipeline' }).click();
    // A busy database does not count them in time, and the studio says so.
    await studio.page.getByText(/^[\d,]+ documents$|^More than the database counts in a second/).waitFor();
    await studio.page.getByRole('tab', { name: 'Request' }).click();
    expect(await studio.page.getByLabel('Command line').textContent()).toMatch(
      /^curl -H "Authorization: Bearer \$TOKEN"/,
    );
    await studio.page.emulateMedia({ colorScheme: 'dark' });
    await studio.page.getByRole('tab', { name: 'Chart' }).click();
    await studio.page.locator('.uplot').waitFor();
    expect(await violations()).toEqual([]);
    await shoot('dark');
    await studio.page.setViewportSize({ width: 390, height: 844 });
    await studio.page.waitForFunction(
      () =>
        (globalThis as unknown as { document: { documentElement: { scrollWidth: number } } }).document.documentElement
          .scrollWidth <= 390,
    );
    expect(await violations()).toEqual([]);
    await shoot('phone');
  });

  it('is worked with keys alone: search, open, differences, a new query, saving', async () => {
    await signIn();
    const { keyboard } = studio.page;
    const focused = () => studio.page.locator(':focus');
    await keyboard.press('/');
    await keyboard.type('averageOrd');
    // The arrow keys move over the results of the search, so it must have one result.
    const links = studio.page.getByRole('navigation', { name: 'Pages and queries' }).locator('li a');
    await eventually(async () => (await links.count()) === 1, { describe: 'the one query that was searched for' });
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await studio.page.getByRole('heading', { name: 'averageOrder', level: 1 }).waitFor();
    await answered();
    await keyboard.press('d');
    await studio.page.getByText('there is nothing to save').waitFor();
    await keyboard.press('d');
    await keyboard.press('n');
    await studio.page.getByRole('heading', { name: 'New query', level: 1 }).waitFor();
    await keyboard.press('Control+s');
    await studio.page.getByText('Not written: see what is missing below.').waitFor();
    await studio.page
      .getByText(/^Name /)
      .last()
      .waitFor();
    await studio.page.getByLabel(/^Name/).focus();
    await keyboard.type('typed');
    await keyboard.press('Tab');
    expect(await focused().getAttribute('id')).toBe('resource');
    await keyboard.type('orders');
    await answered();
    await keyboard.press('Control+s');
    await studio.page.getByText(/^Added: it answers at/).waitFor();
    expect(read(pageFile)).toContain("@Get('/stats/typed')");
    expect(await violations()).toEqual([]);
  });

  it('shows hostile texts as text, and the refusal at the field', async () => {
    await signIn();
    await studio.page.getByRole('link', { name: 'New query of /shop/orders' }).click();
    await studio.page.getByLabel(/^Rows of/).selectOption('orders');
    await studio.page.getByLabel(/^Name/).fill('<img src=x onerror=alert(1)>');
    await studio.page.getByText('must be a camelCase identifier').first().waitFor();
    await studio.page.getByLabel('Endpoint').fill('/../../etc');
    await studio.page.locator('#endpoint-issues').waitFor();
    await studio.page.getByRole('button', { name: '+ Filter' }).click();
    await studio.page.getByRole('group', { name: 'Filter 1' }).getByLabel('Value from').selectOption('query');
    await studio.page.getByLabel('Parameter name').fill('constructor');
    await studio.page.locator('[data-pointer^="/params/where/0"]').waitFor();
    await studio.page.getByRole('button', { name: 'Add to the page', disabled: true }).waitFor();
    expect(await violations()).toEqual([]);
  });

  it('follows an edit in an editor within a second, and adopts a query that was edited by hand', async () => {
    await signIn();
    await open('openOrders');
    await studio.page.getByRole('heading', { name: 'openOrders', level: 1 }).waitFor();
    const before = read(modelFile);
    edit(modelFile, (text) =>
      text.replace("'pending')\n      .count()", "'pending')\n      .hint('fast')\n      .count()"),
    );
    await studio.page.getByText('Written by hand, and served as it is.').waitFor();
    await studio.page.getByRole('button', { name: 'Write this change' }).waitFor();
    await studio.page.getByRole('region', { name: modelFile }).getByText('hint').first().waitFor();
    expect(await violations()).toEqual([]);
    await takeScreenshots(studio.page, 'studio-opaque');
    await studio.page.getByRole('button', { name: 'Write this change' }).click();
    await studio.page.getByLabel('Endpoint').waitFor();
    expect(read(modelFile)).toBe(before);
  });

  it('shows both changes of two authors, and never overwrites', async () => {
    await signIn();
    await open('averageOrder');
    await studio.page.getByLabel('Endpoint').fill('/stats/mean-order');
    const other = await openPage();
    await signIn(other, 'other');
    await open('averageOrder', other);
    await other.getByLabel('Shape').selectOption('value');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByText(/^Saved:/).waitFor();
    await studio.page.getByRole('heading', { name: 'This query was changed meanwhile' }).waitFor();
    const standing = read(pageFile);
    expect(await studio.page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    expect(await violations()).toEqual([]);
    await takeScreenshots(studio.page, 'studio-conflict');
    await studio.page.getByRole('button', { name: 'Put my changes on it' }).click();
    expect(read(pageFile)).toBe(standing);
    await studio.page.getByRole('button', { name: 'Save', exact: true }).click();
    await studio.page.getByText(/^Saved:/).waitFor();
    expect(read(pageFile)).toContain("@Get('/stats/mean-order')");
    expect(read(pageFile)).toContain("response: 'value'");
    await studio.page.getByRole('button', { name: 'Undo last save' }).click();
    await studio.page.getByText(/^Taken back/).waitFor();
    expect(read(pageFile)).toBe(standing);
    await other.context().close();
  });

  it('keeps a draft from readers until it is published, and takes it back', async () => {
    await signIn();
    await studio.page.getByRole('link', { name: 'New query of /shop/products' }).click();
    await studio.page.getByLabel(/^Name/).fill('allProducts');
    await studio.page.getByLabel(/^Rows of/).selectOption('products');
    const before = read('pages/shop/products/page.ts');
    await studio.page.getByRole('button', { name: 'Keep as draft' }).click();
    await studio.page.waitForURL(/#\/draft\//);
    expect(read('pages/shop/products/page.ts')).toBe(before);
    await studio.page.getByRole('button', { name: 'Publish' }).waitFor();
    await answered();
    await takeScreenshots(studio.page, 'studio-draft');
    const link = studio.page.url();
    const other = await openPage();
    await signIn(other, 'other');
    await other.goto(link);
    await other.getByRole('heading', { name: 'allProducts', level: 1 }).waitFor();
    await other.locator('.headline').waitFor();
    await other.context().close();
    await studio.page.getByRole('button', { name: 'Publish' }).click();
    await studio.page.waitForURL(/#\/query\/shop\/products@allProducts/);
    expect(read('pages/shop/products/page.ts')).toContain('allProducts');
    await studio.page.getByRole('button', { name: 'Unpublish' }).click();
    await studio.page.waitForURL(/#\/draft\//);
    expect(read('pages/shop/products/page.ts')).toBe(before);
    await studio.page.getByRole('button', { name: 'Discard' }).click();
    await studio.page.getByRole('button', { name: 'Really remove?' }).click();
    await studio.page.waitForURL(/#\/$/);
  });

  it('says of a page that does not compile what is wrong and where, and shows the rest', async () => {
    await signIn();
    const before = read('pages/shop/customers/page.ts');
    edit('pages/shop/customers/page.ts', (text) => `${text}\nexport const = 1;\n`);
    const trouble = studio.page.getByText(/Not loaded: pages\/shop\/customers\/page\.ts:\d+/);
    await trouble.first().waitFor();
    expect(await trouble.count()).toBe(2);
    expect(await violations()).toEqual([]);
    expect(await studio.page.getByRole('link', { name: /^monthlyRevenue/ }).isVisible()).toBe(true);
    edit('pages/shop/customers/page.ts', () => before);
    await studio.page
      .getByText(/Not loaded/)
      .first()
      .waitFor({ state: 'detached' });
  });

  it('comes back by itself when the service served again', async () => {
    await signIn();
    await studio.page.getByText('Live', { exact: true }).waitFor();
    studio.service.killWorkers();
    await studio.page.getByText('Live', { exact: true }).waitFor({ state: 'detached' });
    await studio.page.getByText('Live', { exact: true }).waitFor();
    await open('monthlyRevenue');
    await studio.page.locator('.uplot').waitFor();
  });

  it('reads the history of a query from the git of its project', async () => {
    const git = (...args: string[]) =>
      promisify(execFile)('git', [
        '-C',
        studio.service.projectDir,
        '-c',
        'user.name=Kim',
        '-c',
        'user.email=kim@example.com',
        ...args,
      ]);
    await git('init', '-q');
    await git('add', '-A');
    await git('commit', '-qm', 'The shop as it began');
    await signIn();
    await open('dailyOrders');
    await studio.page.getByRole('button', { name: 'History' }).click();
    await studio.page.getByText('The shop as it began').waitFor();
    expect(await violations()).toEqual([]);
  });
});
