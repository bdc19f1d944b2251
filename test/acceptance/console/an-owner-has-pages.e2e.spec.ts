/**
 * The owner's pages in a browser, on the running platform: passed on by a product, an owner sees the plan, cancels,
 * undoes that while it is possible, changes the plan, pays, and downloads the workspace's data; the owner reaches
 * nothing else.
 */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import type { Account } from '@platform/contracts-operator';
import { createTwinClient } from '../../../infra/local/demo/twin-client';
import { runProgram } from '../../support/run-program';
import { offLineEnvironment } from '../../support/platform';
import { takeScreenshot } from '../../support/screenshots';
import { sharedPlatform, type SharedPlatform } from '../../support/shared-platform';
import { describeInBrowser, launchBrowser } from '../../support/browser';
import { axeFindings, goTo, overflow, touching, visit, type VisitOptions } from './browser';
import { caseHash, openSignedIn } from './screens';

/** Workspaces that only this suite uses; the second is not changed, the longest name has no place to break. */
const changed = { tenantId: 'hypercube', workspaceName: 'Hypercube', planId: 'pro' } as const;
type Named = Readonly<Record<'tenantId' | 'workspaceName', string>>;
const { tenantId } = changed;
const unchanged = { tenantId: 'hyperplane', workspaceName: 'Hyperplane', planId: 'pro' } as const;
const longNamed = { tenantId: 'longest-name', workspaceName: 'W'.repeat(100), planId: 'pro' } as const;

