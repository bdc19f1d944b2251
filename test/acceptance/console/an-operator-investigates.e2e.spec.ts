/**
 * The operator console in a browser, on the running platform, with cases from real faults. Each investigation must show
 * the right conclusion within three screens; axe checks every screen in light, dark, wide and narrow.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startPlatform, type TestPlatform } from '../../support/platform';
import { runProgram } from '../../support/run-program';
import { describeInBrowser, launchBrowser } from '../../support/browser';
import { goTo, overflow, axeFindings, visit } from './browser';
import { endings, refusals } from './endings';
import { investigations } from './investigations';
import { operatorAtWork } from './operator-at-work';
import { workTogether } from './work-together';
import { tabsOfLooks, takeLook } from './looks';
import { caseHash, openSignedIn, rawTexts, screensOf, signedInTab } from './screens';
import { takeScreenshot } from '../../support/screenshots';
import { beRefused, endInvestigation } from './two-people';
import { seedCases, type SeededCases } from './seed-cases';

describeInBrowser('the operator console', () => {
  let platform: TestPlatform;
  let seeded: SeededCases;
  let browser: Browser;
  let token: string;

  beforeAll(async () => {
    platform = await startPlatform({ without: ['query-builder'] });
    seeded = await seedCases(platform);
    token = await platform.token({ role: 'platform_owner' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  const access = () => ({ platform, browser, token, restart: (part: string) => platform.restart(part) });
  const signedIn = () => openSignedIn({ platform, browser, token });

  describe('without a token of a platform owner', () => {
    it('loads nothing but the login, whatever the address', async () => {
      const { page, requests, complaints } = await visit(browser);
      await page.goto(`${platform.gatewayUrl}/console${caseHash('operation', seeded.lostAfter)}`);
      await page.waitForSelector('#token');
      expect(await page.locator('main').innerText()).not.toContain(seeded.lostAfter);
      expect(requests.filter((path) => !/^\/console(\/session|\/assets\/[\w.-]+)?$/.test(path))).toEqual([]);
      expect(complaints).toEqual([]);
      expect(await axeFindings(page)).toEqual([]);
      await page.context().close();
    });

    it('is refused by the login and by every endpoint that the console reads', async () => {
      const owner = await platform.token({ role: 'user', workspaces: { acme: 'owner' } });
      const paths = [
        'work-queue',
        'work-queue/counters',
        'search?q=acme',
        'live',
        `cases/operation?id=${seeded.done}`,
        `cases/operation/export?id=${seeded.done}`,
        'streams',
        'webhook-events',
        'lifecycle/deliveries',
        'lifecycle/consumers',
        'workspaces/provisioning-attempts',
        'plans',
        'plans-deletion/starter/prepare/pro',
      ];
      for (const path of paths) {
        expect({ path, status: (await fetch(`${platform.gatewayUrl}/api/saas/${path}`)).status }).toEqual({
          path,
          status: 401,
        });
        expect({
          path,
          status: (
            await fetch(`${platform.gatewayUrl}/api/saas/${path}`, { headers: { authorization: `Bearer ${owner}` } })
          ).status,
        }).toEqual({ path, status: 403 });
      }
      const { page, requests } = await visit(browser);
      await page.goto(`${platform.gatewayUrl}/console`);
      await page.fill('#token', owner);
      await page.click('button[type=submit]');
      await page.waitForSelector('[role=alert]:has-text("does not work for the platform")');
      expect(requests.filter((path) => path.startsWith('/api/'))).toEqual(['/api/saas/work-queue']);
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      await page.context().close();
    });

    it('is a page with hashed files and nothing inline', async () => {
      const response = await fetch(`${platform.gatewayUrl}/console`);
      expect(response.headers.get('content-security-policy')).toMatch(
        /default-src 'none'.*script-src 'self'; style-src 'self'/,
      );
      const html = await response.text();
      expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style=/);
      const [asset] = /\/console\/assets\/[\w-]+-[\w-]{8}\.js/.exec(html)!;
      const script = await fetch(`${platform.gatewayUrl}${asset}`);
      expect([script.status, script.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect((await fetch(`${platform.gatewayUrl}/console/assets/..%2f..%2fmain.js`)).status).toBe(404);
    });
  });

  // First of all: some minutes after a request was sent it can no longer arrive, and then nothing is refused.
  describe('a proposal', () => {
    it.each(refusals)('is refused as %s', (_what, asked) => beRefused(access(), seeded, asked));
  });

  describe('every screen', () => {
    it.each(tabsOfLooks)('shows its records %s, fits, and axe finds nothing of any impact', async (_looks, looks) => {
      const { page, complaints } = await signedInTab({ browser, token });
      const findings: Record<string, unknown> = {};
      for (const [name, hash, heading, text] of screensOf(seeded))
        for (const look of looks) {
          await takeLook(page, look);
          if (look === looks[0]) await goTo(page, platform.gatewayUrl, hash, heading);
          await page.waitForSelector(`main >> text=${text}`);
          const found = {
            axe: await axeFindings(page, look.judged),
            overflow: await overflow(page),
            raw: await rawTexts(page),
          };
          if (found.axe.length > 0 || found.overflow > 0 || found.raw.length > 0)
            findings[`${name} ${look.name}`] = found;
          if (look.screenshots(name)) await takeScreenshot(page, `${name}${look.suffix}`);
        }
      expect(findings).toEqual({});
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  });

  describe('an investigation', () => {
    /** From the queue's row or the search to the case: two screens. */
    const bySearch = async (page: Page, id: string) => {
      await page.keyboard.press('/');
      await page.keyboard.type(id);
      await page.keyboard.press('Enter');
      await page.waitForSelector('.matches, .case .verdicts, .workspace .summary');
      if (await page.locator('.matches').isVisible())
        await page.locator(`.matches a:has-text("${id}")`).first().click();
    };
    const conclusion = (page: Page) => page.locator('main').innerText();

    let page: Page;
    beforeAll(async () => void ({ page } = await signedIn()));
    afterAll(() => page?.context().close());

    it.each(investigations)('of %s shows its conclusion within three screens', async (_what, idOf, expected) => {
      await goTo(page, platform.gatewayUrl, '#/queue', 'Work queue');
      await bySearch(page, idOf(seeded));
      await page.waitForSelector('.case .verdicts');
      const said = await conclusion(page);
      for (const pattern of expected) expect(said).toMatch(pattern);
      expect(await page.locator('main button').allInnerTexts()).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/retry|replay|force|run again|resolve/i)]),
      );
    });

    it('ends with a signed file that verifies off-line, and not once it is touched', async () => {
      await goTo(page, platform.gatewayUrl, caseHash('operation', seeded.lostAfter), 'Credit customer');
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Export signed case')]);
      const file = join(platform.localDir, 'case.json');
      await download.saveAs(file);
      const verify = () =>
        runProgram(['infra/local/ops.mjs', 'verify', 'case', file], {
          env: { PATH: process.env['PATH'] ?? '', LOCAL_DIR: platform.localDir },
        });
      expect(await verify()).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(`operation ${seeded.lostAfter} (reconciliation_required)`),
      });
      writeFileSync(file, readFileSync(file, 'utf8').replace('"reconciliation_required"', '"succeeded"'));
      expect(await verify()).toMatchObject({ status: 3, stderr: expect.stringContaining('was changed') });
    });
  });

  describe('an operator', () => {
    it.each(operatorAtWork)('%s', (_sentence, shows) => shows(access()));
  });

  describe('people', () => {
    it.each(workTogether)('%s', (_sentence, shows) => shows(access(), seeded));
  });

  describe('two people', () => {
    it.each(endings)('end the investigation of %s', (_what, ending) => endInvestigation(access(), seeded, ending));
  });
});
