// Bundles every runnable entry into `dist/`, one CommonJS file each, so that processes start fast and small. Node
// packages stay external; @platform/* follows the aliases of tsconfig.base.json. An entry is built again only when one
// of the files in its last bundle changed (size and time first, content when those differ).
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import commandLine from '../libs/command-line/src/index.cjs';
import command from './build.command.cjs';
import { buildPage, pageEntries } from './build-page.mjs';
import { buildPackages } from './build-packages.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const manifestFile = join(root, 'dist', '.build.json');
const settings = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  packages: 'external',
  tsconfig: 'tsconfig.base.json',
  sourcemap: true,
  sourcesContent: false,
  // The style that server-drawn pages share with the browser's pages, as a text.
  loader: { '.css': 'text' },
  logLevel: 'silent',
};

/** Programs that have no right to read packages, so packages are bundled into them. */
const selfContained = new Set(['services/query-builder/src/page-code.ts']);

const runnable = [
  { parent: 'services', inside: 'src', names: ['main', 'seed', 'ops', 'builder', 'page-code'] },
  { parent: 'examples', inside: 'src', names: ['main'] },
  { parent: 'libs', inside: 'src', names: ['main'] },
  { parent: 'infra', inside: 'nats', names: ['apply', 'team'], only: '.' },
  { parent: 'infra', inside: 'ops', names: ['main'], only: '.' },
  { parent: 'infra', inside: 'local', names: ['start', 'seed', 'token', 'demo'], only: '.' },
  {
    parent: 'test',
    inside: '.',
    names: [
      'main',
      'operations-floor',
      'document-store-floor',
      'lifecycle-floor',
      'webhooks-floor',
      'lifecycle-consumers',
      'empty-answer',
      'migration-kills',
    ],
  },
];

/**
 * Runnable entries that exist, as paths relative to the repository root.
 * @param {{ running?: boolean }} [options] `running`: without the programs of benchmarks, chaos and simulation.
 * @returns {string[]}
 */
export function findEntries({ running = false } = {}) {
  const found = runnable
    .filter(({ parent }) => !running || parent !== 'test')
    .flatMap(({ parent, inside, names, only }) =>
      (only ? [only] : childFolders(parent)).flatMap((child) =>
        names.map((name) => join(parent, child, inside, `${name}.ts`)),
      ),
    );
  return found.filter((file) => existsSync(join(root, file))).sort();
}

/** The entry points that a project builds: its programs and, for a library, the files that tsconfig's aliases name. */
export function entriesOf(projectRoot) {
  const inside = (file) => file === projectRoot || file.startsWith(`${projectRoot}/`);
  return [...findEntries(), ...libraryEntries(), ...pageEntries].filter(inside);
}

