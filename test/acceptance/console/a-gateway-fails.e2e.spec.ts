/** A gateway that is slow, refuses or does not answer: the console says what it does not know, and each form can go on. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import { describeInBrowser } from '../../support/browser';
import { visit } from './browser';
import { keyboardSuite } from './keyboard-suite';

const tenantId = 'failing-gateway';

const problemJson = (code: string, title: string) => ({
  contentType: 'application/problem+json',
  body: JSON.stringify({ code, title }),
});
const overloaded = { status: 503, ...problemJson('overloaded', 'Overloaded') };
const fails = (page: Page, path: string | RegExp) => page.route(path, (route) => route.fulfill(overloaded));

/** The stream of changes is made in the page: `script` gets the controller of its bytes and a function that writes events. */
const streamScript = (script: string) => `{
  const real = window.fetch;
  window.streams = 0;
  window.fetch = (url, init) => {
    if (!String(url).endsWith('/api/saas/live')) return real(url, init);
    window.streams += 1;
    const body = new ReadableStream({
      start(controller) {
        const write = (event, data) =>
          controller.enqueue(new TextEncoder().encode('event: ' + event + '\\ndata: ' + JSON.stringify(data) + '\\n\\n'));
        write('open', {});
        ${script}
      },
    });
    return Promise.resolve(new Response(body));
  };
}`;

