/**
 * A day at the console by keyboard, over a slow line: nothing is sent twice, nothing that was typed is lost, and the focus
 * stays where the work goes on.
 */
import type { Browser, Page, Route } from 'playwright-core';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@platform/testing';
import { describeInBrowser, launchBrowser } from '../../support/browser';
import { sharedPlatform, type SharedPlatform } from '../../support/shared-platform';
import { goTo } from './browser';
import { caseHash, openSignedIn, signedInTab } from './screens';

/** A workspace that only this suite uses, and a credit of it, whose case people write on. */
const tenantId = 'keyboard';
const creditId = 'keyboard-credit-1';
const slowMs = 400;

describeInBrowser('an operator who works by keys', () => {
  let platform: SharedPlatform;
  let browser: Browser;

  beforeAll(async () => {
    platform = await sharedPlatform();
    await platform.seed([{ tenantId, planId: 'pro' }]);
    const credit = await fetch(`${platform.gatewayUrl}/api/saas/workspaces/${tenantId}/balance-credit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenOf('ann')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ operationId: creditId, amountCents: 100, reason: 'a case to write on' }),
    });
    expect(credit.status).toBe(200);
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const tokenOf = (name: string) =>
    platform.token({ role: name === 'sue' ? 'support' : 'platform_owner', email: `${name}@example.com` });
  const tabOf = async (name: string) => (await signedInTab({ browser, token: await tokenOf(name) })).page;
  const open = (page: Page, hash: string, heading: string) => goTo(page, platform.gatewayUrl, hash, heading);
  const openCase = (page: Page) => open(page, caseHash('operation', creditId), 'Credit customer');
  const focusComesTo = (page: Page, name: string) =>
    eventually(
      () =>
        page.evaluate<boolean>(
          `[document.activeElement.getAttribute('aria-label'), document.activeElement.innerText].includes('${name}')`,
        ),
      { describe: `the focus comes to ${name}` },
    );
  const press = async (page: Page, text: string, times = 1) => {
    await page.focus(`button:has-text("${text}")`);
    for (let time = 0; time < times; time += 1) await page.keyboard.press('Enter');
  };
  /** Holds back each request of the method, and keeps what was sent. */
  const slow = async (page: Page, path: string, method = 'POST', answer = (route: Route) => route.continue()) => {
    const sent: Record<string, unknown>[] = [];
    await page.route(path, async (route) => {
      if (route.request().method() !== method) return route.continue();
      sent.push(route.request().postDataJSON() as Record<string, unknown>);
      await delay(slowMs);
      return answer(route);
    });
    return sent;
  };

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
    expect(await page.locator('.entries li:has-text("answer lost")').count()).toBe(1);
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
    await page.fill('#search', tenantId);
    await page.keyboard.press('Enter');
    await page.fill('#search', 'something else');
    await page.waitForResponse(/(search\?q|workspaces\?query)=keyboard/);
    await Promise.all(late);
    await delay(slowMs);
    expect([await page.evaluate('location.hash'), await page.inputValue('#search')]).toEqual([
      '#/queue',
      'something else',
    ]);
    await page.context().close();
  });

  it('adds a plan only where there is none, whatever another person has added meanwhile', async () => {
    const [ann, ben] = [await tabOf('ann'), await tabOf('ben')];
    for (const page of [ann, ben]) await open(page, '#/plans', 'Plans');
    const add = async (page: Page, name: string) => {
      for (const [field, text] of Object.entries({ planId: 'keyboard-plan', name, amount: '0' }))
        await page.fill(`#field-plan-${field}`, text);
      await press(page, 'Add the plan');
    };
    await add(ann, 'The plan of Ann');
    await ann.waitForSelector('td:has-text("The plan of Ann")');
    await add(ben, 'The plan of Ben');
    await ben.waitForSelector('form .problem-text');
    await open(ann, '#/queue', 'Work queue');
    await open(ann, '#/plans', 'Plans');
    await ann.waitForSelector('td:has-text("keyboard-plan")');
    expect(await ann.locator('td:has-text("The plan of Ben")').count()).toBe(0);
    await Promise.all([ann.context().close(), ben.context().close()]);
  });

  it('approves a credit by one key, and the person who proposed it sees that', async () => {
    const [sue, ben] = [await tabOf('sue'), await tabOf('ben')];
    const proposals = `${platform.gatewayUrl}/api/saas/workspaces/${tenantId}/credit-proposals`;
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

  it.each([
    ['null', 'null'],
    ['what another program says', '{"status":"ok"}'],
  ])('does not take %s for the answer to an action', async (_what, body) => {
    const page = await tabOf('ann');
    await openCredit(page);
    await page.route('**/balance-credit', (route) => route.fulfill({ contentType: 'application/json', body }));
    await page.click('form.action button[type=submit]:enabled');
    await page.waitForSelector('.outcome-unknown');
    await page.context().close();
  });

  it('goes on after the session has ended, with what was typed and with the answer that came meanwhile', async () => {
    const { page } = await openSignedIn({ platform, browser, token: await tokenOf('ann') });
    await openCredit(page);
    const operationId = await page.locator('.operation-id code').innerText();
    let ended = true;
    await page.route('**/api/saas/**', (route) =>
      ended && !route.request().url().endsWith('/balance-credit')
        ? route.fulfill({ status: 401, contentType: 'application/problem+json', body: '{"code":"unauthenticated"}' })
        : route.continue(),
    );
    await page.fill('#field-reason', 'typed before the session ended');
    await page.waitForSelector('#token');
    expect(await page.locator('.operation-id').isVisible()).toBe(false);
    ended = false;
    await page.fill('#token', await tokenOf('ann'));
    await page.keyboard.press('Enter');
    await page.waitForSelector('form.action button[type=submit]:enabled');
    expect(await page.inputValue('#field-reason')).toBe('typed before the session ended');
    expect(await page.locator('.operation-id code').innerText()).toBe(operationId);
    // The session ends while the answer is awaited, and the outcome is there after signing in again.
    await slow(page, '**/balance-credit');
    await press(page, 'Credit balance');
    ended = true;
    await page.fill('#search', tenantId);
    await page.press('#search', 'Enter');
    await page.waitForSelector('#token');
    await delay(2 * slowMs);
    ended = false;
    await page.fill('#token', await tokenOf('ann'));
    await page.keyboard.press('Enter');
    await page.waitForSelector(`.outcome:has-text("done"):has-text("${operationId}")`);
    await page.context().close();
  });

  it('shows nothing of one person to the next one who signs in', async () => {
    const { page } = await openSignedIn({ platform, browser, token: await tokenOf('ann') });
    await openCredit(page);
    await page.route('**/api/saas/**', (route) =>
      route.fulfill({ status: 401, contentType: 'application/problem+json', body: '{"code":"unauthenticated"}' }),
    );
    await page.fill('#field-reason', 'of Ann alone');
    await page.waitForSelector('#token');
    await page.unroute('**/api/saas/**');
    await page.fill('#token', await tokenOf('ben'));
    await page.keyboard.press('Enter');
    await page.waitForSelector('button:has-text("Credit balance")');
    expect(await page.locator('#field-reason').count()).toBe(0);
    await page.context().close();
  });

  async function openCredit(page: Page): Promise<void> {
    await open(page, `#/workspaces/${tenantId}`, tenantId);
    await press(page, 'Credit balance');
    await page.fill('#field-amount', '1.00');
    await page.fill('#field-reason', 'by keys');
    await page.waitForSelector('form.action button[type=submit]:enabled');
  }

  /** The case offers a resolution, as that of an unresolved operation does. */
  async function asIfUnresolved(page: Page): Promise<void> {
    await page.route('**/api/saas/cases/operation?**', async (route) => {
      const answer = await route.fetch();
      const view = (await answer.json()) as { commands: object[] };
      const line = `npm run ops -- resolve operation ${creditId}`;
      await route.fulfill({ response: answer, json: { ...view, commands: [{ purpose: 'Resolve', line }] } });
    });
  }
});
