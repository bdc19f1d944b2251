/**
 * A credit above the limit of one person: refused with a next step, proposed, approved by a second person, given once.
 */
import { createTwinClient } from '../../../infra/local/demo/twin-client';
import { goTo, axeFindings } from './browser';
import { signedInTab, type ConsoleAccess } from './screens';
import { createLatch, eventually } from '@platform/testing';
import { takeScreenshot } from '../../support/screenshots';
import type { TokenRequest } from '../../../infra/local/development-token';

const tenant = 'globex';

export async function largeCredit(access: ConsoleAccess): Promise<void> {
  const { platform } = access;
  const person = async (name: string, role: TokenRequest['role']) =>
    signedInTab({ ...access, token: await platform.token({ role, email: `${name}@example.com` }) });
  const [ann, ben, second] = [
    await person('ann', 'support'),
    await person('ben', 'approver'),
    await person('ann', 'support'),
  ];
  const open = ({ page }: typeof ann) => goTo(page, platform.gatewayUrl, `#/workspaces/${tenant}`, 'Globex');
  const section = ({ page }: typeof ann) => page.locator('section[aria-labelledby=credit-proposals]');

  await open(ann);
  await ann.page.click('text=Credit balance …');
  const id = await ann.page.locator('.operation-id .id').innerText();
  await ann.page.fill('#field-amount', '900');
  await ann.page.fill('#field-reason', 'Three days of outage');
  await ann.page.waitForSelector('.preview:has-text("Adds 900.00 USD")');
  // The limit is on the page before anything is sent.
  expect(await ann.page.locator('.preview').innerText()).toContain('You may credit 500.00 USD today');
  await ann.page.click('form.action button[type=submit]');
  await ann.page.click('button:has-text("Propose it to a second person")');
  await ann.page.waitForSelector('[role=status]:has-text("Proposed.")');
  await section(ann).locator('text=It needs a second person').waitFor();
  expect(await section(ann).locator('button').count()).toBe(0);

  await open(ben);
  await section(ben).locator('li:has-text("900.00 USD"):has-text("ann@example.com")').waitFor();
  expect(await axeFindings(ben.page)).toEqual([]);
  await takeScreenshot(ben.page, 'large-credit');
  await section(ben).locator('button:has-text("Approve credit")').click();
  await section(ben).locator('text=approved by ben@example.com').waitFor();
  expect(await createTwinClient(platform.twinUrl).effects(id)).toEqual([]);

  // Two tabs give the same credit at once: neither request leaves before both have been made.
  await ann.page.click('button:has-text("Read again")');
  await open(second);
  const tabs = [ann, second];
  const asked = createLatch();
  for (const { page } of tabs)
    await page.route(`**/workspaces/${tenant}/balance-credit`, async (route) => {
      await asked.wait();
      await route.continue();
    });
  await Promise.all(tabs.map((tab) => section(tab).locator('button:has-text("Give approved credit")').click()));
  await asked.reached(tabs.length);
  asked.open();
  // The proposal links to its case before the credit is given; until then there is no such case.
  await eventually(async () => (await createTwinClient(platform.twinUrl).effects(id)).length > 0, {
    describe: 'the credit at the provider',
  });
  await goTo(ann.page, platform.gatewayUrl, `#/case/operation/${id}`, 'Credit customer');
  await ann.page.waitForSelector('.verdict:has-text("Money moved")');
  expect(await createTwinClient(platform.twinUrl).effects(id)).toMatchObject([{ amount: -90_000 }]);
  for (const { page, complaints } of [ann, ben, second]) {
    // The browser also logs refused requests, which are expected answers.
    expect(complaints.filter((each) => !/status of (403|409|422)/.test(each))).toEqual([]);
    await page.context().close();
  }
}
