/** The documentation site: built without a dead link, served, and walked through by a visitor in Chromium. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { findRoot } from '../../../infra/local/settings';
import { onFreePorts } from '../../support/free-ports';
import { describeInBrowser, launchBrowser } from '../../support/browser';
import { overflow, axeFindings, visit } from '../console/browser';
import { brokenLinks } from './broken-links';

const root = findRoot();

describe('the check of links', () => {
  it('finds pages, anchors and pictures that are not there, and nothing else', () => {
    const site = mkdtempSync(join(tmpdir(), 'site-'));
    try {
      mkdirSync(join(site, 'deep'));
      writeFileSync(
        join(site, 'index.html'),
        '<h1 id="top">x</h1> <a href="/deep/page#here">a</a> <a href="#top">b</a>',
      );
      writeFileSync(
        join(site, 'deep/page.html'),
        '<p id="here"></p> <a href="../">c</a> <a href="/gone">d</a> <a href="/#bottom">e</a> <img src="./no.svg"> <a href="https://elsewhere.example/x">f</a>',
      );
      expect(brokenLinks(site)).toEqual([
        'deep/page.html -> ./no.svg',
        'deep/page.html -> /#bottom',
        'deep/page.html -> /gone',
      ]);
    } finally {
      rmSync(site, { recursive: true });
    }
  });
});

describe('the documentation site', () => {
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    ({ server, url } = await onFreePorts(served));
  });
  afterAll(async () => {
    if (server && server.exitCode === null && server.kill()) await once(server, 'exit');
  });

  it('leads nowhere in vain', () => {
    expect(brokenLinks(join(root, '.local/docs'))).toEqual([]);
  });

  describeInBrowser('in Chromium', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser?.close());

    it.each([
      ['wide and light', {}],
      ['dark', { dark: true }],
      ['at 360 pixels', { width: 360 }],
    ])('takes a visitor from the home page to a tutorial, a reference and a search, %s', async (_look, options) => {
      const { page, complaints } = await visit(browser, options);
      await page.goto(url);
      await page.waitForSelector('text=It knows afterwards what each operation did');
      expect(await axeFindings(page)).toEqual([]);
      await page.click('a:has-text("Operators")');
      await page.waitForSelector('h1:has-text("First credit")');
      await page.click('.vp-doc a:has-text("A lost answer, investigated")');
      await page.waitForSelector('h1:has-text("A lost answer, investigated")');
      expect([await axeFindings(page), await overflow(page)]).toEqual([[], 0]);
      await page.click('.vp-doc a:has-text("Evidence")');
      await page.waitForSelector('h1:has-text("Evidence")');
      await page.goto(`${url}/configuration`);
      await page.waitForSelector('td:has-text("CREDIT_LIMIT_CENTS")');
      expect(await overflow(page)).toBe(0);
      await page.keyboard.press('Control+k');
      await page.fill('#localsearch-input', 'late effect');
      await page.waitForSelector('#localsearch-list a');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.vp-doc h1');
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  });
});

/** Runs the command itself, on this port. */
function served(port: number): Promise<{ readonly server: ChildProcess; readonly url: string }> {
  const server = spawn(process.execPath, ['infra/docs.mjs', '--port', String(port)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  return new Promise((resolve, reject) => {
    const hear = (text: Buffer): void => {
      said += text.toString('utf8');
      const url = /docs: (http:\S+?)\/ /.exec(said)?.[1];
      if (url !== undefined) resolve({ server, url });
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    server.once('exit', (code) => reject(new Error(`npm run docs ended with ${code}: ${said.slice(-2_000)}`)));
  });
}