describeInBrowser('an operator whose gateway fails', () => {
  const suite = keyboardSuite(tenantId, 'failing-gateway-credit-1');
  const { tabOf, open, openCase, openCredit, press } = suite;

  it.each<[string, (route: Route) => Promise<void>]>([
    ['an overloaded gateway', (route) => route.fulfill(overloaded)],
    ['a lost answer', (route) => route.abort()],
    ['the page of a proxy', (route) => route.fulfill({ contentType: 'text/html', body: '<html></html>' })],
    ['an answer of another program', (route) => route.fulfill({ contentType: 'application/json', body: 'null' })],
  ])('is offered the sign-in of the organisation after %s', async (_what, answer) => {
    const { page } = await visit(suite.browser);
    const session = '**/console/session';
    await page.route(session, answer);
    await page.goto(`${suite.platform.gatewayUrl}/console`);
    await page.waitForSelector('.problem:has-text("It is not known how your organisation signs in")');
    await page.unroute(session);
    await page.route(session, (route) => route.fulfill({ json: { signInUrl: '/console/sign-in', person: null } }));
    await page.click('button:has-text("Ask again")');
    await page.waitForSelector('a:has-text("Sign in with your organisation")');
    expect(await page.locator('.problem').count()).toBe(0);
    await page.context().close();
  });

  it('learns that a sign-out did not arrive', async () => {
    const { page } = await visit(suite.browser);
    await page.route('**/console/session', (route) =>
      route.fulfill({ json: { signInUrl: '/console/sign-in', person: { who: 'ann@example.com', role: 'viewer' } } }),
    );
    await page.route('**/api/saas/work-queue**', (route) => route.fulfill({ json: { items: [] } }));
    await page.route('**/work-queue/counters', (route) => route.fulfill({ json: { counts: [], sources: [] } }));
    await page.route('**/api/saas/live', (route) => route.abort());
    await fails(page, '**/console/sign-out');
    await page.goto(`${suite.platform.gatewayUrl}/console`);
    await press(page, 'Sign out');
    await page.waitForSelector('.bar :text("You are still signed in")');
    await page.context().close();
  });

  it('starts a migration after a refusal, under the same id', async () => {
    const page = await tabOf('ann');
    const start = '**/migrate-and-delete';
    const ids: unknown[] = [];
    await page.route(start, (route) => {
      ids.push((route.request().postDataJSON() as { migrationId: string }).migrationId);
      return ids.length === 1 ? route.fulfill(overloaded) : route.abort();
    });
    await open(page, '#/migrations?from=starter&to=pro', 'Migrations');
    await page.fill('#field-typed', 'starter');
    await page.fill('#field-reason', 'by keys');
    await press(page, 'Start the migration');
    await page.waitForSelector('.problem:has-text("Overloaded")');
    expect(await page.locator('.problem').innerText()).not.toContain('before anything else');
    await press(page, 'Start the migration');
    await page.waitForSelector('.problem:has-text("not known whether it was started")');
    expect(await page.isDisabled('button:has-text("Start the migration")')).toBe(true);
    expect(ids).toEqual([ids[0], ids[0]]);
    await page.context().close();
  });

  it('asks for a preview again that was refused', async () => {
    const page = await tabOf('ann');
    await open(page, `#/workspaces/${tenantId}`, tenantId);
    await press(page, 'Credit balance');
    await fails(page, '**/balance-credit/preview');
    await page.fill('#field-amount', '1.00');
    await page.fill('#field-reason', 'by keys');
    await page.waitForSelector('.preview:has-text("Overloaded")');
    await page.unroute('**/balance-credit/preview');
    await press(page, 'Ask for the preview again');
    await page.waitForSelector('form.action button[type=submit]:enabled');
    await page.context().close();
  });

  it('names no currency of an amount before the plans are read', async () => {
    const page = await tabOf('ann');
    await fails(page, '**/api/saas/plans');
    await open(page, `#/workspaces/${tenantId}`, tenantId);
    await press(page, 'Credit balance');
    await page.fill('#field-amount', '5000');
    await page.fill('#field-reason', 'by keys');
    expect(await page.locator('label[for=field-amount]').innerText()).not.toContain('USD');
    expect(await page.locator('.preview li').count()).toBe(0);
    await page.unroute('**/api/saas/plans');
    await page.click('.actions .problem button:has-text("Read again")');
    await page.waitForSelector('label:has-text("USD")');
    await page.waitForSelector('form.action button[type=submit]:enabled');
    await page.context().close();
  });

  it('is not asked for the next page of the queue without end', async () => {
    const page = await tabOf('ann');
    const item = { kind: 'operation', tenantId, title: 'credit', state: 'stopped', status: 'running', money: null };
    const at = new Date().toISOString();
    const items = Array.from({ length: 50 }, (_, n) => ({ ...item, id: `op-${n}`, since: at, checkedAt: at }));
    let asked = 0;
    await page.route(/work-queue\?.*limit=50/, (route) => {
      if (!route.request().url().includes('cursor=')) return route.fulfill({ json: { items, nextCursor: 'next' } });
      asked += 1;
      return route.fulfill(overloaded);
    });
    // A change asks again too, and other suites of this platform make changes: this stream announces none.
    await page.addInitScript(streamScript(''));
    await open(page, '#/queue', 'Work queue');
    await page.focus('.list');
    await page.keyboard.press('End');
    await page.waitForSelector('.problem:has-text("Overloaded")');
    await delay(1_000);
    expect(asked).toBe(1);
    await press(page, 'Read again');
    while (asked < 2) await delay(50);
    await page.context().close();
  });

  it('shows what a slow gateway answers while changes come faster', async () => {
    const page = await tabOf('ann');
    await page.addInitScript(
      streamScript("setInterval(() => write('changed', { kind: 'operation', id: 'op-1', tenantId: null }), 100);"),
    );
    await page.route('**/work-queue/counters', async (route) => {
      await delay(1_000);
      await route.continue();
    });
    await open(page, '#/queue', 'Work queue');
    await page.waitForSelector('[data-count=total]:not(:has-text("…"))');
    await page.context().close();
  });

  it('keeps the note that is begun while another one is recorded', async () => {
    const page = await tabOf('ann');
    await openCase(page);
    await page.fill('#note-text', 'the first note');
    await suite.slow(page, '**/operation/work?**');
    await press(page, 'Add note');
    await page.fill('#note-text', 'the second note');
    await page.waitForSelector('li:has-text("the first note")');
    await page.waitForSelector('.note-form [role=status]:has-text("Recorded.")');
    expect(await page.inputValue('#note-text')).toBe('the second note');
    await page.context().close();
  });

  it('does not take for none what could not be read of a case', async () => {
    const page = await tabOf('ann');
    await page.route('**/api/saas/cases/operation?**', async (route) => {
      const answer = await route.fetch();
      const view = (await answer.json()) as object;
      const commands = [{ purpose: 'Resolve', line: 'npm run ops -- resolve operation failing-gateway-credit-1' }];
      await route.fulfill({ response: answer, json: { ...view, open: true, commands } });
    });
    await fails(page, '**/api/saas/proposals?**');
    await fails(page, /work-queue\?.*tenantId=/);
    await openCase(page);
    await page.waitForSelector('section[aria-labelledby=proposals-operation] .problem:has-text("Overloaded")');
    await page.waitForSelector('.related-cases .problem:has-text("Overloaded")');
    expect(await page.isVisible('.only-here')).toBe(false);
    await fails(page, '**/credit-proposals');
    await openCredit(page);
    await page.waitForSelector('section[aria-labelledby=credit-proposals] .problem:has-text("Overloaded")');
    await page.context().close();
  });

  it('keeps what was typed to start a migration when the session has ended', async () => {
    const page = await tabOf('ann');
    await open(page, '#/migrations?from=starter&to=pro', 'Migrations');
    await page.fill('#field-reason', 'typed before the session ended');
    const id = await page.locator('.operation-id code').innerText();
    // Only what the search asks is refused: what the page reads meanwhile must not hide the field before.
    const searched = /(search\?q|workspaces\?query)=/;
    await page.route(searched, (route) =>
      route.fulfill({ status: 401, ...problemJson('unauthenticated', 'Unauthenticated') }),
    );
    await page.fill('#search', tenantId);
    await page.press('#search', 'Enter');
    await page.waitForSelector('#token');
    await page.unroute(searched);
    const read = page.waitForResponse('**/prepare/**');
    await page.fill('#token', await suite.tokenOf('ann'));
    await page.keyboard.press('Enter');
    await read;
    await page.waitForSelector('#field-reason');
    expect(await page.inputValue('#field-reason')).toBe('typed before the session ended');
    expect(await page.locator('.operation-id code').innerText()).toBe(id);
    await page.context().close();
  });
});
