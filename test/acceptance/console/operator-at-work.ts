/**
 * An operator's work with the console besides investigating: watching, navigating by keyboard, acting, and reading
 * unknown outcomes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@platform/testing';
import { createTwinClient } from '../../../infra/local/demo/twin-client';
import { goTo, axeFindings } from './browser';
import { consumersAtWork } from './consumers-at-work';
import { largeCredit } from './large-credit';
import { openSignedIn, signedInTab, type ConsoleAccess } from './screens';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { takeScreenshot } from '../../support/screenshots';

/** Several times as long as a screen that polls could pause without seeming late. */
const quietMs = 3_000;

/** What an operator experiences in the console, and the steps that check it. */
export const operatorAtWork: readonly (readonly [string, (access: ConsoleAccess) => Promise<void>])[] = [
  [
    'sees a stop appear by itself, without the page asking again and again',
    async (access) => {
      const { page, requests } = await openSignedIn(access);
      await page.waitForSelector('.live-live');
      await createTwinClient(access.platform.twinUrl).addFault({
        match: { method: 'POST', path: '/v1/customers/*/balance_transactions' },
        fault: 'lose_answer_before',
        times: 1,
      });
      const before = requests.length;
      await createPatientClient(access.platform.gatewayUrl, access.token).post(
        '/api/saas/workspaces/globex/balance-credit',
        {
          operationId: 'case-live-0001',
          amountCents: 90_000,
          reason: 'live',
        },
      );
      await page.waitForSelector('a.row:has-text("case-live-0001")');
      expect(requests.length).toBeGreaterThan(before);
      // A screen that polls is never quiet. Notices of the change may come for a while on a busy machine.
      await eventually(
        async () => {
          const asked = requests.length;
          await delay(quietMs);
          return requests.length === asked;
        },
        { describe: 'a screen that asks nothing' },
      );
      await page.context().close();
    },
  ],

  [
    'goes everywhere by keyboard',
    async (access) => {
      const { page } = await openSignedIn(access);
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
    },
  ],

  [
    'finds a saved view again by its address',
    async (access) => {
      const { page } = await openSignedIn(access);
      await page.click('nav[aria-label="By state"] a:has-text("Waiting")');
      await page.click('nav[aria-label="By kind"] a:has-text("Delivery")');
      const address = await page.evaluate<string>('location.href');
      expect(address).toMatch(/#\/queue\?state=waiting&kind=delivery$/);
      await page.goto(`${access.platform.gatewayUrl}/console#/streams`);
      await page.goto(address);
      await page.waitForSelector('a.row:has-text("storage")');
      expect(await page.locator('a.row').count()).toBe(1);
      await page.context().close();
    },
  ],

  [
    'credits a workspace under an id that is shown before and after',
    async (access) => {
      const { page } = await signedInTab(access);
      await goTo(page, access.platform.gatewayUrl, '#/workspaces/globex', 'Globex');
      await page.click('text=Credit balance …');
      const id = await page.locator('.operation-id .id').innerText();
      await page.fill('#field-amount', '12.50');
      await page.fill('#field-reason', 'Outage');
      await page.waitForSelector('.preview:has-text("Adds 12.50 USD to the customer\'s balance")');
      await takeScreenshot(page, 'action');
      expect(await axeFindings(page)).toEqual([]);
      await page.click('form.action button[type=submit]');
      await page.waitForSelector(`.outcome-done:has-text("Credit balance: done"):has-text("${id}")`);
      expect(await createTwinClient(access.platform.twinUrl).effects(id)).toHaveLength(1);
      await page.context().close();
    },
  ],

  [
    'sees on the page of a case how an operation ends that was under way when the page was opened',
    async (access) => {
      const { page } = await signedInTab(access);
      const twin = createTwinClient(access.platform.twinUrl);
      const held = await twin.addFault({
        match: { method: 'POST', path: '/v1/customers/cus_globex/balance_transactions' },
        fault: 'hold',
        times: 1,
      });
      const credited = createPatientClient(access.platform.gatewayUrl, access.token).post(
        '/api/saas/workspaces/globex/balance-credit',
        { operationId: 'case-watched-1', amountCents: 700, reason: 'Outage' },
      );
      await eventually(
        async () => {
          await goTo(page, access.platform.gatewayUrl, '#/case/operation/case-watched-1', 'Credit customer');
          return page.locator('.verdict:has-text("It may still run")').isVisible();
        },
        { describe: 'the case shows the operation under way' },
      );
      await twin.release(held);
      await credited;
      await page.waitForSelector('.verdict:has-text("Money moved")');
      await page.waitForSelector('.verdict:has-text("Nothing runs")');
      await page.context().close();
    },
  ],

  ['gives a credit above the limit of one person with a second one, once from two tabs', largeCredit],

  [
    'suspends only after typing the workspace, and is offered only what can succeed',
    async (access) => {
      const { page } = await signedInTab(access);
      await goTo(page, access.platform.gatewayUrl, '#/workspaces/acme', 'Acme');
      await page.waitForSelector('.actions .why:has-text("holds this subscription")');
      expect(await page.locator('button:has-text("Suspend …")').count()).toBe(0);
      await goTo(page, access.platform.gatewayUrl, '#/workspaces/globex', 'Globex');
      await page.waitForSelector('.actions .why:has-text("Reactivate")');
      await page.click('text=Suspend …');
      await page.waitForSelector('.preview');
      expect(await page.locator('form.action button[type=submit]').isDisabled()).toBe(true);
      await page.fill('#field-typed', 'globe');
      expect(await page.locator('form.action button[type=submit]').isDisabled()).toBe(true);
      await page.fill('#field-typed', 'globex');
      // The button waits for the preview, because a person confirms exactly what the preview shows.
      await page.waitForSelector('form.action button[type=submit]:enabled');
      await page.context().close();
    },
  ],

  [
    'sees the panel of a suspension name the consumer that it waits for, and follow it to its end',
    async (access) => {
      const { page } = await signedInTab(access);
      await goTo(page, access.platform.gatewayUrl, '#/workspaces/globex', 'Globex');
      await page.click('text=Suspend …');
      await page.fill('#field-typed', 'globex');
      await page.click('form.action button[type=submit]:enabled');
      // The suite killed its consumer, so the suspension waits.
      await page.waitForSelector('.outcome-done:has-text("accepted, not finished") a:has-text("storage")');
      await access.restart('storage-consumer');
      await page.waitForSelector('.outcome-done:has-text("Suspend: done")');
      await page.click('.outcome button:has-text("Close")');
      await page.click('text=Reactivate …');
      await page.click('form.action button[type=submit]:enabled');
      await page.waitForSelector('.outcome-done:has-text("Reactivate: done")');
      await page.context().close();
    },
  ],

  ...consumersAtWork,

  [
    'sees that repeating must end when the outcome is not known, by the provider or on the way',
    async (access) => {
      const { page } = await signedInTab(access);
      await createTwinClient(access.platform.twinUrl).addFault({
        match: { method: 'POST', path: '/v1/customers/*/balance_transactions' },
        fault: 'lose_answer_after',
        times: 1,
      });
      const ask = async () => {
        await goTo(page, access.platform.gatewayUrl, '#/workspaces/globex', 'Globex');
        await page.click('text=Credit balance …');
        await page.fill('#field-amount', '3');
        await page.fill('#field-reason', 'Outage');
        await page.click('form.action button[type=submit]');
        await page.waitForSelector('.outcome-unknown:has-text("Stop retrying")');
      };
      await ask();
      await takeScreenshot(page, 'unknown-outcome');
      expect(await page.locator('.outcome-unknown button').allInnerTexts()).toEqual([
        'Copy',
        'Read the operation',
        'Close',
      ]);
      await page.click('text=Read the operation');
      await page.waitForSelector('.verdict:has-text("Money moved")');
      await page.route('**/balance-credit', (route) => route.abort());
      await page.goto(`${access.platform.gatewayUrl}/console#/queue`);
      await ask();
      await page.click('text=Read the operation');
      await page.waitForSelector('.outcome-unknown:has-text("no such operation now")');
      await page.context().close();
    },
  ],

  [
    'migrates a plan from the dry run on, and watches it end',
    async (access) => {
      const { page } = await signedInTab(access);
      await goTo(page, access.platform.gatewayUrl, '#/migrations?from=pro&to=business', 'Migrations');
      await page.waitForSelector('text=Start the migration');
      const id = await page.locator('form.action .id').innerText();
      await page.getByLabel('Reason').fill('Pro is no longer sold');
      await page.locator('form.action').scrollIntoViewIfNeeded();
      await takeScreenshot(page, 'migration-start');
      await page.getByLabel('Type pro to confirm').fill('pro');
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
    },
  ],

  [
    'is shown the login again when the token is not taken any more',
    async (access) => {
      const { page } = await openSignedIn(access);
      await page.evaluate("sessionStorage.setItem('operator-console.token', 'eyJhbGciOiJIUzI1NiJ9.e30.x')");
      await page.reload();
      await page.waitForSelector('#token');
      expect(await page.evaluate("sessionStorage.getItem('operator-console.token')")).toBeNull();
      await page.context().close();
    },
  ],
];
