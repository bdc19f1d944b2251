/**
 * The files that a chart page loads: its style, its script and the chart library, each at an address that contains a
 * hash of its content.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pageRoutePrefix } from '@platform/base/page';
import partsStyle from '@platform/design-parts/style.css';
import { pageScript } from './page-script';
import { pageStyle } from './page-style';

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2a6fdb" d="M1 9h3v6H1zm5-4h3v10H6zm5-4h3v14h-3z"/></svg>';

const readers = {
  'page.css': () => ({ type: 'text/css; charset=utf-8', text: partsStyle + pageStyle }),
  'page.js': () => ({ type: 'text/javascript; charset=utf-8', text: pageScript }),
  'icon.svg': () => ({ type: 'image/svg+xml', text: icon }),
  'uplot.css': () => ({
    type: 'text/css; charset=utf-8',
    text: readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8'),
  }),
  'uplot.js': () => ({
    type: 'text/javascript; charset=utf-8',
    text: readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8'),
  }),
} as const;

export type AssetName = keyof typeof readers;

export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

/** Read once, at the start of the process. */
export const assets: readonly Asset[] = (Object.keys(readers) as AssetName[]).map((name) => {
  const { type, text } = readers[name]();
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { path: `${pageRoutePrefix}-assets/${digest}/${name}`, type, text };
});

export const assetPaths = Object.fromEntries(
  assets.map(({ path }) => [path.slice(path.lastIndexOf('/') + 1), path]),
) as Readonly<Record<AssetName, string>>;
