/** Each person is offered what the gateway takes from the role, and reads who may do the rest. */
import type { Page } from 'playwright-core';
import type { TokenRequest } from '../../../infra/local/development-token';
import { describeInBrowser } from '../../support/browser';
import { keyboardSuite } from './keyboard-suite';
import { signedInTab } from './screens';

const tenantId = 'role-by-role';
const creditId = 'role-by-role-credit-1';
const by = { proposedBy: { id: 'ann', email: 'ann@example.com' }, proposedAt: '2026-03-01T12:00:00.000Z' };
const digest = 'd'.repeat(64);
const investigation = {
  ...{ status: 'proposed', digest },
  proposal: {
    statement: {
      ...{ proposalId: 'p-1', outcome: 'applied', providerObject: 'cbtxn_1', executorStopped: 'It has ended.' },
      ...{ ...by, evidence: { statements: [] }, consequences: [] },
    },
  },
};
const credit = (status: string) => ({
  ...{ status, digest },
  statement: {
    ...by,
    operationId: `credit-${status}`,
    tenantId,
    amountCents: 90_000,
    currency: 'usd',
    reason: 'Outage',
  },
});

type Role = TokenRequest['role'];
const staff: readonly Role[] = ['viewer', 'support', 'finance', 'approver', 'platform_owner'];

describeInBrowser('a person of each role', () => {
  const suite = keyboardSuite(tenantId, creditId);

  /** The roles that see each of these on the page that is opened for every one. */
  async function offered(seen: Readonly<Record<string, string>>, open: (page: Page) => Promise<void>) {
    const found: Record<string, Role[]> = Object.fromEntries(Object.keys(seen).map((name) => [name, []]));
    for (const role of staff) {
      const email = `${role.replace('_', '-')}@example.com`;
      const token = await suite.platform.token({ role, email });
      const { page } = await signedInTab({ browser: suite.browser, token });
      await open(page);
      for (const [name, selector] of Object.entries(seen))
        if (await page.locator(selector).first().isVisible()) found[name]!.push(role);
      await page.context().close();
    }
    return found;
  }

  it('is offered a proposal of an end and its approval where the gateway takes them', async () => {
    const seen = {
      prepare: 'summary:has-text("Prepare a proposal")',
      approve: 'button:has-text("Approve proposal")',
      read: '.proposals :text("An approver or a platform owner approves it here")',
    };
    const found = await offered(seen, async (page) => {
      await suite.asIfUnresolved(page);
      await page.route('**/api/saas/proposals?**', (route) => route.fulfill({ json: { proposals: [investigation] } }));
      await suite.openCase(page);
      await page.locator('.proposals > li').waitFor();
    });
    expect(found).toEqual({
      prepare: ['support', 'platform_owner'],
      approve: ['approver', 'platform_owner'],
      read: ['viewer', 'support', 'finance'],
    });
  });

  it('is offered the approval of a large credit, and to give it, where the gateway takes them', async () => {
    const seen = {
      approve: 'button:has-text("Approve credit")',
      give: 'button:has-text("Give approved credit")',
    };
    const found = await offered(seen, async (page) => {
      const proposals = [credit('proposed'), credit('approved')];
      await page.route('**/credit-proposals', (route) => route.fulfill({ json: { proposals } }));
      await suite.open(page, `#/workspaces/${tenantId}`, tenantId);
      await page.locator('.proposals > li').nth(1).waitFor();
    });
    expect(found).toEqual({
      approve: ['approver', 'platform_owner'],
      give: ['support', 'finance', 'platform_owner'],
    });
  });
});
