/**
 * Screenshots of the running product for the documents. `npm run screenshots` runs the suites that open these screens
 * in a browser, and each takes its screenshots; otherwise nothing is written.
 */
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';

/** Every file of docs/screenshots, without `.png`. */
export const documentedScreens = [
  'queue',
  'queue-dark',
  'case',
  'case-dark',
  'case-narrow',
  'case-migration-item',
  'directory',
  'workspace',
  'activity',
  'case-work',
  'incident',
  'consumer',
  'plans',
  'account',
  'account-phone',
  'account-sign-in',
  'account-sign-in-dark',
  'account-sign-in-phone',
  'portal',
  'portal-dark',
  'portal-phone',
  'migration-start',
  'action',
  'large-credit',
  'unknown-outcome',
  'migrations',
  'streams',
  'page',
  'page-dark',
  'page-phone',
  'page-breakdown',
  'page-rows',
  'studio-light',
  'studio-dark',
  'studio-phone',
  'studio-diff',
  'studio-diff-dark',
  'studio-diff-phone',
  'studio-conflict',
  'studio-conflict-dark',
  'studio-conflict-phone',
  'studio-draft',
  'studio-draft-dark',
  'studio-draft-phone',
  'studio-opaque',
  'studio-opaque-dark',
  'studio-opaque-phone',
] as const;

const folder = resolve(__dirname, '../../docs/screenshots');
const wanted = process.env['SCREENSHOTS'] === '1';

const desk = { width: 1_440, height: 960 };
const phone = { width: 390, height: 844 };

/** The same screen in light, in dark and on a phone: `name`, `name-dark`, `name-phone`. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  if (!wanted) return;
  await takeScreenshot(page, name);
  await page.emulateMedia({ colorScheme: 'dark' });
  await takeScreenshot(page, `${name}-dark`);
  await page.setViewportSize(phone);
  await takeScreenshot(page, `${name}-phone`);
  await page.setViewportSize(desk);
  await page.emulateMedia({ colorScheme: 'light' });
}

/**
 * Takes the screenshot of a documented screen when screenshots are requested; `whole`: including what is below the
 * first view.
 */
export async function takeScreenshot(page: Page, name: string, { whole = false } = {}): Promise<void> {
  if (!wanted || !(documentedScreens as readonly string[]).includes(name)) return;
  if (name.startsWith('queue')) await page.waitForSelector('[data-count=total]:not(:text-is("…"))');
  // The bar stays at the top of the view, wherever the page is scrolled to.
  if (whole) await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: whole });
}
