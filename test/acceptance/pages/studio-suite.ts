/** A service, a browser and one tab for each test of a studio suite; an unexpected error in a tab fails its test. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { axeFindings } from '../../support/axe';
import { launchBrowser, waitMs } from '../../support/browser';
import type { PageService } from './page-service';

/** The browser's messages about refusals and ended connections, which the studio itself reports. */
const expected =
  /status of (400|401|403|404|409|422|503|504)|ERR_(INCOMPLETE_CHUNKED|CONNECTION|EMPTY_RESPONSE|NETWORK_CHANGED|SOCKET_NOT_CONNECTED)/;

export interface StudioSuite {
  readonly service: PageService;
  /** The tab of the current test. */
  readonly page: Page;
  /** Another tab, for another person. */
  readonly openPage: () => Promise<Page>;
  readonly signIn: (on?: Page, subject?: string, at?: PageService) => Promise<void>;
  /** Opens a query by its name. */
  readonly open: (name: string, on?: Page) => Promise<void>;
  readonly read: (path: string) => string;
  readonly edit: (path: string, change: (text: string) => string) => void;
  /** Every finding of axe, at any level. */
  readonly violations: () => Promise<string[]>;
}

/** Registers the hooks of a suite. */
export function studioSuite(start: () => Promise<PageService>): StudioSuite {
  let service: PageService;
  let browser: Browser;
  let page: Page;
  let broken: string[];
  beforeAll(async () => {
    service = await start();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    broken = [];
    page = await openPage();
  });
  afterEach(async () => {
    // An answer that a test holds back may still be under way.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().close();
    expect(broken).toEqual([]);
  });
  const openPage = async (): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1_440, height: 960 }, colorScheme: 'light' });
    const opened = await context.newPage();
    opened.setDefaultTimeout(waitMs);
    opened.on('pageerror', (error) => broken.push(error.message));
    opened.on('console', (message) => {
      if (message.type() === 'error' && !expected.test(message.text())) broken.push(message.text());
    });
    return opened;
  };
  const read = (path: string): string => readFileSync(join(service.projectDir, path), 'utf8');
  return {
    get service() {
      return service;
    },
    get page() {
      return page;
    },
    openPage,
    async signIn(on = page, subject = 'owner', at = service) {
      const token = await at.token({ role: 'platform_owner', subject, email: `${subject}@example.com` });
      await on.goto(`${at.url}/dms/studio`);
      await on.getByLabel('Token of a platform owner').fill(token);
      await on.getByRole('button', { name: 'Sign in' }).click();
      await on.getByText('Live', { exact: true }).waitFor();
      await on.getByRole('heading', { name: 'Queries', level: 1 }).waitFor();
    },
    open: (name, on = page) => on.getByRole('link', { name: new RegExp(`^${name}`) }).click(),
    read,
    edit: (path, change) => writeFileSync(join(service.projectDir, path), change(read(path))),
    violations: () => axeFindings(page),
  };
}