/** Sources that other projects import by name; bundling each shows that all its imports can be resolved. */
function libraryEntries() {
  const { paths } = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8')).compilerOptions;
  return Object.values(paths).flatMap(([file]) => (file.endsWith('.ts') ? [file.replace(/^\.\//, '')] : []));
}

function childFolders(parent) {
  const folder = join(root, parent);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((child) => child.isDirectory())
    .map((child) => child.name);
}

/** `services/operator/src/main.ts` becomes `dist/services/operator/main.js`. */
export function outputOf(entry) {
  return join('dist', entry.replace(/\/src\//, '/').replace(/\.ts$/, '.js'));
}

/**
 * Builds what changed.
 * @param {{ only?: readonly string[], running?: boolean }} [options] `only`: these entries and no others; `running`: what
 *   the platform runs.
 * @returns {Promise<{ built: string[], unchanged: string[], failed: { entry: string, message: string }[], milliseconds: number }>}
 */
export async function build(options = {}) {
  const startedAt = performance.now();
  if (!existsSync(join(root, 'node_modules/esbuild')))
    throw new Error('The packages are not installed yet: run `node infra/setup.mjs` (npm start and npm test do).');
  const manifest = readManifest();
  const { only, running } = options;
  const known = only ? [...findEntries(), ...libraryEntries()] : findEntries({ running });
  const entries = known.filter((entry) => !only || only.includes(entry));
  const stale = entries.filter((entry) => !isCurrent(entry, manifest.entries[entry]));
  const results = stale.length === 0 ? [] : await bundleAll(stale);
  for (const result of results) {
    if (result.record) manifest.entries[result.entry] = result.record;
    else delete manifest.entries[result.entry];
  }
  if (results.length > 0) writeManifest(manifest);
  const failed = results.filter((result) => result.message).map(({ entry, message }) => ({ entry, message }));
  const pages = [];
  for (const entry of pageEntries.filter((each) => !only || only.includes(each)))
    pages.push({ entry, state: await tryPage(entry, failed) });
  const pagesIn = (state) => pages.filter((page) => page.state === state).map(({ entry }) => entry);
  if (!only) await buildShared(failed);
  return {
    built: [...results.filter((result) => result.record).map((result) => result.entry), ...pagesIn('built')],
    unchanged: [...entries.filter((entry) => !stale.includes(entry)), ...pagesIn('unchanged')],
    failed,
    milliseconds: Math.round(performance.now() - startedAt),
  };
}

/** An error in a page is reported like a failed bundle. */
async function tryPage(entry, failed) {
  try {
    return await buildPage(entry);
  } catch (error) {
    failed.push({ entry, message: error.message });
    return 'absent';
  }
}

/** The packages that programs share. Without them starts are only slower, but a wrong list is reported. */
async function buildShared(failed) {
  try {
    await buildPackages();
  } catch (error) {
    failed.push({ entry: 'infra/local/shared-packages.cjs', message: error.message });
  }
}

async function bundleAll(entries) {
  const esbuild = await import('esbuild');
  return Promise.all(entries.map((entry) => bundle(esbuild, entry)));
}

async function bundle(esbuild, entry) {
  try {
    const { metafile, outputFiles } = await esbuild.build({
      ...settings,
      ...(selfContained.has(entry) && { packages: 'bundle' }),
      absWorkingDir: root,
      entryPoints: [entry],
      outfile: outputOf(entry),
      metafile: true,
      write: false,
    });
    for (const { path, contents } of outputFiles) replaceFile(path, contents);
    const inputs = Object.fromEntries(Object.keys(metafile.inputs).map((file) => [file, fingerprint(file)]));
    return { entry, record: { inputs } };
  } catch (error) {
    if (!Array.isArray(error.errors)) throw error;
    const [formatted] = await esbuild.formatMessages(error.errors.slice(0, 1), { kind: 'error' });
    return { entry, message: formatted.trim() };
  }
}

function isCurrent(entry, record) {
  if (!record || !existsSync(join(root, outputOf(entry)))) return false;
  return Object.entries(record.inputs).every(([file, known]) => {
    const stat = statSync(join(root, file), { throwIfNoEntry: false });
    if (!stat) return false;
    if (stat.size === known.size && stat.mtimeMs === known.mtimeMs) return true;
    return fingerprint(file).hash === known.hash;
  });
}

function fingerprint(file) {
  const path = join(root, file);
  const { size, mtimeMs } = statSync(path);
  return { size, mtimeMs, hash: digest(readFileSync(path)) };
}

function digest(content) {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/** Everything whose change affects every bundle: this script, the aliases, the bundler's version. */
function settingsDigest() {
  const bundler = readFileSync(join(root, 'node_modules/esbuild/package.json'));
  const aliases = readFileSync(join(root, 'tsconfig.base.json'));
  return digest(Buffer.concat([Buffer.from(JSON.stringify(settings)), bundler, aliases]));
}

function readManifest() {
  const empty = { settings: settingsDigest(), entries: {} };
  try {
    const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
    return manifest.settings === empty.settings ? manifest : empty;
  } catch {
    return empty;
  }
}

function writeManifest(manifest) {
  replaceFile(manifestFile, JSON.stringify(manifest));
}

/** Replaces a file in one step: neither a concurrent build nor a process that starts meanwhile sees half a file. */
function replaceFile(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content);
  renameSync(draft, file);
}

/** The result of a build in one line, for the terminal. */
export function describeBuild({ built, unchanged, failed, milliseconds }) {
  const parts = [`${built.length} built`, `${unchanged.length} unchanged`];
  if (failed.length > 0) parts.push(`${failed.length} FAILED`);
  return `build: ${parts.join(', ')} (${milliseconds} ms)`;
}

/** An unknown entry name would otherwise build nothing without a message. */
async function runBuild({ words, values: { quiet, running } }) {
  const known = [...findEntries(), ...pageEntries];
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) throw new commandLine.Misuse(`${unknown} is no entry`);
  const result = await build(words.length > 0 ? { only: words } : { running });
  if (!quiet) console.log(describeBuild(result));
  for (const { entry, message } of result.failed) console.error(`\n${entry}\n${message}`);
  return result.failed.length > 0 ? 1 : 0;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  await commandLine.runCommand(command, runBuild);
