// Builds the package that other teams install: CommonJS entries with everything of this repository bundled in,
// declarations without references into the repository, a package.json with the remaining dependencies, and the licences
// of what is bundled. Usage: npm run package [-- --out DIR]; default dist/packages/workspace-platform.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build as bundle } from 'esbuild';
import commandLine from '../../command-line/src/index.cjs';
import command from './package.command.cjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../../..');
const entries = ['tenant-lifecycle', 'connect', 'gateway', 'http'];
/**
 * Modules that are not bundled. The broker's client is bundled, because it depends on an id generator that cannot be
 * installed on Node 20 under strict engines, and this repository's override for that does not reach other projects.
 */
const dependencies = ['zod'];
const bundled = /^(@nats-io\/|standardwebhooks$)/;

/**
 * Writes the package into `out`, replacing its content, and returns the folder.
 * @param {{ out?: string }} [options]
 * @returns {Promise<string>}
 */
export async function buildPackage({ out = join(root, 'dist/packages/workspace-platform') } = {}) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { metafile } = await bundle({
    entryPoints: Object.fromEntries(entries.map((entry) => [entry, join(here, 'src', entry, 'index.ts')])),
    outdir: out,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: dependencies,
    tsconfig: join(root, 'tsconfig.base.json'),
    keepNames: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });
  writeFileSync(join(out, 'THIRD_PARTY_LICENSES'), licencesOf(Object.keys(metafile.inputs)));
  writeDeclarations(out);
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(join(here, 'README.md'), join(out, 'README.md'));
  for (const name of ['LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, name), join(out, name));
  return out;
}

/** The texts that the licences of the bundled packages require to be included. */
function licencesOf(inputs) {
  const names = new Set(
    inputs.flatMap((file) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(file)?.[1] ?? []),
  );
  return [...names]
    .sort()
    .map((name) => {
      const folder = join(root, 'node_modules', name);
      const { version, license } = readJson(join(folder, 'package.json'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function manifest() {
  const { name, version } = readJson(join(here, 'package.json'));
  const pinned = (dependency) => readJson(join(root, 'node_modules', dependency, 'package.json')).version;
  return {
    name,
    version,
    license: 'SEE LICENSE IN LICENSE',
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

/** Declarations of the entries and of everything that they reach, with aliases turned into relative paths. */
function writeDeclarations(out) {
  const { paths } = readJson(join(root, 'tsconfig.base.json')).compilerOptions;
  const emitted = mkdtempSync(join(tmpdir(), 'declarations-'));
  try {
    emitDeclarations(emitted);
    const needed = entries.map((entry) => declarationOf(entry).replace('./types/', ''));
    const done = new Set();
    for (let file = needed.pop(); file; file = needed.pop()) {
      if (done.has(file)) continue;
      done.add(file);
      const target = join(out, 'types', file);
      const text = withRelativeAliases(withoutBundled(readFileSync(join(emitted, file), 'utf8')), target, out, paths);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
      needed.push(...relativeImports(text).map((name) => declarationFile(emitted, join(dirname(file), name))));
    }
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

/** By the native compiler on one thread, in a seventh of the processor time; its only input is a configuration file. */
function emitDeclarations(folder) {
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = {
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    // The sources are checked with the repository, and the suite of the packed package checks the emitted files.
    noCheck: true,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    sourceMap: false,
    rootDir: root,
    outDir: folder,
  };
  const files = entries.map((entry) => join(here, 'src', entry, 'index.ts'));
  writeFileSync(project, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files }));
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project, '--singleThreaded'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the declarations were not emitted:\n${stdout}`);
}

/** Types of bundled modules are used in declarations that outside code cannot name. */
function withoutBundled(text) {
  return text.replace(/^import (?:type )?\{([^}]*)\} from ['"]([^'"]+)['"];$/gm, (whole, names, module) =>
    bundled.test(module)
      ? names
          .split(',')
          .map((name) => `type ${name.replace('type ', '').trim()} = any;`)
          .join('\n')
      : whole,
  );
}

const specifier = /(\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)(['"])([^'"]+)\2/g;

function withRelativeAliases(text, file, out, paths) {
  return text.replace(specifier, (whole, lead, quote, name) => {
    if (!paths[name]) return whole;
    const target = join(out, 'types', paths[name][0].replace(/\.ts$/, ''));
    const path = relative(dirname(file), target).split(sep).join(posix.sep);
    return `${lead}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });
}

function relativeImports(text) {
  return [...text.matchAll(specifier)].map(([, , , name]) => name).filter((name) => name.startsWith('.'));
}

function declarationFile(emitted, base) {
  const found = [`${base}.d.ts`, join(base, 'index.d.ts')].find((file) => existsSync(join(emitted, file)));
  if (!found) throw new Error(`no declaration was emitted for ${base}`);
  return found;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await commandLine.runCommand(command, async ({ values }) => {
    const out = await buildPackage(values.out === undefined ? {} : { out: resolve(values.out) });
    process.stdout.write(`${out}\n`);
    return commandLine.exitCodes.done;
  });
}
