/**
 * Ten everyday tasks, heard instead of seen: each walks by Chromium's accessibility tree and the keyboard alone. Headings
 * come in order on every page, what becomes of an act is spoken or has the focus, and the focus is never lost.
 */
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { createTwinClient } from '../../../infra/local/demo/twin-client';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { startPlatform, type TestPlatform } from '../../support/platform';
import { describeInBrowser, launchBrowser } from '../../support/browser';
import { visit } from './browser';
import { ScreenReader } from './screen-reader';

const stopped = 'op-heard-0001';

describeInBrowser('without looking', () => {
  let platform: TestPlatform;
  let browser: Browser;
  let token: string;

  beforeAll(async () => {
    platform = await startPlatform({ without: ['query-builder'] });
    token = await platform.token({ role: 'platform_owner' });
    browser = await launchBrowser();
    await createTwinClient(platform.twinUrl).addFault({
      match: { method: 'POST', path: '/v1/customers/*/balance_transactions' },
      fault: 'lose_answer_after',
      times: 1,
    });
    await createPatientClient(platform.gatewayUrl, token).post('/api/saas/workspaces/initech/balance-credit', {
      operationId: stopped,
      amountCents: 500,
      reason: 'a case to work on',
    });
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  const opened: ScreenReader[] = [];
  afterEach(async () => {
    for (const reader of opened.splice(0)) await reader.page.context().close();
  });
  async function open(address: string): Promise<ScreenReader> {
    const { page } = await visit(browser);
    const reader = await ScreenReader.on(page);
    opened.push(reader);
    await page.goto(`${platform.gatewayUrl}${address}`);
    return reader;
  }
  /** A tab of a person who has signed in, at this address. */
  async function console(hash: string, heading: string | RegExp, as = token): Promise<ScreenReader> {
    const reader = await open(`/console${hash}`);
    await reader.paste('textbox', /^Token of/, as);
    await reader.press('button', 'Sign in');
    await reader.find('heading', heading);
    return reader;
  }

  it('1: signs in, hears why a token is refused, and begins at the heading of the screen', async () => {
    const reader = await open('/console#/streams');
    await reader.find('heading', 'Operator console');
    expect(await reader.faults()).toEqual([]);
    await reader.type('textbox', /^Token of/, 'no token');
    await reader.press('button', 'Sign in');
    await reader.hears(/does not take this token/);
    await reader.paste('textbox', /^Token of/, token);
    await reader.press('button', 'Sign in');
    await reader.arrivesAt('heading', 'Streams');
  });

  it('2: finds a workspace by the beginning of its name, and is at its heading', async () => {
    const reader = await console('#/queue', 'Work queue');
    await reader.type('searchbox', /^Search by any id/, 'glob');
    await reader.page.keyboard.press('Enter');
    await reader.arrivesAt('heading', 'Globex');
    expect(await reader.faults()).toEqual([]);
    await reader.type('searchbox', /^Search by any id/, 'nothing-like-it');
    await reader.page.keyboard.press('Enter');
    await reader.hears(/^No match/);
  });

  it('3: credits a workspace, hearing first what it will do and then what became of it', async () => {
    const reader = await console('#/workspaces/globex', 'Globex');
    await reader.press('button', 'Credit balance …');
    await reader.arrivesAt('heading', 'Credit balance');
    await reader.type('textbox', /^Amount/, '7.50');
    await reader.type('textbox', 'Reason', 'Outage');
    await reader.hears(/Adds 7\.50 USD/);
    expect(await reader.faults()).toEqual([]);
    await reader.press('button', 'Credit balance');
    await reader.arrivesAt('heading', 'Credit balance: done');
    await reader.press('button', 'Close');
    await reader.arrivesAt('heading', 'Actions');
  });

  it('4: hears that an outcome is not known, and goes from there to the case', async () => {
    await createTwinClient(platform.twinUrl).addFault({
      match: { method: 'POST', path: '/v1/customers/*/balance_transactions' },
      fault: 'lose_answer_before',
      times: 1,
    });
    const reader = await console('#/workspaces/acme', 'Acme');
    await reader.press('button', 'Credit balance …');
    await reader.type('textbox', /^Amount/, '3');
    await reader.type('textbox', 'Reason', 'Outage');
    await reader.press('button', 'Credit balance');
    await reader.hears(/The outcome is not known\. Stop retrying\./);
    await reader.arrivesAt('heading', /^The outcome is not known/);
    await reader.press('button', 'Read the operation');
    await reader.arrivesAt('heading', /Credit customer/);
  });

  it('5: suspends a workspace with its id typed', async () => {
    const reader = await console('#/workspaces/hooli', 'Hooli');
    await reader.press('button', 'Suspend …');
    await reader.hears(/What it will do/);
    await reader.type('textbox', 'Type hooli to confirm', 'hooli');
    await reader.press('button', 'Suspend');
    await reader.arrivesAt('heading', /^Suspend: /);
    expect(await reader.faults()).toEqual([]);
  });

  it('6: opens a case from the queue, reads its two verdicts, takes it and writes a note', async () => {
    const reader = await console('#/queue', 'Work queue');
    await reader.press('link', new RegExp(stopped));
    await reader.arrivesAt('heading', /Credit customer/);
    await reader.find('heading', /^Did money move\? Money moved$/);
    await reader.find('heading', /^May anything still run\? Not proven that nothing runs$/);
    expect(await reader.faults()).toEqual([]);
    await reader.press('button', 'Take it');
    await reader.hears(/^Recorded\.$/);
    await reader.arrivesAt('button', 'Give it back');
    await reader.listens();
    await reader.type('textbox', 'Note', 'The provider shows the credit.');
    await reader.press('button', 'Add note');
    await reader.hears(/^Recorded\.$/);
  });

  it('7: narrows the activity to a person and downloads it', async () => {
    const reader = await console('#/activity', 'Activity');
    await reader.type('textbox', 'Person', 'owner@platform.example');
    await reader.press('button', 'Show');
    await reader.find('link', /Credit customer/);
    const [download] = await Promise.all([
      reader.page.waitForEvent('download'),
      reader.press('button', 'Download as CSV'),
    ]);
    expect(download.suggestedFilename()).toBe('activity.csv');
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^\ufeff\w+,/);
    await reader.hears(/^Downloaded\.$/);
    expect(await reader.faults()).toEqual([]);
  });

  it('8: rehearses and starts a migration with its reason, and is at the migration', async () => {
    const reader = await console('#/migrations', 'Migrations');
    await reader.choose('From plan', 'Starter');
    await reader.choose('To plan', 'Business');
    await reader.type('textbox', 'Reason', 'Starter is no longer sold');
    await reader.type('textbox', 'Type starter to confirm', 'starter');
    expect(await reader.faults()).toEqual([]);
    await reader.press('button', 'Start the migration');
    await reader.arrivesAt('heading', 'Migrations');
    await reader.find('StaticText', /Starter is no longer sold/);
  });

  it('8, in a hurry: waits for the plans, and keeps both when the second is chosen before the first is drawn', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const reader = await open('/console');
    await reader.page.route('**/api/saas/plans', async (route) => {
      await released;
      await route.continue();
    });
    await reader.paste('textbox', /^Token of/, token);
    await reader.press('button', 'Sign in');
    await reader.find('heading', 'Work queue');
    await reader.page.evaluate("location.hash = '#/migrations'");
    await reader.find('heading', 'Dry run');
    expect(await reader.page.locator('#from').isDisabled()).toBe(true);
    release();
    await reader.find('combobox', 'To plan');
    await reader.page.evaluate(`for (const [id, plan] of [['from', 'starter'], ['to', 'business']]) {
      const choice = document.getElementById(id);
      choice.value = plan;
      choice.dispatchEvent(new Event('change', { bubbles: true }));
    }`);
    await reader.find('textbox', 'Reason');
    expect(await reader.page.evaluate<string>('location.hash')).toBe('#/migrations?from=starter&to=business');
  });

  it('9: adds a plan and takes it off sale', async () => {
    const reader = await console('#/plans', 'Plans');
    for (const [name, text] of [
      ['Plan id', 'heard'],
      ['Name', 'Heard'],
      ['Price', '0'],
    ] as const)
      await reader.type('textbox', name, text);
    await reader.hears(/Puts Heard on sale/);
    await reader.press('button', 'Add the plan');
    await reader.hears(/^Written\.$/);
    expect(await reader.faults()).toEqual([]);
  });

  it('10: tests a consumer, and hears that it is recorded', async () => {
    const reader = await console('#/consumers/storage', 'storage');
    await reader.type('textbox', 'Reason for the test', 'Does it answer?');
    await reader.press('button', 'Send a test to storage');
    await reader.hears(/^Recorded\.$/);
    expect(await reader.faults()).toEqual([]);
  });

  it('in the portal of a team: tests its consumer from the first heading on', async () => {
    const team = await platform.token({ role: 'user', email: 'sue@teams.example', consumers: ['search-index'] });
    const reader = await console('', 'search-index', team);
    await reader.arrivesAt('heading', 'search-index');
    expect(await reader.faults()).toEqual([]);
    await reader.type('textbox', 'Reason for the test', 'Does ours answer?');
    await reader.press('button', 'Send a test to search-index');
    await reader.hears(/^Recorded\.$/);
    await reader.find('StaticText', /answered/);
  });

  it('on the owner’s pages: cancels, hears what it does and what became of it, and keeps the subscription', async () => {
    const owner = await platform.token({ role: 'user', email: 'pat@globex.example', workspaces: { globex: 'owner' } });
    const reader = await open(`/account#token=${owner}&workspace=globex`);
    await reader.find('heading', 'Globex');
    expect(await reader.faults()).toEqual([]);
    for (const change of ['Cancel the subscription', 'Keep the subscription']) {
      await reader.press('button', `${change} …`);
      await reader.arrivesAt('heading', change);
      await reader.hears(/What it will do/);
      await reader.press('button', change);
      await reader.arrivesAt('heading', 'Done.');
      await reader.press('button', 'Close');
      await reader.arrivesAt('heading', 'What you can change');
      await reader.listens();
    }
    expect(await reader.faults()).toEqual([]);
  });
});
