/**
 * Pictures of the running product for its documents. `npm run screenshots` plays the suites whose browsers come by these
 * screens, and each takes its picture there; without it nothing is written.
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
  'action',
  'large-credit',
  'unknown-outcome',
  'migrations',
  'streams',
  'page',
  'page-dark',
  'page-phone',
  'studio-light',
  'studio-dark',
  'studio-phone',
  'studio-diff',
  'studio-conflict',
  'studio-draft',
  'studio-opaque',
] as const;

const folder = resolve(__dirname, '../../docs/screenshots');
const wanted = process.env['SCREENSHOTS'] === '1';

/** Takes the picture of a documented screen when pictures are wanted; `whole`: also what is below the first view. */
export async function takeScreenshot(page: Page, name: string, { whole = false } = {}): Promise<void> {
  if (!wanted || !(documentedScreens as readonly string[]).includes(name)) return;
  if (name.startsWith('queue')) await page.waitForSelector('[data-count=total]:not(:text-is("…"))');
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: whole });
}
