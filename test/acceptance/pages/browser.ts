/** The browser of the tests: the machine's own Chromium, or none, which is said in one line. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const candidates = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const program = candidates.find((path): path is string => path !== undefined && existsSync(path));

const [run, reason] = program
  ? [describe, '']
  : [describe.skip, ' (no Chromium on this machine: set CHROMIUM or install it)'];

/** `describe` where there is a browser; else one skipped suite whose title says why. */
export const describeInBrowser = (title: string, suite: () => void): void => run(`${title}${reason}`, suite);

/** Only a page that hangs makes a test wait as long. */
export const waitMs = 120_000;

export function launchBrowser(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--renderer-process-limit=1',
  ];
  return chromium.launch({ executablePath: program!, headless: true, args, timeout: waitMs });
}
