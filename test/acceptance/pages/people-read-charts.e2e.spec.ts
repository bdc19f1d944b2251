import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { axeFindings } from '../../support/axe';
import { describeInBrowser, launchBrowser, waitMs } from '../../support/browser';
import { startPageService, type PageService } from './page-service';
import { takeScreenshot } from '../../support/screenshots';

const period = 'from=2025-06-01&to=2026-05-31';

describeInBrowser('A person with a browser', () => {
  let service: PageService;
  /** A service whose store may take only a millisecond. */
  let slow: PageService;
  /** A service that asks its store one question at a time. */
  let narrow: PageService;
  let browser: Browser;
  let page: Page;
  let broken: string[];

  beforeAll(async () => {
    service = await startPageService({ rows: 4_000 });
    slow = await startPageService({ beside: service, env: { QUERY_MAX_TIME_MS: '1' } });
    narrow = await startPageService({ beside: service, env: { QUERY_CONCURRENCY: '1' } });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await narrow?.stop();
    await slow?.stop();
    await service?.stop();
  });
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1_280, height: 900 }, colorScheme: 'light', bypassCSP: false });
    page.setDefaultTimeout(waitMs);
    broken = [];
    page.on('pageerror', (error) => broken.push(error.message));
    page.on(
      'console',
      (message) =>
        message.type() === 'error' && !/status of 40[13]/.test(message.text()) && broken.push(message.text()),
    );
  });
  afterEach(async () => {
    await page.close();
    expect(broken).toEqual([]);
  });

  const signIn = async (caller = {}): Promise<void> => {
    await page
      .context()
      .addCookies([{ name: 'page_session', value: await service.token(caller), url: `${service.url}/dms/pages` }]);
  };
  const open = async (path: string): Promise<number> => (await page.goto(`${service.url}/dms/pages${path}`))!.status();
  const drawn = () =>
    page.waitForFunction(
      () =>
        (globalThis as unknown as { document: { documentElement: { dataset: Record<string, string> } } }).document
          .documentElement.dataset['drawn'] !== undefined,
    );
  const shoot = (name: string): Promise<void> => takeScreenshot(page, name, { whole: true });
  /** Every finding of axe, at any level. */
  const violations = (): Promise<string[]> => axeFindings(page);

  it('is asked to sign in, and comes back to the page with a token', async () => {
    expect(await open(`/shop/orders?${period}`)).toBe(401);
    expect(await violations()).toEqual([]);
    await page.getByLabel('Access token').fill('nonsense');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('status').textContent()).toBe('The token was not accepted.');
    await page.getByLabel('Access token').fill(await service.token());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${service.url}/dms/pages/shop/orders`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Orders');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
  });

  it('may not open a page without its permission, and sees in the list those that are open', async () => {
    await signIn({ permissions: ['shop.products.read'] });
    expect(await open('/shop/orders')).toBe(403);
    expect(await open('')).toBe(200);
    expect(await page.getByRole('main').getByRole('link').allTextContents()).toEqual(['Products']);
  });

  it('reads cards, charts and ranked lists, in light and dark, without a violation of accessibility', async () => {
    await signIn();
    expect(await open(`/shop/orders?${period}`)).toBe(200);
    await drawn();
    expect(await page.locator('canvas').count()).toBe(2);
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'Revenue by month',
      'Orders by day',
      'Open orders',
      'Average order',
      'Best categories',
      'Orders of',
    ]);
    expect(await page.locator('.card-chart .headline').first().textContent()).toMatch(/^€[\d,.]+$/);
    expect(await page.locator('.delta').first().textContent()).toMatch(/[+−-][\d.]+%/);
    expect(await violations()).toEqual([]);
    await shoot('page');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations()).toEqual([]);
    await shoot('page-dark');
    await page.setViewportSize({ width: 390, height: 844 });
    await shoot('page-phone');
    // The charts adapt to the new width a moment later.
    await page.waitForFunction(
      () =>
        (globalThis as unknown as { document: { documentElement: { scrollWidth: number } } }).document.documentElement
          .scrollWidth <= 390,
    );
    await page.setViewportSize({ width: 1_280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await open(`/shop/customers?${period}`)).toBe(200);
    await drawn();
    expect(await violations()).toEqual([]);
  });

  it('loads a page again within moments, and gets the figures of now: its own questions are no load', async () => {
    await page
      .context()
      .addCookies([{ name: 'page_session', value: await narrow.token(), url: `${narrow.url}/dms/pages` }]);
    const address = `${narrow.url}/dms/pages/shop/orders?${period}`;
    expect((await page.goto(address))?.status()).toBe(200);
    const figures = () => page.locator('.headline').allTextContents();
    const before = await figures();
    expect(before.length).toBeGreaterThan(2);
    // The age of an answer is shown in whole seconds.
    await page.waitForFunction(() => performance.now() > 1_100);
    await page.reload();
    expect(await figures()).toEqual(before);
    expect(await page.getByText(/As of|Reload the page/).allTextContents()).toEqual([]);
  });

  it('chooses a period and a zone, and the figures follow', async () => {
    await signIn();
    await open(`/shop/orders?${period}`);
    const headline = () => page.locator('.card-chart .headline').first().textContent();
    const before = await headline();
    await page.getByLabel('From', { exact: true }).fill('2026-05-01');
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/zone=Asia%2FTokyo/);
    expect(await headline()).not.toBe(before);
    expect(await page.getByText('time zone Asia/Tokyo').count()).toBe(2);
    await page.getByRole('combobox', { name: 'Status' }).selectOption('shipped');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/value-status=shipped/);
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2026-05-01');
  });

  it('reads single points with the keyboard, and all of them in a table', async () => {
    await signIn();
    await open(`/shop/orders?${period}`);
    await drawn();
    const chart = page.locator('.chart').first();
    expect(await chart.getAttribute('aria-label')).toMatch(
      /^Revenue by month: 12 points, Jun 2025 to May 2026, from €[\d,.]+ to €[\d,.]+\./,
    );
    await chart.focus();
    await page.keyboard.press('End');
    expect(await page.locator('.readout').first().textContent()).toMatch(
      /^May 2026: €[\d,.]+, before \(May 2025\): €[\d,.]+$/,
    );
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('.readout').first().textContent()).toMatch(/^Apr 2026: /);
    await page.getByText('Show as table').first().click();
    expect(await page.getByRole('region', { name: 'Table of Revenue by month' }).getByRole('row').count()).toBe(13);
  });

  it('takes the figures of a card along, and keeps what was chosen from page to page', async () => {
    await signIn();
    await open(`/shop/orders?${period}&zone=Asia/Tokyo`);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV of Revenue by month' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/-2025-06-01-2026-05-31\.csv$/);
    const lines = readFileSync(await file.path(), 'utf8').split('\r\n');
    expect(lines[0]).toBe('\ufeffmonth,value (EUR),only a part,month before,value (EUR) before');
    expect(lines).toHaveLength(14);
    expect(lines[12]).toMatch(/^2026-05,\d+(\.\d+)?,,2025-05,/);
    await page.getByRole('link', { name: 'All pages' }).click();
    await page.getByRole('searchbox').fill('customers');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Customers' }).click();
    expect(new URL(page.url()).searchParams.get('zone')).toBe('Asia/Tokyo');
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2025-06-01');
  });

  it('breaks figures down by a second field, and goes from a point to its rows and back', async () => {
    await signIn();
    await open(`/shop/orders?${period}&zone=Asia/Tokyo`);
    await page.getByRole('navigation', { name: 'Break down Revenue by month' }).getByText('Channel').click();
    await page.waitForURL(/by-monthlyRevenue=channel/);
    await drawn();
    const card = page.getByRole('region', { name: 'Revenue by month' });
    expect(await card.locator('.parts li').allTextContents()).toEqual([' web', ' app', ' store', ' phone']);
    const chart = card.locator('.chart');
    await chart.focus();
    await page.keyboard.press('End');
    expect(await card.locator('.readout').textContent()).toMatch(/^May 2026: €[\d,.]+ · web €[\d,.]+ · app €/);
    await card.getByText('Show as table').click();
    expect(await violations()).toEqual([]);
    await page.evaluate('scrollTo(0, 0)');
    await shoot('page-breakdown');
    const web = card.getByRole('row').filter({ hasText: 'Mar 2026' }).getByRole('link').nth(1);
    const figure = await web.textContent();
    await web.click();
    await page.getByRole('heading', { name: 'Revenue by month · Mar 2026 · Channel: web' }).waitFor();
    const totals = await page.getByRole('row').locator('td:last-child').allTextContents();
    const sum = totals.reduce((all, text) => all + Number(text.replace(/[€,]/g, '')), 0);
    expect(sum).toBeCloseTo(Number(figure!.replace(/[€,]/g, '')), 2);
    expect(await violations()).toEqual([]);
    await shoot('page-rows');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    expect(
      readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\r\n'),
    ).toHaveLength(totals.length + 1);
    await page.getByRole('link', { name: 'Back to the page' }).click();
    await card.waitFor();
    expect(new URL(page.url()).searchParams.get('by-monthlyRevenue')).toBe('channel');
    expect(new URL(page.url()).searchParams.get('zone')).toBe('Asia/Tokyo');
    await drawn();
    await chart.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Revenue by month · Jun 2025' }).waitFor();
  });

  it('gets no file of a page that is closed to them, and none of a query that is not there', async () => {
    const file = async (caller: object, name: string) => {
      const headers = { authorization: `Bearer ${await service.token(caller)}` };
      return (await fetch(`${service.url}/dms/pages/shop/orders?csv=${name}`, { headers })).status;
    };
    expect(await file({}, 'monthlyRevenue')).toBe(200);
    expect(await file({ permissions: ['shop.products.read'] }, 'monthlyRevenue')).toBe(403);
    expect(await file({}, 'constructor')).toBe(404);
    expect((await fetch(`${service.url}/dms/pages/shop/orders?csv=monthlyRevenue`)).status).toBe(401);
  });

  it('is offered the zone of the browser first', async () => {
    await page.close();
    page = await browser.newPage({ timezoneId: 'Europe/Paris' });
    await signIn();
    await open(`/shop/orders?${period}`);
    await drawn();
    const zones = await page.getByLabel('Time zone').getByRole('option').allTextContents();
    expect(zones.slice(0, 2)).toEqual(['As each query says', 'Yours: Europe/Paris']);
    expect(zones.filter((zone) => zone.includes('Europe/Paris'))).toHaveLength(1);
  });

  it('see that there is nothing, and that the address makes no sense', async () => {
    await signIn();
    await open('/shop/orders?from=1990-01-01&to=1990-12-31');
    expect(await page.getByText('No rows in this period.').count()).toBeGreaterThan(0);
    expect(await violations()).toEqual([]);
    await open('/shop/orders?from=2026-02-30&to=2026-01-01&zone=Mars/Base');
    expect(await page.getByRole('status').textContent()).toMatch(
      /a date of the address does not exist.*time zone of the address is not known/,
    );
  });

  it('sees which query failed, beside those that did not', async () => {
    await page
      .context()
      .addCookies([{ name: 'page_session', value: await slow.token(), url: `${slow.url}/dms/pages` }]);
    await page.goto(`${slow.url}/dms/pages/shop/orders?${period}`);
    expect(await page.getByRole('alert').first().textContent()).toMatch(
      /No answer\. The database did not answer within 0\.001 s/,
    );
  });
});
