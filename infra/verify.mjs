// What CI runs, in one command: lint through nx, strict types, every test. All steps run even when one fails, so that
// one run shows everything; the closing line counts tests, with each failed step or broken suite as one failure.
// With arguments (`npm test -- libs/kernel`) it runs those tests alone.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const totalsFile = join(resolve(root, process.env.LOCAL_DIR ?? '.local'), 'test-totals.json');
const environment = {
  ...process.env,
  NX_DAEMON: 'false',
  NX_NO_CLOUD: 'true',
  NX_TUI: 'false',
  TEST_TOTALS_FILE: totalsFile,
  ...(process.stdout.isTTY ? {} : { NO_COLOR: '1', FORCE_COLOR: '0' }),
};
// With CI set, the parser under the lint canaries would read files from disk instead of the text that it is given.
const testEnvironment = { ...environment, TSESTREE_SINGLE_RUN: 'false' };
const checks = [
  { name: 'lint', command: 'node_modules/.bin/nx', args: ['run', 'repository:lint'] },
  { name: 'types', command: 'node_modules/.bin/tsc', args: ['-p', 'tsconfig.json'] },
  {
    name: 'types of the console',
    command: 'node_modules/.bin/tsc',
    args: ['-p', 'libs/operator-console/tsconfig.json'],
  },
];

/** @returns {Promise<{ name: string, ok: boolean, output: string, seconds: string }>} */
function run({ name, command, args }, { show, env = environment }) {
  const startedAt = Date.now();
  return new Promise((fulfil) => {
    const child = spawn(join(root, command), args, { cwd: root, env, stdio: show ? 'inherit' : 'pipe' });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    const finish = (ok) => fulfil({ name, ok, output, seconds: ((Date.now() - startedAt) / 1_000).toFixed(1) });
    child.once('error', (error) => {
      output += error.message;
      finish(false);
    });
    child.once('close', (code) => finish(code === 0));
  });
}

function report({ name, ok, output, seconds }) {
  if (!ok) console.log(output.trimEnd());
  console.log(`${name}: ${ok ? 'ok' : 'FAILED'} (${seconds} s)`);
}

function readTotals() {
  try {
    return JSON.parse(readFileSync(totalsFile, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: [] };
  }
}

const chosen = process.argv.slice(2);
mkdirSync(dirname(totalsFile), { recursive: true });
rmSync(totalsFile, { force: true });
const finished = chosen.length > 0 ? [] : await Promise.all(checks.map((check) => run(check, { show: false })));
finished.forEach(report);
const tests = await run(
  { name: 'tests', command: 'node_modules/.bin/jest', args: chosen },
  { show: true, env: testEnvironment },
);
const totals = readTotals();
for (const { file, reason } of totals.skipped) console.log(`skipped: ${reason} (${file})`);
if (totals.skipped.length === 0) console.log('skipped: nothing');
const failedChecks = finished.filter(({ ok }) => !ok).map(({ name }) => name);
if (failedChecks.length > 0) console.log(`failed checks: ${failedChecks.join(', ')}`);
const failed = totals.failed + failedChecks.length + (tests.ok || totals.failed > 0 ? 0 : 1);
console.log(`${totals.passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
