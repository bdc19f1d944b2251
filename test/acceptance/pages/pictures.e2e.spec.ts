/**
 * Every chart is drawn in Chromium and compared with its stored picture. `PICTURES=write` stores the drawn ones; a
 * person reviews the difference before it is committed. Pictures that differ are kept in `.local/pictures`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findRoot } from '../../../infra/local/settings';
import { assets } from '../../../services/query-builder/src/host/chart-page/assets';
import { renderBlock } from '../../../services/query-builder/src/host/chart-page/render-block';
import { describeInBrowser, launchBrowser } from '../../support/browser';
import { drawnCharts, type DrawnChart, type Screen } from './drawn-charts';

const root = findRoot(__dirname);
const stored = join(__dirname, 'pictures');
const differing = join(root, '.local/pictures');
const writes = process.env['PICTURES'] === 'write';
/** The page uses one font from one file wherever possible, so that the machine's own fonts have little influence. */
const font = readFileSync(require.resolve('vitepress/dist/client/theme-default/fonts/inter-roman-latin.woff2'));
/**
 * A pixel differs when a channel differs by more than this, of 255; the edges of letters also differ between browser
 * versions.
 */
const channelTolerance = 48;
/**
 * The share of all pixels: a bar on the other side of zero, or a line with another start, changes several times as
 * many.
 */
const mostDiffering = 0.003;

const screens: Readonly<Record<Screen, BrowserContextOptions>> = {
  light: { colorScheme: 'light', viewport: { width: 560, height: 700 } },
  dark: { colorScheme: 'dark', viewport: { width: 560, height: 700 } },
  phone: { colorScheme: 'light', viewport: { width: 360, height: 740 } },
  'phone-dark': { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
};

const textOf = (name: string): string => assets.find(({ path }) => path.endsWith(`/${name}`))!.text;
const face = `@font-face{font-family:Pictures;src:url(data:font/woff2;base64,${font.toString('base64')})}body{font-family:Pictures,'DejaVu Sans',sans-serif}*{caret-color:transparent}`;

function documentOf({ result, block }: DrawnChart): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><style>${textOf('uplot.css')}${textOf('page.css')}${face}</style>
<main><div class="grid charts">${renderBlock(result, { block, id: 'q0', csv: '?csv=drawn', breakdowns: [] }).markup}</div></main>
<script>${textOf('uplot.js')}</script><script>${textOf('page.js')}</script></html>`;
}

async function draw(page: Page, chart: DrawnChart): Promise<Buffer> {
  await page.setContent(documentOf(chart));
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  if (chart.result.answer.kind === 'answered' && /^(?:line|bars)/.test(chart.name) && !chart.name.includes('no-rows'))
    await page.waitForSelector('.chart canvas');
  return page.locator('.card').screenshot({ animations: 'disabled' });
}

/** Runs in the browser, which can read both pictures without a library. */
const countDiffering = `async ([one, other], tolerance) => {
  const read = async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [left, right] = [await read(one), await read(other)];
  if (left.width !== right.width || left.height !== right.height) return 1;
  let pixels = 0;
  for (let at = 0; at < left.data.length; at += 4)
    if ([0, 1, 2].some((channel) => Math.abs(left.data[at + channel] - right.data[at + channel]) > tolerance)) pixels += 1;
  return pixels / (left.width * left.height);
}`;

/** The share of pixels that differ; 1 for pictures of different sizes. */
function difference(page: Page, pictures: readonly [Buffer, Buffer]): Promise<number> {
  const urls = pictures.map((picture) => `data:image/png;base64,${picture.toString('base64')}`);
  return page.evaluate(`(${countDiffering})(${JSON.stringify(urls)}, ${channelTolerance})`);
}

describeInBrowser('the picture of a chart', () => {
  let browser: Browser;
  const pages = new Map<Screen, Page>();
  const pageOf = async (screen: Screen): Promise<Page> => {
    const page =
      pages.get(screen) ?? (await (await browser.newContext({ deviceScaleFactor: 1, ...screens[screen] })).newPage());
    pages.set(screen, page);
    return page;
  };
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each(drawnCharts.map((chart) => [chart.name, chart] as const))('is the stored one: %s', async (name, chart) => {
    const page = await pageOf(chart.screen);
    const drawn = await draw(page, chart);
    const file = join(stored, `${name}.png`);
    if (writes) writeFileSync(file, drawn);
    expect({ name, isStored: existsSync(file) }).toEqual({ name, isStored: true });
    const differs = await difference(page, [drawn, readFileSync(file)]);
    if (differs > mostDiffering) {
      mkdirSync(differing, { recursive: true });
      writeFileSync(join(differing, `${name}.png`), drawn);
    }
    expect(differs).toBeLessThanOrEqual(mostDiffering);
  });

  it('has a size that a phone shows whole: nothing scrolls sideways', async () => {
    for (const chart of drawnCharts.filter(({ screen }) => screen.startsWith('phone'))) {
      const page = await pageOf(chart.screen);
      await draw(page, chart);
      const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      expect({ name: chart.name, wide }).toEqual({ name: chart.name, wide: 0 });
    }
  });

  it('tells each of these charts from every other of its size: no two are the same', async () => {
    const page = await pageOf('light');
    const all = drawnCharts.map(({ name }) => readFileSync(join(stored, `${name}.png`)));
    const seen = new Set(all.map((picture) => picture.toString('base64')));
    expect(seen.size).toBe(drawnCharts.length);
    expect(drawnCharts.length).toBeGreaterThanOrEqual(40);
    expect(readdirSync(stored).sort()).toEqual(drawnCharts.map(({ name }) => `${name}.png`).sort());
    // A chart that placed the previous period by index would look similar; this comparison must distinguish the two.
    const [index, aligned] = ['line-few-days-of-sums', 'line-one-point-in-a-month'].map((name) =>
      readFileSync(join(stored, `${name}.png`)),
    );
    expect(await difference(page, [index!, aligned!])).toBeGreaterThan(mostDiffering);
  });
});
