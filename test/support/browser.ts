/**
 * The browser of the tests: the machine's own Chromium, or none, which one line of output reports. The headless shell
 * is preferred: it renders what Chromium renders without windows, in half the processor time.
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
  // One process serves all pages; each tab still has a separate context.
  '--renderer-process-limit=1',
  // Nothing is drawn for a person: no process of its own for what is drawn, and no threads beside a page's own thread.
  '--in-process-gpu',
  '--js-flags=--single-threaded',
];

/** Only a page that hangs makes a test wait this long. */
export const waitMs = 120_000;

export const browserIsHere = program !== undefined;

const reason = ' (no Chromium on this machine: set CHROMIUM or install it)';

/**
 * `describe` when a browser is available; otherwise one skipped suite whose title gives the reason. Benches, which have
 * no `describe`, load this file too.
 */
export const describeInBrowser = (title: string, suite: () => void): void =>
  (browserIsHere ? describe : describe.skip)(browserIsHere ? title : `${title}${reason}`, suite);

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: program!, headless: true, args: flags, timeout: waitMs });
}
