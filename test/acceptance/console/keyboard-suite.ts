/** How suites work at the console by keyboard and over a slow line. */
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@platform/testing';
import type { Browser, Page, Route } from 'playwright-core';
import { patient } from '../../../infra/local/demo/patient-client';
import { sharedPlatform, type SharedPlatform } from '../../support/shared-platform';
import { launchBrowser } from '../../support/browser';
import { goTo } from './browser';
import { caseHash, signedInTab } from './screens';

export const slowMs = 400;

/** Registers the hooks of a suite whose workspace no other suite uses; `creditId` is a credit of it, with its case. */
export function keyboardSuite(tenantId: string, creditId: string) {
  let platform: SharedPlatform;
  let browser: Browser;

  beforeAll(async () => {
    platform = await sharedPlatform();
    await platform.seed([{ tenantId, planId: 'pro' }]);
    await credit(creditId);
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const tokenOf = (name: string) =>
    platform.token({ role: name === 'sue' ? 'support' : 'platform_owner', email: `${name}@example.com` });
  const credit = async (operationId: string) => {
    const answer = await fetch(`${platform.gatewayUrl}/api/saas/workspaces/${tenantId}/balance-credit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenOf('ann')}`, 'content-type': 'application/json', ...patient },
      body: JSON.stringify({ operationId, amountCents: 100, reason: 'a case to write on' }),
    });
    expect(answer.status).toBe(200);
  };
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

  return {
    get platform() {
      return platform;
    },
    get browser() {
      return browser;
    },
    ...{ tokenOf, tabOf, open, openCase, openCredit, focusComesTo, press, slow, asIfUnresolved },
  };
}
