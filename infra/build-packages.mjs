// Bundles the packages that programs share into `dist/packages.js`, which infra/local/compile-cache.cjs supplies to
// them. It is built again only when the installed packages, their list, or this script changed.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(import.meta.url);
const root = join(dirname(script), '..');
const listFile = join(root, 'infra/local/shared-packages.cjs');

/**
 * @returns {Promise<'absent' | 'unchanged' | 'built'>} `absent`: this repository has no such list. Throws with the
 *   bundler's message.
 */
export async function buildPackages() {
  if (!existsSync(listFile)) return 'absent';
  const { packagesFileOf, sharedPackages } = createRequire(import.meta.url)(listFile);
  const file = packagesFileOf(root);
  const stamp = `// ${stampOf()}\n`;
  if (existsSync(file) && beginningOf(file, stamp.length) === stamp) return 'unchanged';
  const code = await bundle(sharedPackages);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, stamp + code);
  renameSync(`${file}.${process.pid}`, file);
  return 'built';
}

/** The texts of the checks in some sixty languages, of which the platform shows one. */
const englishOnly = {
  name: 'english-only',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.\/locales\/index\.cjs$/ }, ({ importer, resolveDir }) =>
      importer.includes(join('zod', 'v4')) ? { path: join(resolveDir, '../locales/en.cjs') } : undefined,
    ),
};

/** Each package is evaluated on first use. Names stay unchanged, because errors are recognised by them. */
async function bundle(names) {
  const esbuild = await import('esbuild');
  const lines = names.map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)}),`);
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    stdin: { contents: `module.exports = {\n${lines.join('\n')}\n};`, resolveDir: root },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // A cached script cannot use dynamic import, so imports of packages become require calls.
    supported: { 'dynamic-import': false },
    plugins: [englishOnly],
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'silent',
    write: false,
  });
  return outputFiles[0].text;
}

function beginningOf(file, length) {
  const opened = openSync(file, 'r');
  const bytes = Buffer.alloc(length);
  readSync(opened, bytes);
  closeSync(opened);
  return bytes.toString('utf8');
}

function stampOf() {
  const hash = createHash('sha256');
  for (const file of [script, listFile, join(root, 'package-lock.json')]) hash.update(readFileSync(file));
  return hash.digest('hex');
}