describeInBrowser("the owner's pages (in Chromium; without one they are not tested)", () => {
  let platform: SharedPlatform;
  let browser: Browser;
  let token: string;

  beforeAll(async () => {
    platform = await sharedPlatform();
    await platform.seed([changed, unchanged, longNamed]);
    token = await platform.token({
      role: 'user',
      email: `pat@${tenantId}.example`,
      workspaces: { [tenantId]: 'owner', [unchanged.tenantId]: 'owner', acme: 'member' },
    });
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  async function handedOver(options?: VisitOptions, { tenantId: shown, workspaceName }: Named = changed) {
    const visited = await visit(browser, options);
    await visited.page.goto(`${platform.gatewayUrl}/account#token=${token}&workspace=${shown}`);
    await visited.page.waitForSelector(`h1:has-text("${workspaceName}")`);
    return visited;
  }
  const start = (page: Page, title: string) => page.click(`button:has-text("${title}")`);
  const confirm = async (page: Page, title: string) => {
    await page.waitForSelector('.preview li');
    await page.click(`form button[type=submit]:has-text("${title}")`);
  };

  it('take the token out of the address before anything is asked, and open the workspace that the product names', async () => {
    const { page, requests, complaints } = await handedOver();
    expect(await page.evaluate('location.href')).toBe(`${platform.gatewayUrl}/account#workspace=${tenantId}`);
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
    expect(requests.filter((path) => path.startsWith('/api/'))).toEqual([`/api/saas/workspaces/${tenantId}/account`]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it.each<[string, VisitOptions]>([
    ['wide and light', {}],
    ['wide and dark', { dark: true }],
    ['at 360 pixels', { width: 360 }],
  ])('fit %s, and axe finds nothing of any impact', async (look, options) => {
    const { page } = await handedOver(options);
    await page.waitForSelector('text=Download the list (CSV)');
    expect([await axeFindings(page), await overflow(page), await touching(page)]).toEqual([[], 0, []]);
    if (look === 'wide and light') await takeScreenshot(page, 'account');
    if (look === 'at 360 pixels') await takeScreenshot(page, 'account-phone');
    await page.context().close();
  });

  it('show the plan, cancel with what it will do said first, and undo it while it can be undone', async () => {
    const { page } = await handedOver();
    await page.waitForSelector('.summary:has-text("Pro")');
    await start(page, 'Cancel the subscription');
    await confirm(page, 'Cancel the subscription');
    await page.waitForSelector('.outcome:has-text("Done.")');
    await page.click('.outcome button:has-text("Close")');
    await page.waitForSelector('.summary:has-text("Ends")');
    expect(await page.locator('button:has-text("Cancel the subscription")').count()).toBe(0);
    await start(page, 'Keep the subscription');
    expect(await axeFindings(page)).toEqual([]);
    await confirm(page, 'Keep the subscription');
    await page.waitForSelector('.outcome:has-text("Done.")');
    await page.waitForSelector('.summary:has-text("Paid until")');
    await page.waitForSelector('tr:has-text("Keep the subscription"):has-text("Done")');
    await page.context().close();
  });

  it('change the plan for the end of the period, and drop that change', async () => {
    const { page } = await handedOver();
    await start(page, 'Change plan later');
    await page.selectOption('#plan', 'starter');
    await confirm(page, 'Change plan later');
    await page.waitForSelector('.summary:has-text("Changes to")');
    await page.click('.outcome button:has-text("Close")');
    await start(page, 'Drop the pending change');
    await confirm(page, 'Drop the pending change');
    await page.waitForSelector('.summary:has-text("Changes to")', { state: 'detached' });
    await page.context().close();
  });

  it('say that it is not known when the answer is lost, and offer no second attempt', async () => {
    const { page } = await handedOver();
    await createTwinClient(platform.twinUrl).addFault({
      match: { method: 'POST', path: `/v1/subscriptions/sub_${tenantId}` },
      fault: 'lose_answer_after',
      times: 1,
    });
    await start(page, 'Cancel the subscription');
    await confirm(page, 'Cancel the subscription');
    await page.waitForSelector('.outcome-unknown:has-text("Please do not try again")');
    expect(await page.locator('.outcome button').allInnerTexts()).toEqual(['Close']);
    // An operator ends it, because no suite of the shared platform leaves a record unresolved.
    const reference = await page.locator('.outcome .id').innerText();
    const proofs = ['--executor-stopped', 'the gateway wrote down its end', '--provider-object', `sub_${tenantId}`];
    const resolve = ['resolve', 'operation', reference, '--outcome', 'applied', ...proofs];
    expect(
      await runProgram(['infra/local/ops.mjs', ...resolve, '--by', 'ops@example.com', '--yes'], {
        env: offLineEnvironment(platform),
      }),
    ).toMatchObject({ status: 0, stdout: expect.stringContaining('is succeeded') });
    await page.context().close();
  });

  it('go on after the session has ended, with the change that was begun', async () => {
    const { page } = await handedOver({}, unchanged);
    await start(page, 'Change plan later');
    // Only the preview is refused: what the page reads meanwhile must not hide the choice before.
    await page.route('**/preview', (route) =>
      route.fulfill({ status: 401, contentType: 'application/problem+json', body: '{"code":"unauthenticated"}' }),
    );
    await page.selectOption('#plan', 'starter');
    await page.waitForSelector('#token');
    expect(await page.locator('#plan').isVisible()).toBe(false);
    await page.unroute('**/preview');
    await page.fill('#token', token);
    await page.keyboard.press('Enter');
    // What the change would do is asked for again.
    await page.waitForSelector('.preview li');
    expect(await page.inputValue('#plan')).toBe('starter');
    await page.context().close();
  });

  it('read the account again with the renewed session, then and whenever the owner comes back', async () => {
    const { page } = await handedOver({}, unchanged);
    const unauthenticated = {
      status: 401,
      contentType: 'application/problem+json',
      body: '{"code":"unauthenticated"}',
    };
    await page.route('**/api/saas/**', (route) => route.fulfill(unauthenticated));
    const back = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await back();
    await page.waitForSelector('#token');
    await page.unroute('**/api/saas/**');
    const renewed = await platform.token({
      role: 'user',
      email: `pat@${tenantId}.example`,
      workspaces: { [unchanged.tenantId]: 'owner' },
    });
    const sentWith = async (act: () => Promise<unknown>) => {
      const [request] = await Promise.all([page.waitForRequest(`**/${unchanged.tenantId}/account`), act()]);
      return request.headers()['authorization'];
    };
    await page.fill('#token', renewed);
    // The login tries the token first.
    expect(await sentWith(() => page.keyboard.press('Enter'))).toBe(`Bearer ${renewed}`);
    await page.waitForSelector('.summary:has-text("Pro")');
    await page.waitForSelector('.problem', { state: 'detached' });
    expect(await sentWith(back)).toBe(`Bearer ${renewed}`);
    expect(await page.locator('#token').count()).toBe(0);
    await page.context().close();
  });

  it('show the newest answer, whichever comes last', async () => {
    const { page } = await handedOver({}, unchanged);
    let arrive = (): void => undefined;
    const late = new Promise<void>((resolve) => (arrive = resolve));
    let asked = 0;
    await page.route('**/account', async (route) => {
      const first = (asked += 1) === 1;
      const answer = await route.fetch();
      const { state, ...account } = (await answer.json()) as Account;
      if (first) await late;
      await route.fulfill({ json: { ...account, state: { ...state, workspaceName: first ? 'Older' : 'Newer' } } });
    });
    const back = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await Promise.all([page.waitForRequest('**/account'), back()]);
    await back();
    await page.waitForSelector('h1:has-text("Newer")');
    await Promise.all([page.waitForEvent('requestfinished'), arrive()]);
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    expect(await page.locator('h1').innerText()).toBe('Newer');
    await page.context().close();
  });

  it('lead to where a payment is confirmed that waits for its payer', async () => {
    const { page } = await handedOver({}, unchanged);
    const confirmUrl = 'https://pay.provider.example/i/1';
    await page.route('**/workspaces/*/cancellation', (route) => {
      const { operationId } = route.request().postDataJSON() as { operationId: string };
      return route.fulfill({ status: 202, json: { operationId, status: 'awaiting_payment', confirmUrl } });
    });
    await start(page, 'Cancel the subscription');
    await confirm(page, 'Cancel the subscription');
    await page.waitForSelector('.outcome:has-text("Waits for your payment")');
    expect(await page.getAttribute('.outcome a:has-text("Confirm the payment")', 'href')).toBe(confirmUrl);
    await page.context().close();
  });

  it('give what concerns the owner as files', async () => {
    const { page } = await handedOver();
    const take = async (text: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(`button:has-text("${text}")`)]);
      return readFileSync(await download.path(), 'utf8');
    };
    expect(await take('Download the list (CSV)')).toMatch(/^\ufeffinvoice,date,status/);
    const account = JSON.parse(await take('Download everything shown here (JSON)')) as Account;
    expect(account.state.tenantId).toBe(tenantId);
    await page.context().close();
  });

  it('show a person who owns nothing no workspace, and take no word of the address for it', async () => {
    const stranger = await platform.token({
      role: 'user',
      email: 'sam@example.com',
      workspaces: { [tenantId]: 'member' },
    });
    const { page } = await visit(browser);
    await page.goto(`${platform.gatewayUrl}/account#token=${stranger}&workspace=${tenantId}`);
    await page.waitForSelector('text=You own no workspace');
    const answer = await fetch(`${platform.gatewayUrl}/api/saas/workspaces/${tenantId}/account`, {
      headers: { authorization: `Bearer ${stranger}` },
    });
    expect(answer.status).toBe(403);
    expect(await page.locator('main').innerText()).not.toContain('49.00');
    await page.context().close();
  });

  it('name a workspace that the owner does not own, with the owned one and no change', async () => {
    const named = '<b>another</b>-person';
    const { page, requests } = await visit(browser);
    await page.goto(`${platform.gatewayUrl}/account#token=${token}&workspace=${encodeURIComponent(named)}`);
    await page.waitForSelector('h1:has-text("You do not own")');
    expect(await page.locator('h1').innerText()).toBe(`You do not own ${named}`);
    expect(await page.locator('main button').count()).toBe(0);
    expect(requests.filter((path) => path.startsWith('/api/'))).toEqual([]);
    expect([await axeFindings(page), await overflow(page)]).toEqual([[], 0]);
    await page.click(`main a:has-text("${tenantId}")`);
    await page.waitForSelector('h1:has-text("Hypercube")');
    await page.context().close();
  });

  it.each([1360, 375, 320])(
    'fit %s pixels whatever a workspace is called, with a problem or without',
    async (width) => {
      const owner = await platform.token({
        role: 'user',
        email: 'pat@longest-name.example',
        workspaces: { [longNamed.tenantId]: 'owner' },
      });
      const account = await visit(browser, { width });
      await account.page.goto(`${platform.gatewayUrl}/account#token=${owner}`);
      await account.page.waitForSelector('text=Download the list (CSV)');
      expect(await overflow(account.page)).toBe(0);
      await account.page.goto(`${platform.gatewayUrl}/account#workspace=${'x'.repeat(100)}`);
      await account.page.waitForSelector('h1:has-text("You do not own")');
      expect(await overflow(account.page)).toBe(0);
      await account.page.context().close();
      const console = await openSignedIn(
        { platform, browser, token: await platform.token({ role: 'platform_owner' }) },
        { width },
      );
      const { gatewayUrl } = platform;
      await goTo(console.page, gatewayUrl, `#/workspaces/${longNamed.tenantId}`, longNamed.workspaceName);
      expect(await overflow(console.page)).toBe(0);
      const operationId = `${width}`.padEnd(64, 'x');
      await fetch(`${gatewayUrl}/api/saas/workspaces/${longNamed.tenantId}/balance-credit`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await platform.token({ role: 'platform_owner' })}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ operationId, amountCents: 100, reason: 'x'.repeat(200) }),
      });
      await goTo(console.page, gatewayUrl, caseHash('operation', operationId), 'Credit customer');
      expect(await overflow(console.page)).toBe(0);
      await console.page.goto(`${gatewayUrl}/console#/activity?kind=${'x'.repeat(100)}`);
      await console.page.waitForSelector('.problem');
      expect(await overflow(console.page)).toBe(0);
      await console.page.context().close();
    },
  );
});
