// `npm run mutation`: StrykerJS over the core, a folder at a time, with the unit tests of the folder's project. The tool
// is not a dependency of the repository: it is installed into .local/mutation from its own lock file. Exits with 0 when
// every survivor has a reason in survivors.json, 1 when one has none, 2 for a folder that does not exist.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import commandLine from '../../libs/command-line/src/index.cjs';
import command from './mutation.command.cjs';
import scores from './scores.cjs';

const own = dirname(fileURLToPath(import.meta.url));
const { core, lineOf, projectOf, reasonsIn, scoreOf, survivorsOf, tableOf } = scores;
const root = join(own, '../..');
const local = resolve(root, process.env.LOCAL_DIR ?? '.local', 'mutation');
const plugins = ['ignore-sentences.mjs', 'covering-suites.mjs', 'found-survivors.mjs'];
const beside = [...plugins, 'suites.cjs', 'scores.cjs'];
const survivorsFile = join(own, 'survivors.json');
const suites = join(local, 'suites.json');

function install() {
  mkdirSync(local, { recursive: true });
  const lock = 'package-lock.json';
  const wanted = readFileSync(join(own, lock), 'utf8');
  const installed = join(local, 'node_modules', '.package-lock.json');
  const current =
    existsSync(installed) && existsSync(join(local, lock)) && readFileSync(join(local, lock), 'utf8') === wanted;
  for (const file of ['package.json', lock, ...beside]) copyFileSync(join(own, file), join(local, file));
  if (current) return;
  console.log('installing the mutation tool into .local/mutation (once, about 70 MB) …');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: local,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The mutation tool could not be installed; the message of npm is above.');
}

/** Everything that the tool needs to know of one folder or file. */
function configuration(subject, workers, report) {
  const sources = subject.endsWith('.ts') ? [subject] : [`${subject}/**/*.ts`];
  return {
    testRunner: 'jest-covering-suites',
    plugins: plugins.map((plugin) => join(local, plugin)),
    mutate: [...sources, '!**/*.{spec,harness}.ts', '!**/testing/**', '!**/spec-support/**'],
    ignorers: ['sentences'],
    // A change that takes effect while a module is loaded would need every test again; it is counted as not judged.
    ignoreStatic: true,
    coverageAnalysis: 'perTest',
    jest: { projectType: 'custom', configFile: 'test/mutation/jest.config.cjs', enableFindRelatedTests: false },
    concurrency: workers,
    // A change that never ends counts as noticed, so a busy machine must not look like one.
    timeoutMS: 20_000,
    timeoutFactor: 4,
    dryRunTimeoutMinutes: 60,
    disableTypeChecks: false,
    tempDirName: join(local, 'sandbox'),
    ignorePatterns: ['.local', '.nx', 'dist', 'docs', 'examples', 'test/containers', 'test/acceptance'],
    reporters: ['json', 'progress-append-only', 'found-survivors'],
    jsonReporter: { fileName: report },
    thresholds: { high: 100, low: 100, break: null },
    allowEmpty: true,
  };
}

/**
 * The tool takes results from its last report: a change that was noticed keeps its result while the test that noticed it
 * is the same, and one that survived is played again when another test reaches it.
 */
function continued(report) {
  if (!existsSync(report)) return {};
  const incrementalFile = `${report}.last`;
  copyFileSync(report, incrementalFile);
  return { incremental: true, incrementalFile };
}

/** Runs the tool to its exit code; what ends this command ends the tool with its processes, too. */
async function runTool(config, variables) {
  const program = join(local, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  const tool = spawn(process.execPath, [program, 'run', config], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  });
  const end = () => tool.kill();
  process.on('SIGTERM', end);
  const [status] = await once(tool, 'exit');
  process.off('SIGTERM', end);
  return status;
}

/** Plays the mutants of one folder or file with the unit tests below `tests`; returns the tool's report. */
async function playWith(tests, subject, { workers, sweeps, incremental }) {
  const report = join(local, 'reports', `${subject.replaceAll('/', '-')}.json`);
  const found = report.replace(/json$/, 'found.txt');
  const config = join(local, 'stryker.config.json');
  const settings = { ...configuration(subject, workers, report), ...(incremental && continued(report)) };
  for (const file of [report, suites]) rmSync(file, { force: true });
  writeFileSync(config, JSON.stringify(settings, null, 2));
  mkdirSync(dirname(report), { recursive: true });
  console.log(`${subject} by the tests of ${tests}; survivors as they are found: ${relative(process.cwd(), found)}`);
  const status = await runTool(config, {
    MUTATION_ROOTS: tests,
    MUTATION_SUITES: suites,
    MUTATION_FOUND: found,
    MUTATION_KNOWN: survivorsFile,
    ...(sweeps && { MUTATION_SWEEPS: '1' }),
  });
  if (status !== 0 || !existsSync(report)) throw new Error(`The tool ended early on ${subject}; its message is above.`);
  return JSON.parse(readFileSync(report, 'utf8'));
}

/** Own tests first: they are few, and notice most changes. Those of the whole project play what is left. */
async function play(subject, known, options) {
  const folder = subject.endsWith('.ts') ? dirname(subject) : subject;
  const own = readdirSync(join(root, folder), { recursive: true }).some((file) => file.endsWith('.unit.spec.ts'));
  const project = projectOf(subject);
  if (!own || folder === project) return playWith(project, subject, options);
  const report = await playWith(folder, subject, options);
  return survivorsOf(report, reasonsIn(known)).every(({ reason }) => reason !== undefined)
    ? report
    : playWith(project, subject, { ...options, incremental: true });
}

async function mutate({ values: options }) {
  const subjects = options.only ? options.only.split(',').map((each) => each.replace(/\/$/, '')) : core;
  const unknown = subjects.filter((each) => !existsSync(join(root, each)));
  if (unknown.length > 0) throw new commandLine.Misuse(`there is no ${unknown.join(', ')}`);
  if (options.incremental && options.write)
    throw new commandLine.Misuse('--write publishes what a whole run has judged; leave out --incremental');
  install();
  const known = JSON.parse(readFileSync(survivorsFile, 'utf8')).survivors;
  const commit = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim();
  const rows = [];
  let unexplained = 0;
  for (const subject of subjects) {
    const report = await play(subject, known, options);
    const survivors = survivorsOf(report, reasonsIn(known));
    rows.push(scoreOf(subject, report, survivors, commit));
    const open = survivors.filter(({ reason }) => reason === undefined);
    unexplained += open.length;
    for (const survivor of open) console.log(lineOf(survivor));
  }
  console.log(`\n${tableOf(rows)}\n`);
  if (options.write) writeTable(rows);
  console.log(
    unexplained === 0
      ? 'mutation: every survivor has a reason'
      : `mutation: ${unexplained} survivors without a reason; kill each with a test, or name its reason in test/mutation/survivors.json`,
  );
  return unexplained === 0 ? commandLine.exitCodes.done : commandLine.exitCodes.failed;
}

function writeTable(rows) {
  const file = join(root, 'docs/verification-tables.md');
  const [start, end] = ['<!-- mutation scores -->\n', '<!-- end of mutation scores -->'];
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf(end);
  writeFileSync(file, `${text.slice(0, from)}${tableOf(rows, text.slice(from, to))}\n${text.slice(to)}`);
}

await commandLine.runCommand(command, mutate);
