/** A platform owner's actions on a consumer service on its screen: pauses and resumes it, tests it, replays to it. */
import { axeFindings, goTo, visit } from './browser';
import { signedInTab, type ConsoleAccess } from './screens';
import { takeScreenshot } from '../../support/screenshots';

export const consumersAtWork: readonly (readonly [string, (access: ConsoleAccess) => Promise<void>])[] = [
  [
    'pauses a consumer on its screen, with the reason on record, resumes it, and reads the attempts of a delivery',
    async (access) => {
      const { page } = await signedInTab(access);
      await goTo(page, access.platform.gatewayUrl, '#/consumers/storage', 'storage');
      await page.fill('#field-consumer-reason', 'The team moves its store');
      await page.click('button:has-text("Pause storage")');
      await page.waitForSelector('h2:has-text("Paused")');
      await page.waitForSelector('section[aria-labelledby=pause] li:has-text("The team moves its store")');
      await page.click('details.attempts summary');
      await page.waitForSelector('details.attempts[open] li:has-text("delivery:")');
      expect(await axeFindings(page)).toEqual([]);
      await page.fill('#field-consumer-reason', 'The store has moved');
      // The answer to the first try is lost; the second one repeats the request under the same id.
      await page.route(
        '**/consumers/storage/actions',
        async (route) => {
          await route.fetch();
          await route.abort();
        },
        { times: 1 },
      );
      await page.click('button:has-text("Resume storage")');
      await page.waitForSelector('section[aria-labelledby=pause] [role=status]:has-text("did not answer")');
      await page.click('button:has-text("Resume storage")');
      await page.waitForSelector('button:has-text("Pause storage")');
      expect(await page.locator('section[aria-labelledby=pause] li:has-text("The store has moved")').count()).toBe(1);
      await page.context().close();
    },
  ],

  [
    'sends a test to a consumer from its screen, and reads its receipt and when it came',
    async (access) => {
      const { page } = await signedInTab(access);
      await goTo(page, access.platform.gatewayUrl, '#/consumers/storage', 'storage');
      await page.fill('#field-test-reason', 'Does it answer?');
      await page.click('button:has-text("Send a test to storage")');
      await page.waitForSelector('section[aria-labelledby=tests] li:has-text("Does it answer?")');
      // Before the receipt, for which a test on a busy machine may wait longer than it is too young for another one.
      await page.fill('#field-test-reason', 'Another one at once');
      await page.click('button:has-text("Send a test to storage")');
      await page.waitForSelector('section[aria-labelledby=tests] [role=status]:has-text("too young")');
      await page.waitForSelector('section[aria-labelledby=tests] li:has-text("answered with the receipt test:")');
      expect(await page.locator('section[aria-labelledby=tests] li').count()).toBe(1);
      expect(await axeFindings(page)).toEqual([]);
      await page.context().close();
    },
  ],

  [
    'replays to a consumer from its screen, and sees it received again',
    async (access) => {
      const { page } = await signedInTab(access);
      await goTo(page, access.platform.gatewayUrl, '#/consumers/storage', 'storage');
      await page.fill('#field-replay-since', '2020-01-01T00:00:00');
      await page.fill('#field-replay-reason', 'The store was restored');
      await page.click('button:has-text("Replay to storage")');
      await page.waitForSelector('section[aria-labelledby=replay] dd:has-text("The store was restored")');
      expect(await axeFindings(page)).toEqual([]);
      await page.waitForSelector('section[aria-labelledby=replay] dd:has-text("completed")');
      expect(await page.locator('section[aria-labelledby=replay] dd b').first().innerText()).not.toBe('0');
      await page.context().close();
    },
  ],

  [
    'of a team tests its own consumer from its portal, is offered no pause, and finds no other consumer',
    async ({ platform, browser }) => {
      const token = await platform.token({ role: 'user', email: 'sue@teams.example', consumers: ['search-index'] });
      const { page, requests, complaints } = await visit(browser);
      await page.goto(`${platform.gatewayUrl}/console`);
      await page.getByLabel(/^Token of/).fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'search-index' }).waitFor();
      const tests = page.getByRole('region', { name: 'Tests' });
      await tests.getByLabel('Reason').fill('Does ours answer?');
      await tests.getByRole('button', { name: 'Send a test to search-index' }).click();
      await tests.getByText('answered with the receipt test:').waitFor();
      expect(await page.getByRole('button', { name: /^(Pause|Resume)/ }).count()).toBe(0);
      expect(await axeFindings(page)).toEqual([]);
      await page.goto(`${platform.gatewayUrl}/console#/consumers/storage`);
      await page.getByText('There is no consumer storage, or it is one of another team.').waitFor();
      expect(requests.filter((path) => /^\/api\/saas\/(?!lifecycle\/consumers\/)/.test(path))).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  ],

  [
    'registers the endpoint of a team without the broker, moves it, and removes it',
    async (access) => {
      const { page } = await signedInTab(access);
      await goTo(page, access.platform.gatewayUrl, '#/deliveries', 'Deliveries and consumers');
      await page.getByText('Serve a team over HTTP').click();
      const form = page.getByRole('form', { name: 'Register an endpoint' });
      await form.getByLabel('Consumer').fill('mailing');
      await form.getByLabel('Address').fill('http://192.0.2.1/lifecycle');
      await form.getByLabel('Name of the secret').fill('mailing');
      // Other suspensions on this platform must not wait for it.
      await form.locator('input[value=suspended]').uncheck();
      await form.locator('input[value=reactivation_requested]').uncheck();
      await form.getByLabel('It answers tests').uncheck();
      await form.getByLabel(/^Reason/).fill('The team has no broker');
      await form.getByRole('button', { name: 'Register the endpoint' }).click();
      await form.getByText('endpoint/url must be https').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await takeScreenshot(page, 'register-endpoint');
      await form.getByLabel('Address').fill('http://127.0.0.1:9/lifecycle');
      await form.getByRole('button', { name: 'Register the endpoint' }).click();
      await page.getByRole('heading', { level: 1, name: 'mailing' }).waitFor();
      await page.getByText('over HTTP at http://127.0.0.1:9/lifecycle').waitFor();
      await page.getByText('Move it').click();
      expect(await form.getByLabel('Name of the secret').inputValue()).toBe('mailing');
      expect(await form.locator('input[value=suspended]').isChecked()).toBe(false);
      expect(await form.getByLabel('It answers tests').isChecked()).toBe(false);
      await form.getByLabel('Address').fill('http://127.0.0.1:9/moved');
      await form.getByLabel(/^Reason/).fill('The team has moved');
      await form.getByRole('button', { name: 'Move the endpoint of mailing' }).click();
      await page.getByText('over HTTP at http://127.0.0.1:9/moved').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.fill('#field-endpoint-reason', 'The team leaves');
      await page.click('button:has-text("Remove the endpoint of mailing")');
      await page
        .getByText(/unregistered/i)
        .first()
        .waitFor();
      await page.context().close();
    },
  ],

  [
    'finds what was done to a consumer in the activity, with who asked and why',
    async (access) => {
      const { page } = await signedInTab(access);
      await goTo(page, access.platform.gatewayUrl, '#/activity?kind=consumer_action', 'Activity');
      for (const [action, reason] of [
        ['Pause consumer', 'The team moves its store'],
        ['Test consumer', 'Does it answer?'],
        ['Replay to consumer', 'The store was restored'],
      ] as const)
        await page.waitForSelector(`tr:has-text("${action}"):has-text("${reason}")`);
      await page.click('tr:has-text("Test consumer") a:has-text("storage/")');
      await page.waitForSelector('h1:has-text("storage")');
      await page.context().close();
    },
  ],
];
