// Builds the package that other teams install: two CommonJS entries with everything of this repository bundled in,
// their declarations without a reference back into it, and a package.json that names what stays a dependency.
// Usage: node libs/interfaces/workspace-platform/build.mjs [--out DIR]; default dist/packages/workspace-platform.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build as bundle } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../../..');
const entries = ['tenant-lifecycle', 'connect', 'gateway'];
/** What stays outside. The services client is bundled, because it pins a second copy of the client core. */
const dependencies = ['@nats-io/jetstream', '@nats-io/nats-core', '@nats-io/transport-node', 'zod'];

/**
 * Writes the package into `out`, replacing what was there, and answers its folder.
 * @param {{ out?: string }} [options]
 * @returns {Promise<string>}
 */
export async function buildPackage({ out = join(root, 'dist/packages/workspace-platform') } = {}) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await bundle({
    entryPoints: Object.fromEntries(entries.map((entry) => [entry, join(here, 'src', entry, 'index.ts')])),
    outdir: out,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: dependencies,
    tsconfig: join(root, 'tsconfig.base.json'),
    keepNames: true,
    legalComments: 'linked',
    logLevel: 'warning',
  });
  writeDeclarations(out);
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  const readme = join(here, 'README.md');
  if (existsSync(readme)) copyFileSync(readme, join(out, 'README.md'));
  return out;
}

function manifest() {
  const { name, version } = readJson(join(here, 'package.json'));
  const pinned = (dependency) => readJson(join(root, 'node_modules', dependency, 'package.json')).version;
  return {
    name,
    version,
    description:
      'React to the creation, suspension and reactivation of workspaces, and ask whether a workspace is committed.',
    engines: readJson(join(root, 'package.json')).engines,
    exports: Object.fromEntries(
      entries.map((entry) => [`./${entry}`, { types: declarationOf(entry), default: `./${entry}.js` }]),
    ),
    typesVersions: { '*': Object.fromEntries(entries.map((entry) => [entry, [declarationOf(entry)]])) },
    dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, pinned(dependency)])),
  };
}

const declarationOf = (entry) => `./types/libs/interfaces/workspace-platform/src/${entry}/index.d.ts`;

/** Declarations of the entries and of what they reach, with aliases turned into relative paths. */
function writeDeclarations(out) {
  const { paths } = readJson(join(root, 'tsconfig.base.json')).compilerOptions;
  const emitted = mkdtempSync(join(tmpdir(), 'declarations-'));
  try {
    emitDeclarations(emitted);
    const needed = entries.map(declarationOf);
    const done = new Set();
    for (let file = needed.pop(); file; file = needed.pop()) {
      if (done.has(file)) continue;
      done.add(file);
      const text = withRelativeAliases(readFileSync(join(emitted, file), 'utf8'), file, paths);
      mkdirSync(dirname(join(out, file)), { recursive: true });
      writeFileSync(join(out, file), text);
      needed.push(...relativeImports(text).map((name) => declarationFile(emitted, join(dirname(file), name))));
    }
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

/** By the native compiler: the one with an interface for programs takes seconds for the same text. */
function emitDeclarations(folder) {
  const configuration = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      // The sources are checked with the repository, and what is emitted is checked by the suite of the packed package.
      noCheck: true,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      sourceMap: false,
      rootDir: root,
      outDir: join(folder, 'types'),
      incremental: false,
    },
    files: entries.map((entry) => join(here, 'src', entry, 'index.ts')),
  };
  const file = join(folder, 'tsconfig.json');
  writeFileSync(file, JSON.stringify(configuration));
  execFileSync(process.execPath, [join(root, 'node_modules/typescript-native/bin/tsc'), '-p', file], {
    stdio: ['ignore', 2, 2],
  });
}

const specifier = /(\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)(['"])([^'"]+)\2/g;

function withRelativeAliases(text, file, paths) {
  return text.replace(specifier, (whole, lead, quote, name) => {
    if (!paths[name]) return whole;
    const target = join('types', paths[name][0].replace(/\.ts$/, ''));
    const path = relative(dirname(file), target).split(sep).join(posix.sep);
    return `${lead}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });
}

function relativeImports(text) {
  return [...text.matchAll(specifier)].map(([, , , name]) => name).filter((name) => name.startsWith('.'));
}

function declarationFile(folder, base) {
  const found = [`${base}.d.ts`, join(base, 'index.d.ts')].find((file) => existsSync(join(folder, file)));
  if (!found) throw new Error(`no declaration was emitted for ${base}`);
  return found;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const at = process.argv.indexOf('--out');
  const out = await buildPackage(at > 0 ? { out: resolve(process.argv[at + 1]) } : {});
  process.stdout.write(`${out}\n`);
}
