/**
 * The browser of the tests: the machine's own Chromium, or none, which is said in one line. The headless shell comes first:
 * it draws what Chromium draws without the windows around it, in half of the processor time.
 */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const places = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const program = places.find((place) => place !== undefined && existsSync(place));

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // One process for all pages: each tab is a context of its own all the same.
  '--renderer-process-limit=1',
];

/** Only a page that hangs makes a test wait as long. */
export const waitMs = 120_000;

export const browserIsHere = program !== undefined;

const reason = ' (no Chromium on this machine: set CHROMIUM or install it)';

/**
 * `describe` where there is a browser; else one skipped suite whose title says why. Benches load this file, too, where
 * there is no `describe`.
 */
export const describeInBrowser = (title: string, suite: () => void): void =>
  (browserIsHere ? describe : describe.skip)(browserIsHere ? title : `${title}${reason}`, suite);

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: program!, headless: true, args: flags, timeout: waitMs });
}
