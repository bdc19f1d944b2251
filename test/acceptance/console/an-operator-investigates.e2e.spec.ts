/**
 * The operator console in a browser, on the running platform, with cases that real faults have made. Each investigation
 * must show its right conclusion within three screens; every screen is judged by axe in light, dark, wide and narrow.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '@platform/testing';
import { createGatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient } from '../../../infra/local/demo/twin-client';
import { startPlatform, type TestPlatform } from '../../support/platform';
import { runProgram } from '../../support/run-program';
import { chromiumPath, goTo, openBrowser, overflow, seriousFindings, signIn, visit } from './browser';
import { investigations } from './investigations';
import { seedCases, type SeededCases } from './seed-cases';
import { patienceMs } from '../../support/patience';

jest.setTimeout(patienceMs);

const root = resolve(__dirname, '../../..');
const shots = process.env['CONSOLE_SHOTS'] === '1' ? join(root, 'docs/screenshots') : undefined;
/** What docs/screenshots shows. */
const shown = [
  'queue',
  'queue-dark',
  'case',
  'case-narrow',
  'case-migration-item',
  'action',
  'unknown-outcome',
  'migrations',
  'streams',
];
const inBrowser = chromiumPath ? describe : describe.skip;

inBrowser('the operator console (in Chromium; without one it is not tested)', () => {
  let platform: TestPlatform;
  let seeded: SeededCases;
  let browser: Browser;
  let token: string;

  beforeAll(async () => {
    platform = await startPlatform({ portBase: 13_200, without: ['query-builder'] });
    seeded = await seedCases(platform);
    token = await platform.token({ role: 'platform_owner' });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  const signedIn = async (options?: Parameters<typeof visit>[1]) => {
    const opened = await visit(browser, options);
    await signIn(opened.page, platform.gatewayUrl, token);
    return opened;
  };
  const shot = async (page: Page, name: string) => {
    if (!shots || !shown.includes(name)) return;
    if (name.startsWith('queue')) await page.waitForSelector('[data-count=total]:not(:text-is("…"))');
    mkdirSync(shots, { recursive: true });
    writeFileSync(join(shots, `${name}.png`), await page.screenshot());
  };
  const caseHash = (kind: string, id: string) => `#/case/${kind}/${encodeURIComponent(id)}`;

  describe('without a token of a platform owner', () => {
    it('loads nothing but the login, whatever the address', async () => {
      const { page, asked, complaints } = await visit(browser);
      await page.goto(`${platform.gatewayUrl}/console${caseHash('operation', seeded.lostAfter)}`);
      await page.waitForSelector('#token');
      expect(await page.locator('main').innerText()).not.toContain(seeded.lostAfter);
      expect(asked.filter((path) => !/^\/console(\/assets\/[\w.-]+)?$/.test(path))).toEqual([]);
      expect(complaints).toEqual([]);
      expect(await seriousFindings(page)).toEqual([]);
      await page.context().close();
    });

    it('is refused by the login and by every endpoint that the console reads', async () => {
      const owner = await platform.token({ role: 'user', workspaces: { acme: 'owner' } });
      const paths = [
        'work-queue',
        'work-queue/counters',
        'search?q=acme',
        'live',
        `cases/operation?id=${seeded.done}`,
        `cases/operation/export?id=${seeded.done}`,
        'streams',
        'webhook-events',
        'lifecycle/deliveries',
        'lifecycle/consumers',
        'workspaces/provisioning-attempts',
        'plans',
        'plans-deletion/starter/prepare/pro',
      ];
      for (const path of paths) {
        expect({ path, status: (await fetch(`${platform.gatewayUrl}/api/saas/${path}`)).status }).toEqual({
          path,
          status: 401,
        });
        expect({
          path,
          status: (
            await fetch(`${platform.gatewayUrl}/api/saas/${path}`, { headers: { authorization: `Bearer ${owner}` } })
          ).status,
        }).toEqual({ path, status: 403 });
      }
      const { page, asked } = await visit(browser);
      await page.goto(`${platform.gatewayUrl}/console`);
      await page.fill('#token', owner);
      await page.click('button[type=submit]');
      await page.waitForSelector('[role=alert]:has-text("not one of a platform owner")');
      expect(asked.filter((path) => path.startsWith('/api/'))).toEqual(['/api/saas/work-queue']);
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      await page.context().close();
    });

    it('is a page with hashed files and nothing inline', async () => {
      const response = await fetch(`${platform.gatewayUrl}/console`);
      expect(response.headers.get('content-security-policy')).toMatch(
        /default-src 'none'.*script-src 'self'; style-src 'self'/,
      );
      const html = await response.text();
      expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style=/);
      const [asset] = /\/console\/assets\/[\w-]+-[\w-]{8}\.js/.exec(html)!;
      const script = await fetch(`${platform.gatewayUrl}${asset}`);
      expect([script.status, script.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect((await fetch(`${platform.gatewayUrl}/console/assets/..%2f..%2fmain.js`)).status).toBe(404);
    });
  });

  describe('every screen', () => {
    const screens = (): [string, string, string, string][] => [
      ['queue', '#/queue', 'Work queue', seeded.lostAfter],
      ['case', caseHash('operation', seeded.lostAfter), 'Credit customer', 'What is not proven'],
      [
        'case-event',
        caseHash('webhook_event', seeded.stoppedEvent),
        'customer.subscription.updated',
        'npm run ops -- resolve webhook-event',
      ],
      [
        'case-creation',
        caseHash('provisioning_attempt', seeded.creation),
        'create workspace Initrode',
        'storage_region_unknown',
      ],
      [
        'case-migration-item',
        caseHash('migration_item', seeded.itemLostBefore),
        'migrate business → pro',
        'What is not proven',
      ],
      [
        'case-migration',
        caseHash('migration', seeded.migration),
        'migrate business → pro',
        'npm run ops -- resolve migration case-migration-1',
      ],
      ['workspace', '#/workspaces/acme', 'Acme', 'A transition is pending'],
      ['migrations', '#/migrations?from=starter&to=pro', 'Migrations', 'Need a person'],
      ['deliveries', '#/deliveries?status=pending', 'Deliveries and consumers', seeded.waitingForConsumer],
      ['webhooks', '#/webhooks?result=reconciliation_required', 'Webhook events', seeded.stoppedEvent],
      ['provisioning', '#/provisioning', 'Provisioning', '1 of 1'],
      ['streams', '#/streams', 'Streams', 'TENANT_LIFECYCLE'],
    ];
    const looks: [string, { width?: number; dark?: boolean }, (name: string) => boolean][] = [
      ['wide and light', {}, () => true],
      ['wide and dark', { dark: true }, (name) => ['queue', 'case', 'deliveries', 'streams'].includes(name)],
      ['at 360 pixels', { width: 360 }, (name) => ['queue', 'case', 'case-migration'].includes(name)],
    ];

    it.each(looks)('shows its records %s, fits, and axe finds nothing serious', async (look, options, judged) => {
      const { page, complaints } = await signedIn(options);
      const findings: Record<string, unknown> = {};
      for (const [name, hash, heading, text] of screens()) {
        await goTo(page, platform.gatewayUrl, hash, heading);
        await page.waitForSelector(`main >> text=${text}`);
        const found = { serious: judged(name) ? await seriousFindings(page) : [], overflow: await overflow(page) };
        if (found.serious.length > 0 || found.overflow > 0) findings[name] = found;
        if (look === 'wide and light') await shot(page, name);
        if (look === 'wide and dark' && (name === 'queue' || name === 'case')) await shot(page, `${name}-dark`);
        if (options.width === 360 && name === 'case') await shot(page, `${name}-narrow`);
      }
      expect(findings).toEqual({});
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  });

  describe('an investigation', () => {
    /** From the queue's row or the search to the case: two screens. */
    const bySearch = async (page: Page, id: string) => {
      await page.keyboard.press('/');
      await page.keyboard.type(id);
      await page.keyboard.press('Enter');
      await page.waitForSelector('.matches, .case .verdicts, .workspace .summary');
      if (await page.locator('.matches').isVisible())
        await page.locator(`.matches a:has-text("${id}")`).first().click();
    };
    const conclusion = (page: Page) => page.locator('main').innerText();

    let page: Page;
    beforeAll(async () => void ({ page } = await signedIn()));
    afterAll(() => page?.context().close());

    it.each(investigations)('of %s shows its conclusion within three screens', async (_what, idOf, expected) => {
      await goTo(page, platform.gatewayUrl, '#/queue', 'Work queue');
      await bySearch(page, idOf(seeded));
      await page.waitForSelector('.case .verdicts');
      const said = await conclusion(page);
      for (const pattern of expected) expect(said).toMatch(pattern);
      expect(await page.locator('main button').allInnerTexts()).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/retry|replay|force|run again|resolve/i)]),
      );
    });

    it('ends with a signed file that verifies off-line, and not once it is touched', async () => {
      await goTo(page, platform.gatewayUrl, caseHash('operation', seeded.lostAfter), 'Credit customer');
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Export signed case')]);
      const file = join(platform.localDir, 'case.json');
      await download.saveAs(file);
      const verify = () =>
        runProgram(['infra/local/ops.mjs', 'verify', 'case', file], {
          env: { PATH: process.env['PATH'] ?? '', LOCAL_DIR: platform.localDir },
        });
      expect(await verify()).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(`operation ${seeded.lostAfter} (reconciliation_required)`),
      });
      writeFileSync(file, readFileSync(file, 'utf8').replace('"reconciliation_required"', '"succeeded"'));
      expect(await verify()).toMatchObject({ status: 1, stderr: expect.stringContaining('was changed') });
    });
  });

  describe('an operator', () => {
    it('sees a stop appear by itself, without the page asking again and again', async () => {
      const { page, asked } = await signedIn();
      await page.waitForSelector('.live-live');
      await createTwinClient(platform.twinUrl).addFault({
        match: { method: 'POST', path: '/v1/customers/*/balance_transactions' },
        fault: 'lose_answer_before',
        times: 1,
      });
      const before = asked.length;
      await createGatewayClient(platform.gatewayUrl, token).post('/api/saas/workspaces/globex/balance-credit', {
        operationId: 'case-live-0001',
        amountCents: 90_000,
        reason: 'live',
      });
      await page.waitForSelector('a.row:has-text("case-live-0001")');
      const after = asked.length;
      expect(after).toBeGreaterThan(before);
      // Nothing changes, so nothing is asked: whatever follows within three seconds is caused by a change told.
      const told = await page.evaluate<number>(
        "new Promise((done) => setTimeout(() => done(performance.getEntriesByType('resource').filter(({ startTime }) => startTime > performance.now() - 2500).length), 3000))",
      );
      expect(told).toBeLessThanOrEqual(4);
      await page.context().close();
    });

    it('goes everywhere by keyboard', async () => {
      const { page } = await signedIn();
      await page.waitForSelector('a.row');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      const id = await page.evaluate<string | null>("document.activeElement.querySelector('.id')?.textContent ?? null");
      await page.keyboard.press('k');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForSelector(`.case code:has-text("${id ?? 'no row had the focus'}")`);
      await page.keyboard.press('g');
      await page.keyboard.press('s');
      await page.waitForSelector('h1:has-text("Streams")');
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
      await page.keyboard.press('?');
      await page.waitForSelector('dialog[open]');
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog[open]', { state: 'hidden' });
      await page.context().close();
    });

    it('finds a saved view again by its address', async () => {
      const { page } = await signedIn();
      await page.click('nav[aria-label="By state"] a:has-text("Waiting")');
      await page.click('nav[aria-label="By kind"] a:has-text("Delivery")');
      const address = page.url();
      expect(address).toMatch(/#\/queue\?state=waiting&kind=delivery$/);
      await page.goto(`${platform.gatewayUrl}/console#/streams`);
      await page.goto(address);
      await page.waitForSelector('a.row:has-text("storage")');
      expect(await page.locator('a.row').count()).toBe(1);
      await page.context().close();
    });

    it('credits a workspace under an id that is shown before and after', async () => {
      const { page } = await signedIn();
      await goTo(page, platform.gatewayUrl, '#/workspaces/globex', 'Globex');
      await page.click('text=Credit balance …');
      const id = await page.locator('.operation-id .id').innerText();
      await page.fill('#field-amount', '12.50');
      await page.fill('#field-reason', 'Outage');
      await page.waitForSelector('.preview:has-text("Adds 12.50 USD to the customer\'s balance")');
      await shot(page, 'action');
      expect(await seriousFindings(page)).toEqual([]);
      await page.click('form.action button[type=submit]');
      await page.waitForSelector(`.outcome-done:has-text("${id}")`);
      expect(await createTwinClient(platform.twinUrl).effects(id)).toHaveLength(1);
      await page.context().close();
    });

    it('suspends only after typing the workspace, and is told why it would be refused', async () => {
      const { page } = await signedIn();
      await goTo(page, platform.gatewayUrl, '#/workspaces/acme', 'Acme');
      await page.click('text=Suspend …');
      await page.waitForSelector('.preview:has-text("holds the subscription")');
      expect(await page.locator('form.action button[type=submit]').isDisabled()).toBe(true);
      await page.fill('#field-typed', 'acm');
      expect(await page.locator('form.action button[type=submit]').isDisabled()).toBe(true);
      await page.fill('#field-typed', 'acme');
      await page.click('form.action button[type=submit]');
      await page.waitForSelector('.outcome-refused:has-text("Transition pending")');
      await page.context().close();
    });

    it('is told to stop retrying when the outcome is not known, by the provider or on the way', async () => {
      const { page } = await signedIn();
      await createTwinClient(platform.twinUrl).addFault({
        match: { method: 'POST', path: '/v1/customers/*/balance_transactions' },
        fault: 'lose_answer_after',
        times: 1,
      });
      const ask = async () => {
        await goTo(page, platform.gatewayUrl, '#/workspaces/globex', 'Globex');
        await page.click('text=Credit balance …');
        await page.fill('#field-amount', '3');
        await page.fill('#field-reason', 'Outage');
        await page.click('form.action button[type=submit]');
        await page.waitForSelector('.outcome-unknown:has-text("Stop retrying")');
      };
      await ask();
      await shot(page, 'unknown-outcome');
      expect(await page.locator('.outcome-unknown button').allInnerTexts()).toEqual([
        'Copy',
        'Read the operation',
        'Close',
      ]);
      await page.click('text=Read the operation');
      await page.waitForSelector('.verdict:has-text("Money moved")');
      await page.route('**/balance-credit', (route) => route.abort());
      await page.goto(`${platform.gatewayUrl}/console#/queue`);
      await ask();
      await page.click('text=Read the operation');
      await page.waitForSelector('.outcome-unknown:has-text("no such operation now")');
      await page.context().close();
    });

    it('migrates a plan from the dry run on, and watches it end', async () => {
      const { page } = await signedIn();
      await goTo(page, platform.gatewayUrl, '#/migrations?from=pro&to=business', 'Migrations');
      await page.waitForSelector('text=Start the migration');
      const id = await page.locator('form.action .id').innerText();
      await page.fill('#typed', 'pro');
      await page.click('form.action button[type=submit]');
      await page.waitForSelector(`.note:has-text("${id}")`);
      await eventually(
        async () => {
          await page.click('text=Read again');
          return (await page.locator('main').innerText()).includes('completed');
        },
        { describe: 'the migration ends' },
      );
      await page.context().close();
    });

    it('is shown the login again when the token is not taken any more', async () => {
      const { page } = await signedIn();
      await page.evaluate("sessionStorage.setItem('operator-console.token', 'eyJhbGciOiJIUzI1NiJ9.e30.x')");
      await page.reload();
      await page.waitForSelector('#token');
      expect(await page.evaluate("sessionStorage.getItem('operator-console.token')")).toBeNull();
      await page.context().close();
    });
  });
});
