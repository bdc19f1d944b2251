/** The studio under faults: templates that are added at run time, slow queries, two tabs and an editor, a restart. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@platform/testing';
import type { Route } from 'playwright-core';
import { describeInBrowser } from '../../support/browser';
import { startPageService } from './page-service';
import { lateTemplates } from './late-templates';
import { studioSuite } from './studio-suite';

const pageFile = 'pages/shop/orders/page.ts';
const modelFile = 'resources/orders/model.ts';

describeInBrowser('The query studio', () => {
  const folder = mkdtempSync(join(tmpdir(), 'late-templates-'));
  const list = (...names: string[]): void => writeFileSync(join(folder, 'templates.json'), JSON.stringify(names));
  for (const [path, text] of Object.entries(lateTemplates)) {
    mkdirSync(join(folder, 'node_modules', path, '..'), { recursive: true });
    writeFileSync(join(folder, 'node_modules', path), text);
  }
  list();
  const env = { QUERY_TEMPLATES_FILE: join(folder, 'templates.json') };
  const studio = studioSuite(() => startPageService({ rows: 2_000, env }));
  const { signIn, openPage, open, read, edit, violations } = studio;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => list());

  const newQuery = async (resource: string): Promise<void> => {
    await signIn();
    await studio.page.getByRole('link', { name: 'New query of /shop/orders' }).click();
    await studio.page.getByLabel(/^Rows of/).selectOption(resource);
  };
  const template = () => studio.page.getByLabel(/^Template/);
  /** The list of templates is read with every change of the project, so the page is opened again. */
  const withTemplates = async (...names: string[]): Promise<void> => {
    list(...names);
    const token = await studio.service.token({ role: 'platform_owner' });
    for (;;) {
      const answer = await fetch(`${studio.service.url}/api/builder/ListQueryTemplates`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { data } = (await answer.json()) as { data: { id: string }[] };
      if (data.some(({ id }) => id === 'spread') === names.includes('late-templates')) return;
    }
  };

  it('has a form for a template that no code of it knows, and writes a query with it', async () => {
    await withTemplates('late-templates');
    await newQuery('orders');
    await template().selectOption('Spread');
    await studio.page.getByLabel(/^Name/).fill('countries');
    await studio.page.getByText('Different values of must be a field').first().waitFor();
    await studio.page.getByLabel(/^Different values of/).selectOption('country');
    expect(await studio.page.getByLabel('Depth').getAttribute('placeholder')).toBe('Default: 1');
    // A control of a kind that the studio does not know is a text field.
    await studio.page.getByLabel('Mood').fill('calm');
    await studio.page.getByRole('button', { name: '+ Filter' }).waitFor();
    await studio.page.locator('.headline').filter({ hasText: /^\d+$/ }).waitFor();
    expect(await violations()).toEqual([]);
    await studio.page.getByRole('button', { name: 'Add to the page' }).click();
    await studio.page.getByText(/^Added: it answers at/).waitFor();
    expect(read(modelFile)).toContain(".calculate(spread, { field: 'country', depth: 1, mood: 'calm' })");
    expect(await studio.page.getByLabel('Mood').inputValue()).toBe('calm');
  });

  it('lists no template whose schema is wrong, and works on', async () => {
    await withTemplates('late-templates', 'wrong-templates');
    await newQuery('orders');
    expect(await template().getByRole('option').allTextContents()).toContain('Spread');
    expect(await template().getByRole('option').allTextContents()).not.toContain('Wrong');
    await studio.page
      .locator('.headline')
      .filter({ hasText: /^[\d,]+$/ })
      .waitFor();
    await eventually(() => studio.service.log().includes('wrong-templates'), {
      describe: 'a line about the templates',
    });
  });

  it('lets go of a query that takes long when it is replaced or cancelled, and never shows its answer', async () => {
    await newQuery('orders');
    const value = studio.page.locator('.headline');
    await value.waitFor();
    const all = await value.textContent();
    const held: Route[] = [];
    await studio.page.route('**/api/builder/PreviewQuery', (route) =>
      JSON.stringify(route.request().postDataJSON()).includes('slow') ? void held.push(route) : route.continue(),
    );
    const ended = () =>
      studio.page.waitForEvent(
        'requestfailed',
        (request) => request.url().endsWith('/PreviewQuery') && (request.postData() ?? '').includes('slow'),
      );
    await studio.page.getByRole('button', { name: '+ Filter' }).click();
    const filter = studio.page.getByRole('group', { name: 'Filter 1' }).getByLabel('Value', { exact: true });
    const replaced = ended();
    await filter.fill('slow');
    // The review of the edit is requested first and contains the value too.
    await eventually(() => held.length === 1, { describe: 'the first slow preview is asked' });
    await studio.page.getByRole('button', { name: 'Remove filter 1' }).click();
    await replaced;
    await studio.page.getByRole('button', { name: 'Ask again' }).waitFor();
    expect(await value.textContent()).toBe(all);
    await studio.page.getByRole('button', { name: '+ Filter' }).click();
    const cancelled = ended();
    await filter.fill('slow');
    await studio.page.getByText('Asking …').waitFor();
    await eventually(() => held.length === 2, { describe: 'the second slow preview is asked' });
    await studio.page.getByRole('button', { name: 'Cancel' }).click();
    await cancelled;
    await studio.page.getByRole('button', { name: 'Ask again' }).waitFor();
    expect(await studio.page.getByText('Asking …').count()).toBe(0);
  });

  it('says of a query that the database ended what happened and what to do, and still shows its source', async () => {
    const impatient = await startPageService({ beside: studio.service, env: { QUERY_MAX_TIME_MS: '1' } });
    try {
      await signIn(studio.page, 'owner', impatient);
      await open('dailyOrders');
      await studio.page.getByText(/The database ended the query after 1 ms\. .+/).waitFor();
      expect(await violations()).toEqual([]);
      await studio.page.getByLabel('Only the first').fill('7');
      await studio.page.getByRole('button', { name: 'What saving writes' }).click();
      await studio.page.getByRole('region', { name: modelFile }).getByText('limit').first().waitFor();
    } finally {
      await studio.page.goto('about:blank');
      await impatient.stop();
    }
  });

  it('shows why drafts cannot be read, also when that is the last that it learns of the project', async () => {
    let release = (): void => undefined;
    const others = new Promise<void>((done) => void (release = done));
    await studio.page.route('**/api/builder/ListDrafts**', async (route) => {
      await others;
      const error = { code: 'source_error', file: '.builder/drafts.json', line: 1, message: 'holds no list of drafts' };
      await route.fulfill({ status: 422, json: { ok: false, error, code: error.code, title: 'Source error' } });
    });
    await signIn();
    await studio.page.getByRole('link', { name: 'New query of /shop/orders' }).waitFor();
    release();
    await studio.page.getByText('holds no list of drafts').waitFor();
  });

  it('leads from an empty project to a first chart that is served', async () => {
    const fresh = await startPageService({ beside: studio.service, empty: true });
    const { page } = studio;
    try {
      await signIn(page, 'owner', fresh);
      await page.getByText('There is no page yet').waitFor();
      expect(await violations()).toEqual([]);
      await page.getByRole('button', { name: '+ Resource' }).click();
      await page.getByLabel('Collection').fill('orders');
      await page.getByRole('button', { name: 'Look at its rows' }).click();
      await page.getByRole('button', { name: 'Make the resource' }).click();
      await page.getByRole('button', { name: '+ Page' }).click();
      await page.getByLabel('Address').fill('/first');
      await page.getByLabel('Title').fill('First');
      await page.getByLabel('Permission').fill('shop.orders.read');
      await page.getByRole('button', { name: 'Make the page' }).click();
      await page.getByLabel(/^Name/).fill('orders');
      await page.getByLabel(/^Rows of/).selectOption('orders');
      await page.getByLabel(/^Template/).selectOption('series');
      await page.getByLabel(/^Grouped by/).selectOption('createdAt');
      await page.getByLabel('Period', { exact: true }).selectOption('month');
      // A preview that a busy machine did not answer in time says so, and a person asks again.
      const drawn = page.locator('.uplot');
      await eventually(
        async () => {
          const refusal = page.locator('.preview-pane .notice');
          await drawn.or(refusal).first().waitFor();
          if (await refusal.isVisible()) await page.getByRole('button', { name: 'Ask again' }).click();
          return drawn.isVisible();
        },
        { describe: 'the preview is drawn' },
      );
      await page.getByRole('button', { name: 'Add to the page' }).click();
      await page.getByText(/^Added: it answers at/).waitFor();
      const headers = { authorization: `Bearer ${await fresh.token()}` };
      await eventually(async () => (await fetch(`${fresh.url}/dms/pages/first/stats/orders`, { headers })).ok, {
        describe: 'the first chart is served',
      });
    } finally {
      await page.goto('about:blank');
      await fresh.stop();
    }
  });

  it('shows what two tabs and an editor changed at once, and loses nothing of it', async () => {
    await signIn();
    await open('openOrders');
    await studio.page.getByLabel('Endpoint').fill('/stats/still-open');
    const other = await openPage();
    await signIn(other, 'other');
    await open('openOrders', other);
    await other.getByLabel('Shape').selectOption('value');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByText(/^Saved:/).waitFor();
    edit(modelFile, (text) => text.replace("'pending')\n      .count()", "'shipped')\n      .count()"));
    const conflict = studio.page.getByRole('alert').filter({ hasText: 'This query was changed meanwhile' });
    await conflict.getByText('params/where').waitFor();
    await conflict.getByText('response').waitFor();
    await conflict.getByRole('button', { name: 'Put my changes on it' }).click();
    await studio.page.getByRole('button', { name: 'Save', exact: true }).click();
    await studio.page.getByText(/^Saved:/).waitFor();
    expect(read(pageFile)).toContain("@Get('/stats/still-open')");
    expect(read(pageFile)).toContain("arrange(await model.openOrders(), { response: 'value'");
    expect(read(modelFile)).toContain(".where('status', 'eq', 'shipped')\n      .count()");
    await eventually(async () => (await other.getByLabel('Endpoint').inputValue()) === '/stats/still-open', {
      describe: 'the other tab follows',
    });
    await other.context().close();
  });

  it('keeps what is typed while the service is started again, and saves it then', async () => {
    await signIn();
    await open('averageOrder');
    await studio.page.getByText('Live', { exact: true }).waitFor();
    await studio.page.getByLabel('Endpoint').fill('/stats/typical-order');
    await studio.service.restart();
    await studio.page.getByText('Live', { exact: true }).waitFor();
    expect(await studio.page.getByLabel('Endpoint').inputValue()).toBe('/stats/typical-order');
    await studio.page.getByRole('button', { name: 'Save', exact: true }).click();
    await studio.page.getByText(/^Saved:/).waitFor();
    expect(read(pageFile)).toContain("@Get('/stats/typical-order')");
  });
});
