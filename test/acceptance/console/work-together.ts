/**
 * How people share the work on cases: one takes a case and records findings, and the cases of one cause are ended
 * together.
 */
import { readFileSync } from 'node:fs';
import type { CaseView, PinnedCase } from '@platform/contracts-operator';
import type { TokenRequest } from '../../../infra/local/development-token';
import { axeFindings, goTo } from './browser';
import { takeScreenshot } from '../../support/screenshots';
import { caseHash, openSignedIn, signedInTab, type ConsoleAccess } from './screens';
import type { SeededCases } from './seed-cases';

async function personAt(access: ConsoleAccess, name: string, role: TokenRequest['role']) {
  return signedInTab({ ...access, token: await access.platform.token({ role, email: `${name}@example.com` }) });
}

/** People's experience, and the steps that show it. */
export const workTogether: readonly (readonly [
  string,
  (access: ConsoleAccess, seeded: SeededCases) => Promise<void>,
])[] = [
  [
    'take a case, write down what they find, and see it from another window at once',
    async (access, { lostBefore }) => {
      const { platform } = access;
      const ann = await personAt(access, 'ann', 'support');
      const ben = await personAt(access, 'ben', 'approver');
      await goTo(ann.page, platform.gatewayUrl, caseHash('operation', lostBefore), 'Credit customer');
      await goTo(ben.page, platform.gatewayUrl, caseHash('operation', lostBefore), 'Credit customer');
      await ann.page.click('button:has-text("Take it")');
      await ann.page.waitForSelector('.work:has-text("ann@example.com")');
      // Nothing is clicked in the other window.
      await ben.page.waitForSelector('.work:has-text("ann@example.com")');
      await ann.page.fill('#note-text', 'The bank was asked by telephone.');
      await ann.page.click('button:has-text("Add note")');
      await ann.page.selectOption('select[aria-label="State of the work"]', 'waiting_for');
      await ann.page.fill('input[aria-label="What is waited for"]', 'the answer of the bank');
      await ann.page.click('.work button:has-text("Save")');
      await ben.page.waitForSelector('.entries li:has-text("The bank was asked by telephone.")');
      await ben.page.waitForSelector('.work:has-text("the answer of the bank")');
      await goTo(ben.page, platform.gatewayUrl, '#/queue', 'Work queue');
      await ben.page.waitForSelector(`a.row:has-text("${lostBefore}"):has-text("Waiting for the answer of the bank")`);
      await ann.page.click('a.mine');
      await ann.page.waitForSelector(`a.row:has-text("${lostBefore}")`);
      expect(await ann.page.locator('a.row').count()).toBe(1);
      await Promise.all([ann.page.context().close(), ben.page.context().close()]);
    },
  ],

  [
    'keep the evidence of a moment, whole',
    async (access, { lostAfter }) => {
      const { page } = await personAt(access, 'ann', 'support');
      await goTo(page, access.platform.gatewayUrl, caseHash('operation', lostAfter), 'Credit customer');
      await page.fill('#note-text', 'Before the call with the bank');
      await page.click('button:has-text("Pin the evidence of this moment")');
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('.pin button')]);
      const pinned = JSON.parse(readFileSync(await download.path(), 'utf8')) as PinnedCase & { case: CaseView };
      expect(pinned).toMatchObject({ pinnedBy: 'ann@example.com', case: { id: lostAfter, kind: 'operation' } });
      expect(pinned.case.provider.objects.map(({ id }) => id).join()).toMatch(/^cbtxn_/);
      expect(await axeFindings(page)).toEqual([]);
      await takeScreenshot(page, 'case-work', { whole: true });
      await page.context().close();
    },
  ],

  [
    'propose and approve the end of every record of one cause, each by its own evidence',
    async (access, { migration, itemLostAfter, itemLostBefore }) => {
      const { platform } = access;
      const place = `#/incident?cause=migration:${migration}`;
      const ann = await personAt(access, 'ann', 'support');
      const open = ({ page }: typeof ann) => goTo(page, platform.gatewayUrl, place, 'One cause');
      await open(ann);
      // Only what was read can be proposed.
      expect(await ann.page.locator('form.action button[type=submit]').isDisabled()).toBe(true);
      await ann.page.click('text=Read the evidence of each');
      await ann.page.fill('#field-stopped', 'The host of operator-1 was shut down, its process list was read.');
      await ann.page.click('form.action button[type=submit]:enabled');
      const row = ann.page.locator(`tr:has-text("${itemLostAfter}")`);
      await row.locator('text=Proposed.').waitFor();
      // Nothing was found for the other one, and its request may still arrive: `not applied` is proposed, and refused.
      await ann.page.locator(`tr:has-text("${itemLostBefore}"):has-text("may still")`).waitFor();
      // The end of the job as a whole cannot be proposed here.
      await ann.page.locator(`tr:has-text("Migrate business"):has-text("Its end cannot be proposed.")`).waitFor();
      await takeScreenshot(ann.page, 'incident');
      const ben = await personAt(access, 'ben', 'approver');
      await open(ben);
      await ben.page.click('text=Read the evidence of each');
      await ben.page.click('button:enabled:has-text("Approve what others proposed")');
      await ben.page.locator(`tr:has-text("${itemLostAfter}"):has-text("Approved.")`).waitFor();
      expect(await axeFindings(ben.page)).toEqual([]);
      await Promise.all([ann.page.context().close(), ben.page.context().close()]);
    },
  ],

  [
    'see in the search field where a workspace is, by its name and its owner',
    async (access) => {
      const { page } = await openSignedIn(access);
      await page.keyboard.press('/');
      await page.keyboard.type('billing@globex');
      await page.keyboard.press('Enter');
      await page.waitForSelector('h1:has-text("Globex")');
      await page.context().close();
    },
  ],
];
