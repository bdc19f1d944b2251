import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSourceScan } from './source-scan';

let root: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'source-scan-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a search of the sources', () => {
  const later = (): jest.SpyInstance => jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
  afterEach(() => jest.restoreAllMocks());

  it('finds the sources that hold a word, besides those left out, generated folders and other files', () => {
    for (const path of [
      'pages/a/page.ts',
      'pages/a/b/page.tsx',
      'helpers.mts',
      'node_modules/x/index.ts',
      '.builder/x.ts',
      'reports/a.js',
      'reports/b.mjs',
      'reports/c.cjs',
      'reports/d.jsx',
      'reports/e.cts',
      'notes.md',
      'pages/left/page.ts',
    ])
      write(path, 'model.total();');
    write('pages/other/page.ts', 'model.count();');
    const found = createSourceScan(root)
      .filesWith('total', ['pages/left/page.ts'])
      .map(({ path }) => path);
    expect(found.sort()).toEqual([
      'helpers.mts',
      'pages/a/b/page.tsx',
      'pages/a/page.ts',
      'reports/a.js',
      'reports/b.mjs',
      'reports/c.cjs',
      'reports/d.jsx',
      'reports/e.cts',
    ]);
  });

  it('finds a source that may spell the word by escapes', () => {
    write('pages/a/page.ts', "model['to\\u0074al']();");
    expect(createSourceScan(root).filesWith('total', [])).toHaveLength(1);
  });

  it('sees what was changed, added, moved and removed since the last search', () => {
    later();
    const scan = createSourceScan(root);
    const found = (): string[] =>
      scan
        .filesWith('total', [])
        .map(({ path }) => path)
        .sort();
    write('pages/a/page.ts', 'none');
    expect(found()).toEqual([]);
    write('pages/a/page.ts', 'total');
    expect(found()).toEqual(['pages/a/page.ts']);
    write('pages/new/page.ts', 'total');
    expect(found()).toEqual(['pages/a/page.ts', 'pages/new/page.ts']);
    renameSync(join(root, 'pages/new'), join(root, 'pages/moved'));
    expect(found()).toEqual(['pages/a/page.ts', 'pages/moved/page.ts']);
    rmSync(join(root, 'pages/a'), { recursive: true });
    expect(found()).toEqual(['pages/moved/page.ts']);
  });

  it('is not deceived by an equal length and a modification time that was set back', () => {
    const scan = createSourceScan(root);
    write('pages/a/page.ts', 'count');
    utimesSync(join(root, 'pages/a/page.ts'), 1, 1);
    expect(scan.filesWith('total', [])).toEqual([]);
    write('pages/a/page.ts', 'total');
    utimesSync(join(root, 'pages/a/page.ts'), 1, 1);
    expect(scan.filesWith('total', [])).toHaveLength(1);
  });
});
