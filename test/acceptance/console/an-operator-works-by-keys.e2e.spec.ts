/**
 * A day at the console by keyboard: nothing is sent twice, and the focus stays where the work goes on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Route } from 'playwright-core';
import { describeInBrowser, waitMs } from '../../support/browser';
import { keyboardSuite, slowMs } from './keyboard-suite';

const tenantId = 'keyboard';

describeInBrowser('an operator who works by keys', () => {
  const suite = keyboardSuite(tenantId, 'keyboard-credit-1');
  const { tokenOf, tabOf, open, openCase, focusComesTo, press, slow, asIfUnresolved } = suite;

  it('writes a note once, though Enter is pressed twice', async () => {
    const page = await tabOf('ann');
    await openCase(page);
    const sent = await slow(page, '**/work?**');
    await page.fill('#note-text', 'pressed twice');
    await press(page, 'Add note', 2);
    await page.waitForSelector('.entries li:has-text("pressed twice")');
    await delay(2 * slowMs);
    expect(sent).toHaveLength(1);
    await page.context().close();
  });

  it('writes a note once, though its first answer was lost', async () => {
    const page = await tabOf('ann');
    await openCase(page);
    await page.route('**/work?**', async (route) => {
      if (route.request().method() === 'POST') await route.fetch();
      return route.request().method() === 'POST' ? route.abort() : route.continue();
    });
    await page.fill('#note-text', 'answer lost');
    await press(page, 'Add note');
    await page.waitForSelector('.note-form [role=status]:has-text("not known")');
    await page.unroute('**/work?**');
    await press(page, 'Add note');
    await page.waitForSelector('.note-form [role=status]:has-text("Recorded")');
    const entries = page.locator('.entries li:has-text("answer lost")');
    await entries.first().waitFor();
    expect(await entries.count()).toBe(1);
    await page.context().close();
  });

  it.each([
    ['a proposal', 'Prepare proposal', '**/api/saas/proposals'],
    ['a plan', 'Add the plan', '**/api/saas/plans/*'],
    ['a migration', 'Start the migration', '**/migrate-and-delete'],
  ])('asks once for %s, though Enter is pressed twice', async (what, button, path) => {
    const page = await tabOf('ann');
    const refuse = (route: Route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        body: JSON.stringify({ code: 'transition_pending', title: 'Refused by this test' }),
      });
    const sent = await slow(page, path, what === 'a plan' ? 'PUT' : 'POST', refuse);
    if (what === 'a proposal') {
      await asIfUnresolved(page);
      await openCase(page);
      await page.click('summary:has-text("Prepare a proposal")');
      await page.fill('#field-operation-stopped', 'The host was shut down.');
    } else if (what === 'a plan') {
      await open(page, '#/plans', 'Plans');
      for (const [name, text] of Object.entries({ planId: 'twice', name: 'Twice', amount: '0' }))
        await page.fill(`#field-plan-${name}`, text);
    } else {
      await open(page, '#/migrations?from=starter&to=business', 'Migrations');
      await page.fill('#field-reason', 'pressed twice');
      await page.fill('#field-typed', 'starter');
    }
    await press(page, button, 2);
    await page.waitForSelector('text=Refused by this test');
    await delay(2 * slowMs);
    expect(sent).toHaveLength(1);
    await page.context().close();
  });

  it('is in the field that a button opens, and on the control that opened it afterwards', async () => {
    const page = await tabOf('ann');
    await openCase(page);
    await press(page, 'Give to');
    await focusComesTo(page, 'E-mail address of the person who takes the case');
    await press(page, 'Cancel');
    await focusComesTo(page, 'Give to …');
    await page.selectOption('select[aria-label="State of the work"]', 'waiting_for');
    await page.fill('input[aria-label="What is waited for"]', 'the bank');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.work:has-text("the bank")');
    await focusComesTo(page, 'State of the work');
    await page.context().close();
  });

  it('goes nowhere behind the list of keys', async () => {
    const page = await tabOf('ann');
    await open(page, '#/queue', 'Work queue');
    for (const key of ['?', 'g', 'p']) await page.keyboard.press(key);
    expect(await page.evaluate('location.hash')).toBe('#/queue');
    await page.keyboard.press('Escape');
    for (const key of ['g', 'p']) await page.keyboard.press(key);
    await page.waitForSelector('h1:has-text("Provisioning")');
    await page.context().close();
  });

  it('is led by the last search alone, and keeps what is being typed', async () => {
    const page = await tabOf('ann');
    await open(page, '#/queue', 'Work queue');
    const late: Promise<unknown>[] = [];
    await page.route(/(search\?q|workspaces\?query)=keyboard/, (route) => {
      late.push(delay(3 * slowMs).then(() => route.continue()));
    });
    const answered = page.waitForResponse(/(search\?q|workspaces\?query)=keyboard/);
    await page.fill('#search', tenantId);
    await page.keyboard.press('Enter');
    await page.fill('#search', 'something else');
    await answered;
    await Promise.all(late);
    await delay(slowMs);
    expect([await page.evaluate('location.hash'), await page.inputValue('#search')]).toEqual([
      '#/queue',
      'something else',
    ]);
    await page.context().close();
  });

  it('approves a credit by one key, and the person who proposed it sees that', async () => {
    const [sue, ben] = [await tabOf('sue'), await tabOf('ben')];
    const proposals = `${suite.platform.gatewayUrl}/api/saas/workspaces/${tenantId}/credit-proposals`;
    const proposed = await fetch(proposals, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenOf('sue')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ operationId: 'keyboard-large-1', amountCents: 500_000, reason: 'a large one' }),
    });
    expect(proposed.ok).toBe(true);
    for (const page of [sue, ben]) await open(page, `#/workspaces/${tenantId}`, tenantId);
    await sue.waitForSelector('text=It needs a second person');
    await press(ben, 'Approve credit');
    await ben.waitForSelector('button:has-text("Give approved credit")');
    await focusComesTo(ben, 'Credits for a second person');
    // Nothing is pressed in the other window.
    await sue.waitForSelector('.proposals li:has-text("approved by ben@example.com")');
    await Promise.all([sue.context().close(), ben.context().close()]);
  });

  it('keeps its place when what was pressed leaves the page, or cannot be pressed for a while', async () => {
    const page = await tabOf('ann');
    const focused = () =>
      page.evaluate<string>(`document.activeElement === document.body ? 'lost' : document.activeElement.innerText`);
    await open(page, '#/queue', 'Work queue');
    for (const link of ['Mine', 'Show all']) {
      await page.focus(`main a:has-text("${link}")`);
      await page.keyboard.press('Enter');
      await page.waitForSelector(`main a:has-text("${link}")`, { state: 'detached' });
      expect([link, await focused()]).toEqual([link, 'Work queue']);
    }
    await open(page, `#/workspaces/${tenantId}`, tenantId);
    await Promise.all([page.waitForResponse(`**/workspaces/${tenantId}`), press(page, 'Read again')]);
    expect(await focused()).toBe('Read again');
    await page.context().close();
  });

  it('is in the search field again when the matches are closed', async () => {
    const page = await tabOf('ann');
    await open(page, '#/queue', 'Work queue');
    await page.fill('#search', 'no such thing');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.matches');
    for (const key of ['Tab', 'Escape']) await page.keyboard.press(key);
    await page.waitForSelector('.matches', { state: 'detached' });
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    await page.context().close();
  });

  it('stays in its place when the focused row of the queue has ended', async () => {
    const page = await tabOf('ann');
    const since = '2026-01-01T00:00:00.000Z';
    const item = (id: string) => ({
      ...{ kind: 'operation', id, tenantId, state: 'stopped', status: 'reconciliation_required', title: id },
      ...{ money: null, since, checkedAt: since },
    });
    let ids = ['first', 'second', 'third'];
    await page.route('**/api/saas/work-queue?**', (route) => route.fulfill({ json: { items: ids.map(item) } }));
    // A stream that ends and is opened again: the rows are read again each time.
    await page.route('**/api/saas/live', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: 'event: open\ndata: {}\n\n' }),
    );
    await open(page, '#/queue', 'Work queue');
    await page.waitForSelector('a.row:has-text("third")');
    for (const key of ['j', 'j']) await page.keyboard.press(key);
    const focusedRow = () => page.evaluate<string>(`document.activeElement.getAttribute('href') ?? ''`);
    expect(await focusedRow()).toContain('second');
    ids = ['first', 'third'];
    await page.waitForSelector('a.row:has-text("second")', { state: 'detached' });
    expect(await focusedRow()).toContain('third');
    await page.context().close();
  });

  it('learns that nothing was copied where there is no clipboard', async () => {
    const page = await tabOf('ann');
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await suite.openCredit(page);
    await press(page, 'Copy');
    await page.waitForSelector('button:has-text("Not copied: select the text")');
    await page.context().close();
  });

  it('sees with forced colours whether the page is live, and which filter is chosen', async () => {
    const page = await tabOf('ann');
    await page.emulateMedia({ forcedColors: 'active' });
    await open(page, '#/queue', 'Work queue');
    await page.waitForSelector('.live-live');
    const [mark, behind] = await page.evaluate<string[]>(
      `['.live .mark', 'body'].map((each) => getComputedStyle(document.querySelector(each)).backgroundColor)`,
    );
    expect(mark).not.toBe(behind);
    const looks = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.chips a')].map((each) => getComputedStyle(each).textDecorationLine)`,
    );
    expect(looks).toEqual(['underline', ...looks.slice(1).map(() => 'none')]);
    await page.context().close();
  });

  it('reads on a phone why an action is not possible', async () => {
    const page = await tabOf('ann');
    await page.setViewportSize({ width: 360, height: 800 });
    await open(page, `#/workspaces/${tenantId}`, tenantId);
    await page.waitForSelector('p.why');
    const cut = `[...document.querySelectorAll('p.why')].filter((each) => each.scrollWidth > each.clientWidth).length`;
    expect(await page.evaluate(cut)).toBe(0);
    await page.context().close();
  });

  it.each([
    ['#/workspaces/nowhere', 'All workspaces', 'Workspaces'],
    ['#/consumers/nowhere', 'All consumers', 'Deliveries and consumers'],
    ['#/nowhere', 'Work queue', 'Work queue'],
    ['#/case/nowhere', 'Work queue', 'Work queue'],
  ])('gets on from %s, which there is not', async (hash, link, heading) => {
    const page = await tabOf('ann');
    await open(page, hash, 'nowhere');
    await page.focus(`main a:has-text("${link}")`);
    await page.keyboard.press('Enter');
    await page.waitForSelector(`h1:has-text("${heading}")`);
    await page.context().close();
  });

  it('learns in which zone a replay reads its instant', async () => {
    const page = await tabOf('ann');
    await open(page, '#/consumers/storage', 'storage');
    await page.getByLabel('What it gave receipts for since (your time)').waitFor();
    await page.context().close();
  });

  it('changes one filter of the activity and leaves the instants of the others, in the hour that comes twice', async () => {
    const context = await suite.browser.newContext({ timezoneId: 'Europe/Paris' });
    context.setDefaultTimeout(waitMs);
    const page = await context.newPage();
    await page.goto(`${suite.platform.gatewayUrl}/console#/activity?from=2026-10-25T01:30:07.000Z`);
    await page.fill('#token', await tokenOf('ann'));
    await page.keyboard.press('Enter');
    await page.fill('input[name=status]', 'succeeded');
    await page.keyboard.press('Enter');
    await page.waitForURL(/status=succeeded/);
    expect(decodeURIComponent(page.url())).toContain('from=2026-10-25T01:30:07.000Z');
    await context.close();
  });
});
