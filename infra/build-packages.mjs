// Bundles the packages that programs share into `dist/packages`, which infra/local/compile-cache.cjs supplies to them. A
// file is built again only when the installed packages, their list, or this script changed.
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
  const { packagesFolderOf, sharedPackages } = createRequire(import.meta.url)(listFile);
  const folder = packagesFolderOf(root);
  const stamp = `// ${stampOf()}\n`;
  const fileOf = (group) => join(folder, `${group}.js`);
  const isCurrent = (group) => existsSync(fileOf(group)) && beginningOf(fileOf(group), stamp.length) === stamp;
  const outdated = Object.keys(sharedPackages).filter((group) => !isCurrent(group));
  mkdirSync(folder, { recursive: true });
  await Promise.all(
    outdated.map(async (group) => {
      const draft = `${fileOf(group)}.${process.pid}`;
      writeFileSync(draft, stamp + (await bundle(group, sharedPackages)));
      renameSync(draft, fileOf(group));
    }),
  );
  return outdated.length === 0 ? 'unchanged' : 'built';
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
async function bundle(group, groups) {
  const esbuild = await import('esbuild');
  const lines = groups[group].map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)}),`);
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    stdin: { contents: `module.exports = {\n${lines.join('\n')}\n};`, resolveDir: root },
    bundle: true,
    external: Object.entries(groups).flatMap(([other, names]) => (other === group ? [] : names)),
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
