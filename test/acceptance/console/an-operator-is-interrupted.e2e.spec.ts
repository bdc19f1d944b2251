/**
 * Sessions that end, answers that are lost, other people at the same time: no intent and nothing that was typed is lost.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../../support/browser';
import { keyboardSuite, slowMs } from './keyboard-suite';
import { openSignedIn } from './screens';

const tenantId = 'interrupted';

const unauthenticated = { status: 401, contentType: 'application/problem+json', body: '{"code":"unauthenticated"}' };

/** The session ends with the request that has the text; what the page still reads must not hide the field before. */
const refuseWhatAsksWith = (text: string, page: Page) =>
  page.route('**/api/saas/**', (route) =>
    route.request().postData()?.includes(text) ? route.fulfill(unauthenticated) : route.continue(),
  );

describeInBrowser('an operator who is interrupted', () => {
  const suite = keyboardSuite(tenantId, 'interrupted-credit-1');
  const { tokenOf, tabOf, open, openCredit, press, slow } = suite;

  it('adds a plan only where there is none, whatever another person has added meanwhile', async () => {
    const [ann, ben] = [await tabOf('ann'), await tabOf('ben')];
    for (const page of [ann, ben]) await open(page, '#/plans', 'Plans');
    const add = async (page: Page, name: string) => {
      for (const [field, text] of Object.entries({ planId: 'interrupted-plan', name, amount: '0' }))
        await page.fill(`#field-plan-${field}`, text);
      await press(page, 'Add the plan');
    };
    await add(ann, 'The plan of Ann');
    await ann.waitForSelector('td:has-text("The plan of Ann")');
    await add(ben, 'The plan of Ben');
    await ben.waitForSelector('form .problem-text');
    await open(ann, '#/queue', 'Work queue');
    await open(ann, '#/plans', 'Plans');
    await ann.waitForSelector('td:has-text("interrupted-plan")');
    expect(await ann.locator('td:has-text("The plan of Ben")').count()).toBe(0);
    await Promise.all([ann.context().close(), ben.context().close()]);
  });

  it('is asked before a request that is under way, or whose outcome is not known, is left with its id', async () => {
    const page = await tabOf('ann');
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.type());
      void dialog.dismiss();
    });
    // The question comes when the page has time for it; the reload itself ends with the answer "no".
    const reload = () =>
      Promise.all([page.waitForEvent('dialog'), page.reload({ timeout: 1_000 }).catch(() => undefined)]);
    await openCredit(page);
    await slow(page, '**/balance-credit', 'POST', async (route) => {
      await delay(5 * slowMs);
      await route.abort();
    });
    await press(page, 'Credit balance');
    await page.waitForSelector('text=Asking …');
    await reload();
    await page.waitForSelector('.outcome-unknown');
    await reload();
    expect(questions).toEqual(['beforeunload', 'beforeunload']);
    await page.click('.outcome button:has-text("Close")');
    await page.reload();
    expect(questions).toHaveLength(2);
    await page.context().close();
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
    const { page } = await openSignedIn({
      platform: suite.platform,
      browser: suite.browser,
      token: await tokenOf('ann'),
    });
    await openCredit(page);
    const operationId = await page.locator('.operation-id code').innerText();
    const typed = 'typed before the session ended';
    await refuseWhatAsksWith(typed, page);
    await page.fill('#field-reason', typed);
    await page.waitForSelector('#token');
    expect(await page.locator('.operation-id').isVisible()).toBe(false);
    await page.unroute('**/api/saas/**');
    let ended = false;
    await page.route('**/api/saas/**', (route) =>
      ended && !route.request().url().endsWith('/balance-credit') ? route.fulfill(unauthenticated) : route.continue(),
    );
    await page.fill('#token', await tokenOf('ann'));
    await page.keyboard.press('Enter');
    await page.waitForSelector('form.action button[type=submit]:enabled');
    expect(await page.inputValue('#field-reason')).toBe(typed);
    expect(await page.locator('.operation-id code').innerText()).toBe(operationId);
    // The session ends while the answer is awaited, and the outcome is there after signing in again.
    await slow(page, '**/balance-credit');
    await page.fill('#search', tenantId);
    await press(page, 'Credit balance');
    await page.focus('#search');
    ended = true;
    // Whatever asks next is refused: this search, or a change that is announced before it and takes the field away.
    await page.keyboard.press('Enter');
    await page.waitForSelector('#token');
    await delay(2 * slowMs);
    ended = false;
    await page.fill('#token', await tokenOf('ann'));
    await page.keyboard.press('Enter');
    await page.waitForSelector(`.outcome:has-text("done"):has-text("${operationId}")`);
    await page.context().close();
  });

  it('stays signed in when a refusal of the session before comes late', async () => {
    const page = (await openSignedIn({ ...suite, token: await tokenOf('ann') })).page;
    let arrive = (): void => undefined;
    const late = new Promise<void>((resolve) => (arrive = resolve));
    await page.route('**/api/saas/search?**', async (route) => {
      await late;
      await route.fulfill(unauthenticated);
    });
    // A search asks twice. Only what it asks is refused: what the page still reads must not hide the field before.
    await page.route('**/api/saas/workspaces?query=**', (route) => route.fulfill(unauthenticated));
    await page.fill('#search', tenantId);
    await page.press('#search', 'Enter');
    await page.waitForSelector('#token');
    await page.fill('#token', await tokenOf('ann'));
    await page.keyboard.press('Enter');
    await page.waitForSelector('#token', { state: 'detached' });
    arrive();
    await delay(2 * slowMs);
    expect(await page.locator('#token').count()).toBe(0);
    await page.reload();
    await page.waitForSelector('h1:has-text("Work queue")');
    await page.context().close();
  });

  it('shows nothing of one person to the next one who signs in', async () => {
    const { page } = await openSignedIn({
      platform: suite.platform,
      browser: suite.browser,
      token: await tokenOf('ann'),
    });
    await openCredit(page);
    await refuseWhatAsksWith('of Ann alone', page);
    await page.fill('#field-reason', 'of Ann alone');
    await page.waitForSelector('#token');
    await page.unroute('**/api/saas/**');
    await page.fill('#token', await tokenOf('ben'));
    await page.keyboard.press('Enter');
    await page.waitForSelector('button:has-text("Credit balance")');
    expect(await page.locator('#field-reason').count()).toBe(0);
    await page.context().close();
  });
});
