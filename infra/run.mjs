// `npm run <command>`: answers `--help` and refuses a wrong command line before anything is installed, built or
// started. Then it prepares what the program needs and runs the program in this process, so that signals and exit codes
// are the program's own. It has no dependencies, because a fresh clone has no packages.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import commandLine from '../libs/command-line/src/index.cjs';
import { isForData, makeFolder } from './local/local-folder.cjs';
import pageProject from './local/page-project.cjs';
import portBase from './local/port-base.cjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const setup = ['infra/setup.mjs'];
const setupToRun = [...setup, '--run'];
const bundles = ['infra/build.mjs', '--quiet'];
const bundlesToRun = [...bundles, '--running'];

/** The declaration of a command, what runs before it, and its program. */
const programs = {
  start: ['infra/local/start', setupToRun, 'dist/infra/local/start.js'],
  test: ['infra/verify', setup, 'infra/verify.mjs'],
  package: ['libs/interfaces/workspace-platform/package', setup, 'libs/interfaces/workspace-platform/build.mjs'],
  'verify:stripe': ['infra/verify-stripe', setup, 'infra/verify-stripe.mjs'],
  docs: ['infra/docs', setup, 'infra/docs.mjs'],
  screenshots: ['infra/screenshots', setup, 'infra/screenshots.mjs'],
  proof: ['test/proof/proof', setup, 'dist/test/proof/main.js'],
  format: ['infra/format', setup, 'infra/format.mjs'],
  pack: ['infra/pack', setup, 'infra/pack.mjs'],
  demo: ['infra/local/demo', bundlesToRun, 'dist/infra/local/demo.js'],
  team: ['infra/nats/team', bundlesToRun, 'dist/infra/nats/team.js'],
  token: ['infra/local/token', bundlesToRun, 'dist/infra/local/token.js'],
  twin: ['libs/provider-twin/src/twin', bundlesToRun, 'dist/libs/provider-twin/main.js'],
  'document-store': ['libs/embedded-mongo/src/document-store', bundlesToRun, 'dist/libs/embedded-mongo/main.js'],
  bench: ['test/bench/bench', bundles, 'dist/test/bench/main.js'],
  ops: ['infra/ops/ops', bundlesToRun, 'infra/local/ops.mjs'],
  wsp: ['libs/wsp/src/wsp', bundlesToRun, 'infra/local/wsp.mjs'],
  builder: [
    'services/query-builder/src/cli/builder',
    [...bundles, 'services/query-builder/src/builder.ts'],
    'dist/services/query-builder/builder.js',
  ],
  sim: ['test/sim/sim', [...bundles, 'test/sim/main.ts'], 'dist/test/sim/main.js'],
  chaos: ['test/chaos/chaos', bundles, 'dist/test/chaos/main.js'],
  mutation: ['test/mutation/mutation', setup, 'test/mutation/mutation.mjs'],
  redteam: ['test/redteam/redteam', bundles, 'dist/test/redteam/main.js'],
  containers: ['test/containers/containers', setup, 'dist/test/containers/main.js'],
  'chaos:migration': ['test/chaos/migration-kills', bundles, 'dist/test/chaos/migration-kills.js'],
};

/** The builder works on the pages of the local platform even before its first start. */
function provideOwnPages() {
  const localDir = resolve(root, process.env.LOCAL_DIR ?? '.local');
  const { pagesDir, own } = pageProject.findPages(process.env, localDir);
  if (!own) return;
  makeFolder(localDir);
  pageProject.providePages({ root, pagesDir });
}

/** The first option that jest does not have; undefined also in a clone in which jest is not installed yet. */
function unknownToJest(args) {
  try {
    const { yargsOptions } = createRequire(require.resolve('jest'))('jest-cli');
    const plain = (option) => option.replace(/^no-/, '').replaceAll('-', '').toLowerCase();
    const names = Object.entries(yargsOptions).flatMap(([option, { alias = [] }]) => [option, ...[alias].flat()]);
    const known = new Set(['version', 'v', ...names].map(plain));
    const end = args.indexOf('--');
    return args.slice(0, end === -1 ? args.length : end).find((each) => {
      const [, option] = /^-(-[A-Za-z][^=.]*|[A-Za-z](?==|$))/.exec(each) ?? [];
      return option !== undefined && !known.has(plain(option.replace(/^-/, '')));
    });
  } catch {
    return undefined;
  }
}

async function run([name = '', ...args]) {
  if (!Object.hasOwn(programs, name)) {
    console.error(`run: unknown command ${name}; there are ${Object.keys(programs).join(', ')}`);
    return commandLine.exitCodes.misused;
  }
  const [declared, before, program] = programs[name];
  const definition = require(join(root, `${declared}.command.cjs`));
  const answered = commandLine.answerCommandLine(commandLine.readCommandLine(definition, args));
  if (answered !== undefined) return answered;
  const unknown = definition.passesOn === 'jest' ? unknownToJest(args) : undefined;
  if (unknown !== undefined) {
    console.error(`${name}: unknown option ${unknown}; --help lists the options`);
    return commandLine.exitCodes.misused;
  }
  const { PORT_BASE: base, LOCAL_DIR: folder } = process.env;
  if (Number.isNaN(portBase.portBaseOf(base))) {
    console.error(`${name}: ${portBase.portBaseRule}, not ${base}`);
    return commandLine.exitCodes.misused;
  }
  if (folder && !isForData(root, folder)) {
    console.error(
      `${name}: LOCAL_DIR must be a folder outside of the checkout, or one in it that begins with .local, not ${folder}`,
    );
    return commandLine.exitCodes.misused;
  }
  // Programs take an empty one for a number, and for the checkout.
  if (base === '') delete process.env.PORT_BASE;
  if (folder === '') delete process.env.LOCAL_DIR;
  const prepared = spawnSync(process.execPath, before, { cwd: root, stdio: 'inherit' });
  if (prepared.status !== 0) return prepared.status ?? commandLine.exitCodes.failed;
  if (name === 'builder') provideOwnPages();
  const file = join(root, program);
  process.argv = [process.execPath, file, ...args];
  if (file.endsWith('.mjs')) await import(pathToFileURL(file).href);
  else {
    // Makes the start of a built program faster.
    require('./local/compile-cache.cjs');
    require(file);
  }
  return undefined;
}

const code = await run(process.argv.slice(2));
if (code !== undefined) process.exitCode = code;
