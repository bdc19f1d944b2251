// Builds the pages that run in a browser, each into `dist/<entry>`: hashed files, nothing inline. A page is built again
// only when one of its sources, its packages, or this script changed, so a start costs a few file stats.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const frame = join(root, 'libs/design-parts/index.html');
const stampName = '.built-from';

/** Each page: its address, and its sources besides its own folder. */
const pages = {
  'libs/operator-console': {
    title: 'Operator console',
    base: '/console',
    sources: ['libs/design-parts/src', 'libs/contracts/operator/src'],
    packages: ['esbuild', 'preact', 'uplot', '@tanstack/virtual-core'],
  },
  'libs/owner-pages': {
    title: 'Your workspace',
    base: '/account',
    sources: ['libs/design-parts/src', 'libs/contracts/operator/src'],
    packages: ['esbuild', 'preact'],
  },
  'libs/query-studio': {
    title: 'Query studio',
    base: '/dms/studio',
    sources: ['libs/design-parts/src', 'libs/interfaces/builder/src', 'libs/kernel/src'],
    packages: ['esbuild', 'preact', 'uplot', '@codemirror/merge', '@codemirror/view', '@codemirror/state'],
  },
};

/** The names under which the build reports them. */
export const pageEntries = Object.keys(pages);

/**
 * @param {string} entry one of `pageEntries`
 * @returns {Promise<'absent' | 'unchanged' | 'built'>} Throws with the bundler's message.
 */
export async function buildPage(entry) {
  const page = { ...pages[entry], source: join(root, entry) };
  const output = join(root, 'dist', entry);
  if (!existsSync(join(page.source, 'src/main.tsx'))) return 'absent';
  const wanted = stampOf(page, false);
  const stampFile = join(output, stampName);
  const stamp = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : undefined;
  if (stamp?.stats === wanted.stats) return 'unchanged';
  const { content } = stampOf(page, true);
  // When files were touched but their content is the same, the existing build is kept.
  if (stamp?.content !== content) await bundle(page, output);
  mkdirSync(output, { recursive: true });
  writeFileSync(`${stampFile}.${process.pid}`, JSON.stringify({ stats: wanted.stats, content }));
  renameSync(`${stampFile}.${process.pid}`, stampFile);
  return stamp?.content === content ? 'unchanged' : 'built';
}

async function bundle({ source, base, title }, output) {
  const esbuild = await import('esbuild');
  const draft = mkdtempSync(join(tmpdir(), 'page-'));
  try {
    const { metafile } = await esbuild.build({
      absWorkingDir: root,
      entryPoints: [join(source, 'src/main.tsx'), join(source, 'src/mark.svg')],
      outdir: join(draft, 'assets'),
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      assetNames: '[name]-[hash]',
      loader: { '.svg': 'copy' },
      tsconfig: join(source, 'tsconfig.json'),
      bundle: true,
      splitting: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      metafile: true,
      logLevel: 'silent',
    });
    writeFileSync(
      join(draft, 'index.html'),
      pageOf(
        title,
        base,
        Object.keys(metafile.outputs).map((file) => basename(file)),
      ),
    );
    replaceFiles(draft, output);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The HTML that all pages share, with a page's title and the current names of its files. */
function pageOf(title, base, names) {
  const address = (pattern) => `${base}/assets/${names.find((name) => pattern.test(name))}`;
  const values = {
    title,
    name: title.toLowerCase(),
    mark: address(/^mark-.*\.svg$/),
    style: address(/^main-.*\.css$/),
    script: address(/^main-.*\.js$/),
  };
  return readFileSync(frame, 'utf8').replaceAll(/\{(\w+)\}/g, (_whole, name) => values[name]);
}

/** New assets first, then the page that names them, then assets without a reference are removed. */
function replaceFiles(draft, output) {
  const assets = join(output, 'assets');
  mkdirSync(assets, { recursive: true });
  const fresh = readdirSync(join(draft, 'assets'));
  for (const name of fresh) cpSync(join(draft, 'assets', name), join(assets, name));
  cpSync(join(draft, 'index.html'), join(output, `index.html.${process.pid}`));
  renameSync(join(output, `index.html.${process.pid}`), join(output, 'index.html'));
  for (const name of readdirSync(assets)) if (!fresh.includes(name)) rmSync(join(assets, name));
}

function stampOf({ source, sources, packages }, withContent) {
  const files = [
    ...listFiles(source),
    ...sources.flatMap((folder) => listFiles(join(root, folder))),
    frame,
    fileURLToPath(import.meta.url),
    ...packages.map((name) => join(root, 'node_modules', name, 'package.json')),
  ];
  const stats = createHash('sha256');
  const content = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(file);
    stats.update(`${file} ${size} ${mtimeMs}\n`);
    if (withContent) content.update(`${file.slice(root.length)} ${size}\n`).update(readFileSync(file));
  }
  return { stats: stats.digest('hex'), content: content.digest('hex') };
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? listFiles(join(folder, entry.name)) : [join(folder, entry.name)]))
    .filter((file) => /\.(tsx?|css|html|svg)$/.test(file) && !/\.spec\.ts$/.test(file))
    .sort();
}
