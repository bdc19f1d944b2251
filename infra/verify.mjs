// The checks of CI in one command: formatting, lint, strict types, unused code and every test, by project and from Nx's
// cache where nothing changed. All tasks run even when one fails, so that one run shows everything. The closing line
// counts tests, a cached project with the totals of its run; each failed check counts as one failure. With arguments
// (`npm test -- libs/kernel`) it runs only those suites.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const local = resolve(root, process.env.LOCAL_DIR ?? '.local');
// Nx keeps its outputs inside the repository, whatever LOCAL_DIR is.
const totalsFolder = join(root, '.local', 'test-totals');
const failedFolder = join(root, '.local', 'failed-tasks');
const checks = ['format', 'unused', 'lint', 'typecheck'];
/** The niceness of the checks that run beside the suites, so that no suite waits for them. */
const modest = 5;
const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1', FORCE_COLOR: '0' };

/**
 * With `beside` the program yields to the others, and its output is shown in one piece at its end.
 * @returns {Promise<boolean>} whether the program ended with exit code 0; its output goes to the terminal
 */
function run(program, args, env, { beside = false } = {}) {
  return new Promise((fulfil) => {
    const child = spawn(process.execPath, [join(root, 'node_modules', program), ...args], {
      cwd: root,
      env: { ...process.env, ...plain, ...env },
      stdio: beside ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    if (beside && child.pid !== undefined) setPriority(child.pid, modest);
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(chunk));
    child.once('error', (error) => {
      console.error(error.message);
      fulfil(false);
    });
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(printed));
      fulfil(code === 0);
    });
  });
}

const runTargets = (targets, options) =>
  run(
    'nx/dist/bin/nx.js',
    ['run-many', '-t', ...targets, '--parallel=2'],
    { NX_DAEMON: 'false', NX_TUI: 'false' },
    options,
  );

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const namesIn = (folder) => (existsSync(folder) ? readdirSync(folder).sort() : []);

function sumOf(totals) {
  const sum = (count) => totals.reduce((total, each) => total + count(each), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: totals.flatMap(({ skipped }) => skipped),
  };
}

/** The closing lines; `failedChecks` are tasks other than tests, `ok` is the result of the run as a whole. */
function close({ passed, failed, skipped }, failedChecks, ok) {
  for (const { file, reason } of skipped) console.log(`skipped: ${reason} (${file})`);
  if (skipped.length === 0) console.log('skipped: nothing');
  if (failedChecks.length > 0) console.log(`failed checks: ${failedChecks.join(', ')}`);
  const counted = failed + failedChecks.length;
  const all = counted === 0 && !ok ? 1 : counted;
  console.log(`${passed} passed, ${all} failed`);
  process.exitCode = all > 0 ? 1 : 0;
}

async function verifyAll() {
  for (const folder of [totalsFolder, failedFolder]) rmSync(folder, { recursive: true, force: true });
  // One run of Nx plays the batches of lint, types and tests one after another, whatever its `--parallel` is, and lint
  // leaves a core idle. Two runs use it.
  const [checksPassed, testsPassed] = await Promise.all([runTargets(checks, { beside: true }), runTargets(['test'])]);
  const totals = sumOf(namesIn(totalsFolder).map((name) => read(join(totalsFolder, name))));
  const failedTasks = namesIn(failedFolder);
  // A project with failed suites is counted by its tests, unless its run ended before any could fail.
  const countedByTests = (task) =>
    task.startsWith('test-') &&
    existsSync(join(totalsFolder, `${task.slice('test-'.length)}.json`)) &&
    totals.failed > 0;
  close(
    totals,
    failedTasks.filter((task) => !countedByTests(task)),
    checksPassed && testsPassed,
  );
}

async function verifyChosen(chosen) {
  const file = join(local, 'test-totals.json');
  mkdirSync(local, { recursive: true });
  rmSync(file, { force: true });
  // With CI set, the parser under the lint canaries would read files from disk instead of the given text.
  const ok = await run('jest/bin/jest.js', chosen, { TEST_TOTALS_FILE: file, TSESTREE_SINGLE_RUN: 'false' });
  close(existsSync(file) ? read(file) : { passed: 0, failed: 1, skipped: [] }, [], ok);
}

const chosen = process.argv.slice(2);
await (chosen.length > 0 ? verifyChosen(chosen) : verifyAll());
