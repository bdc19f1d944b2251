/** The query studio in a browser: what a new user does with it, what others do meanwhile, and what both see. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, launchBrowser } from '../../support/browser';
import { startPageService, type PageService } from './page-service';
import { takeScreenshot } from '../../support/screenshots';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const pageFile = 'pages/shop/orders/page.ts';
const modelFile = 'resources/orders/model.ts';

describeInBrowser('The query studio', () => {
  let service: PageService;
  let browser: Browser;
  let page: Page;
  let broken: string[];

  beforeAll(async () => {
    service = await startPageService({ rows: 4_000 });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    broken = [];
    page = await openPage();
  });
  afterEach(async () => {
    await page.context().close();
    expect(broken).toEqual([]);
  });

  const openPage = async (): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1_440, height: 960 }, colorScheme: 'light' });
    const opened = await context.newPage();
    opened.setDefaultTimeout(30_000);
    opened.on('pageerror', (error) => broken.push(error.message));
    opened.on('console', (message) => {
      const expected =
        /status of (400|401|403|404|409|422|503|504)|ERR_(INCOMPLETE_CHUNKED|CONNECTION|EMPTY_RESPONSE|NETWORK_CHANGED)/.test(
          message.text(),
        );
      if (message.type() === 'error' && !expected) broken.push(message.text());
    });
    return opened;
  };
  const signIn = async (on = page, subject = 'owner'): Promise<void> => {
    const token = await service.token({ role: 'platform_owner', subject, email: `${subject}@example.com` });
    await on.goto(`${service.url}/dms/studio`);
    await on.getByLabel('Token of a platform owner').fill(token);
    await on.getByRole('button', { name: 'Sign in' }).click();
    await on.getByRole('navigation', { name: 'Pages and queries' }).getByText('/shop/orders').first().waitFor();
  };
  const read = (path: string): string => readFileSync(join(service.projectDir, path), 'utf8');
  const edit = (path: string, change: (text: string) => string): void =>
    writeFileSync(join(service.projectDir, path), change(read(path)));
  const open = (name: string, on = page): Promise<void> =>
    on.getByRole('link', { name: new RegExp(`^${name}`) }).click();
  const answered = (on = page) => on.getByRole('tabpanel').waitFor();
  const shoot = (name: string): Promise<void> => takeScreenshot(page, `studio-${name}`);
  const violations = async (): Promise<string[]> => {
    await page.evaluate(axe);
    return page.evaluate(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(' ')))`,
    );
  };

  it('loads less than 150 kB of script at first, under a policy without anything inline', async () => {
    let bytes = 0;
    page.on('response', async (response) => {
      if (/\.js$/.test(response.url())) bytes += (await response.body().catch(() => Buffer.alloc(0))).length;
    });
    const answer = await page.goto(`${service.url}/dms/studio`);
    expect(answer!.headers()['content-security-policy']).not.toMatch(/unsafe|\*|data:/);
    expect(await violations()).toEqual([]);
    await signIn();
    await page.getByRole('heading', { name: 'Queries' }).waitFor();
    expect(await violations()).toEqual([]);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(150_000);
  });

  it('makes a first chart on a new page, sees it before it is written, and saves the source that was shown', async () => {
    await signIn();
    await page.getByRole('button', { name: '+ Page' }).click();
    await page.getByLabel('Address').fill('/shop/returns');
    await page.getByLabel('Title').fill('Returns');
    await page.getByLabel('Permission').fill('shop.orders.read');
    await page.getByRole('button', { name: 'Make the page' }).click();
    await page.getByLabel(/^Name/).fill('revenueByMonth');
    await page.getByLabel(/^Rows of/).selectOption('orders');
    await page.getByLabel(/^Template/).selectOption('series');
    await page
      .getByLabel(/^Measure/)
      .first()
      .selectOption('sum');
    await page.getByLabel('Measured field').selectOption('total');
    await page.getByLabel(/^Grouped by/).selectOption('createdAt');
    await page.getByText('is required to group by a date').first().waitFor();
    expect(await page.getByRole('button', { name: 'Add to the page' }).isDisabled()).toBe(true);
    await page.getByLabel('Period', { exact: true }).selectOption('month');
    await page.locator('.uplot').waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'What saving writes' }).click();
    await page
      .getByRole('region', { name: 'pages/shop/returns/page.ts' })
      .getByText('revenueByMonth')
      .first()
      .waitFor();
    await shoot('diff');
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Add to the page' }).click();
    await page.waitForURL(/#\/query\/shop\/returns@revenueByMonth/);
    await open('revenueByMonth');
    expect(read('pages/shop/returns/page.ts')).toContain("@Get('/stats/revenue-by-month')");
    expect(read(modelFile)).toContain(".measure('sum', 'total')");
  });

  it('shows a filter in the preview at once, and reads every way of an answer', async () => {
    await signIn();
    await open('monthlyRevenue');
    await answered();
    await page.locator('.uplot').waitFor();
    await shoot('light');
    expect(await violations()).toEqual([]);
    const value = page.getByRole('group', { name: 'Filter 1' }).getByLabel('Value', { exact: true });
    const asked = page.waitForResponse((response) => response.url().endsWith('/PreviewQuery') && response.ok());
    await value.selectOption('pending');
    expect((await asked).request().postDataJSON()).toMatchObject({
      query: { params: { where: [{ field: 'status', value: 'pending' }, {}, {}] } },
    });
    for (const tab of ['Table', 'JSON', 'Pipeline', 'Request']) {
      await page.getByRole('tab', { name: tab }).click();
      expect(await violations()).toEqual([]);
    }
    expect(await page.getByLabel('Command line').textContent()).toMatch(/^curl -H "Authorization: Bearer \$TOKEN"/);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.locator('.uplot').waitFor();
    expect(await violations()).toEqual([]);
    await shoot('dark');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForFunction(
      () =>
        (globalThis as unknown as { document: { documentElement: { scrollWidth: number } } }).document.documentElement
          .scrollWidth <= 390,
    );
    expect(await violations()).toEqual([]);
    await shoot('phone');
  });

  it('shows hostile texts as text, and the refusal at the field', async () => {
    await signIn();
    await page.getByRole('link', { name: 'New query of /shop/orders' }).click();
    await page.getByLabel(/^Rows of/).selectOption('orders');
    await page.getByLabel(/^Name/).fill('<img src=x onerror=alert(1)>');
    await page.getByText('must be a camelCase identifier').first().waitFor();
    await page.getByLabel('Endpoint').fill('/../../etc');
    await page.locator('#endpoint-issues').waitFor();
    await page.getByRole('button', { name: '+ Filter' }).click();
    await page.getByRole('group', { name: 'Filter 1' }).getByLabel('Value from').selectOption('query');
    await page.getByLabel('Parameter name').fill('constructor');
    await page.locator('[data-pointer^="/params/where/0"]').waitFor();
    expect(await page.getByRole('button', { name: 'Add to the page' }).isDisabled()).toBe(true);
    expect(await violations()).toEqual([]);
  });

  it('follows an edit in an editor within a second, and adopts a query that was edited by hand', async () => {
    await signIn();
    await open('openOrders');
    await page.getByRole('heading', { name: 'openOrders', level: 1 }).waitFor();
    const before = read(modelFile);
    edit(modelFile, (text) =>
      text.replace("'pending')\n      .count()", "'pending')\n      .hint('fast')\n      .count()"),
    );
    await page.getByText('Written by hand, and served as it is.').waitFor();
    await page.getByRole('button', { name: 'Write this change' }).waitFor();
    await page.getByRole('region', { name: modelFile }).getByText('hint').first().waitFor();
    expect(await violations()).toEqual([]);
    await shoot('opaque');
    await page.getByRole('button', { name: 'Write this change' }).click();
    await page.getByLabel('Endpoint').waitFor();
    expect(read(modelFile)).toBe(before);
  });

  it('shows both changes of two authors, and never overwrites', async () => {
    await signIn();
    await open('averageOrder');
    await page.getByLabel('Endpoint').fill('/stats/mean-order');
    const other = await openPage();
    await signIn(other, 'other');
    await open('averageOrder', other);
    await other.getByLabel('Shape').selectOption('value');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByText(/^Saved:/).waitFor();
    await page.getByRole('heading', { name: 'This query was changed meanwhile' }).waitFor();
    const standing = read(pageFile);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    expect(await violations()).toEqual([]);
    await shoot('conflict');
    await page.getByRole('button', { name: 'Put my changes on it' }).click();
    expect(read(pageFile)).toBe(standing);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/^Saved:/).waitFor();
    expect(read(pageFile)).toContain("@Get('/stats/mean-order')");
    expect(read(pageFile)).toContain("response: 'value'");
    await page.getByRole('button', { name: 'Undo last save' }).click();
    await page.getByText(/^Taken back/).waitFor();
    expect(read(pageFile)).toBe(standing);
    await other.context().close();
  });

  it('keeps a draft from readers until it is published, and takes it back', async () => {
    await signIn();
    await page.getByRole('link', { name: 'New query of /shop/products' }).click();
    await page.getByLabel(/^Name/).fill('allProducts');
    await page.getByLabel(/^Rows of/).selectOption('products');
    const before = read('pages/shop/products/page.ts');
    await page.getByRole('button', { name: 'Keep as draft' }).click();
    await page.waitForURL(/#\/draft\//);
    expect(read('pages/shop/products/page.ts')).toBe(before);
    await page.getByRole('button', { name: 'Publish' }).waitFor();
    await answered();
    await shoot('draft');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL(/#\/query\/shop\/products@allProducts/);
    expect(read('pages/shop/products/page.ts')).toContain('allProducts');
    await page.getByRole('button', { name: 'Unpublish' }).click();
    await page.waitForURL(/#\/draft\//);
    expect(read('pages/shop/products/page.ts')).toBe(before);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Really remove?' }).click();
    await page.waitForURL(/#\/$/);
  });

  it('says of a page that does not compile what is wrong and where, and shows the rest', async () => {
    await signIn();
    const before = read('pages/shop/customers/page.ts');
    edit('pages/shop/customers/page.ts', (text) => `${text}\nexport const = 1;\n`);
    await page.getByText(/Not loaded: pages\/shop\/customers\/page\.ts:\d+/).waitFor();
    expect(await page.getByRole('link', { name: /^monthlyRevenue/ }).isVisible()).toBe(true);
    edit('pages/shop/customers/page.ts', () => before);
    await page.getByText(/Not loaded/).waitFor({ state: 'detached' });
  });

  it('comes back by itself when the service served again', async () => {
    await signIn();
    await page.getByText('Live', { exact: true }).waitFor();
    service.killWorkers();
    await page.getByText('Live', { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('Live', { exact: true }).waitFor();
    await open('monthlyRevenue');
    await page.locator('.uplot').waitFor();
  });

  it('reads the history of a query from the git of its project', async () => {
    const git = (...args: string[]) =>
      promisify(execFile)('git', [
        '-C',
        service.projectDir,
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
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByText('The shop as it began').waitFor();
    expect(await violations()).toEqual([]);
  });
});
