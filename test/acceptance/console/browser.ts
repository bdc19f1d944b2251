/** How a suite visits the console, signs in, reads a page and judges it. */
import type { Browser, Page } from 'playwright-core';
import { waitMs } from '../../support/browser';

export { axeFindings } from '../../support/axe';

export interface Visit {
  readonly page: Page;
  /** Requested paths, in order. */
  readonly requests: string[];
  /** The browser's messages: errors of scripts and violations of the page's policy. */
  readonly complaints: string[];
}

export interface VisitOptions {
  readonly width?: number;
  readonly dark?: boolean;
}

/** A separate tab, with nothing stored. */
export async function visit(browser: Browser, { width = 1360, dark = false }: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    acceptDownloads: true,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(waitMs);
  const page = await context.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The page shows a refused request; the browser's own message about it does not count.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return { page, requests, complaints };
}

export async function signIn(page: Page, gatewayUrl: string, token: string): Promise<void> {
  await page.goto(`${gatewayUrl}/console`);
  await page.fill('#token', token);
  await page.click('button[type=submit]');
  await page.waitForSelector('h1:has-text("Work queue")');
}

/** Goes to an address of the console and waits for its heading. */
export async function goTo(page: Page, gatewayUrl: string, hash: string, heading: string): Promise<void> {
  await page.goto(`${gatewayUrl}/console${hash}`);
  await page.waitForSelector(`h1:has-text("${heading}")`);
  await page.waitForSelector('.reading', { state: 'detached' });
}

/** By how many pixels the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** The texts that a table touches from above: a reader takes them for a part of it. */
export function touching(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('.scroll + *')]
    .filter((next) => next.getBoundingClientRect().top - next.previousElementSibling.getBoundingClientRect().bottom < 4)
    .map((next) => next.innerText)`);
}
