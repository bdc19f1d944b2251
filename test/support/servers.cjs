// Starts the two embedded servers that all suites share. It stops them by process id however the run ends: in the
// teardown, at the exit of this process, or through a guard process when this one is killed.
const { spawn } = require('node:child_process');
const { chmodSync, existsSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '../..');
const storeEntry = 'libs/embedded-mongo/src/main.ts';
/** Only a server that hangs takes this long. */
const readyTimeoutMs = 120_000;

/**
 * The folders of a run. `shared` has the servers' data and is in memory when possible, because tests request durability
 * but do not need it. `temporary` is the system's temporary folder of every suite, so that no suite leaves one behind.
 */
function foldersOfRun() {
  const shared = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'workspace-platform-tests-'));
  // Its name is part of what suites print, so it has no word that they search for.
  const temporary = mkdtempSync(join(tmpdir(), 'test-run-'));
  // Some suites let another user read what is below it, as in the system's own folder.
  chmodSync(temporary, 0o1777);
  return { shared, temporary };
}

/** @returns {Promise<{ url: string, pid: number }>} */
async function startNats(folder) {
  const { startNatsServer } = await import('../../infra/local/nats-server.mjs');
  const { url, pid } = await startNatsServer({
    port: 0,
    dataDir: join(folder, 'nats'),
    logFile: join(folder, 'nats.log'),
  });
  return { url, pid };
}

/**
 * The document store, or undefined as long as the repository has no entry for it.
 * @returns {Promise<{ url: string, pid: number } | undefined>}
 */
async function startDocumentStore(folder) {
  if (!existsSync(join(root, storeEntry))) return undefined;
  const { build, outputOf } = await import('../../infra/build.mjs');
  const { failed } = await build({ only: [storeEntry] });
  const bundle = join(root, outputOf(storeEntry));
  if (failed.length > 0) {
    // While a developer edits the store, all other tests still run, on its last working bundle.
    if (process.env.CI || !existsSync(bundle))
      throw new Error(`The document store could not be bundled:\n${failed[0].message}`);
    process.stderr.write(`The document store could not be bundled; its last bundle is used.\n${failed[0].message}\n`);
  }
  return startPrinting('document store', [bundle, '--port', '0', '--data', join(folder, 'mongo')]);
}

/** Runs a Node program that prints `ready <url>` once it serves. */
function startPrinting(name, args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  return new Promise((fulfil, reject) => {
    const fail = (reason) => {
      child.kill('SIGKILL');
      reject(new Error(`The ${name} of the tests ${reason}:\n${output.slice(-2_000)}`));
    };
    const timer = setTimeout(() => fail(`was not ready within ${readyTimeoutMs} ms`), readyTimeoutMs);
    const ended = (code) => fail(`ended at once (${code})`);
    child.once('exit', ended);
    child.once('error', reject);
    const read = (chunk) => {
      output = (output + chunk).slice(-10_000);
      const url = /^ready (\S+)$/m.exec(output)?.[1];
      if (!url) return;
      clearTimeout(timer);
      child.removeListener('exit', ended);
      child.stdout.resume();
      child.stderr.resume();
      child.unref();
      child.stdout.unref();
      child.stderr.unref();
      fulfil({ url, pid: child.pid });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
  });
}

/** A process that waits for this one to end and then stops the servers, even after SIGKILL. */
function startGuard(pids, folders) {
  const guard = spawn(process.execPath, [join(__dirname, 'guard.cjs'), JSON.stringify({ ...folders, pids })], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  guard.stdin.unref();
  return () => guard.stdin.end();
}

function endProcess(pid) {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function removeFolders({ shared, temporary }) {
  for (const folder of [shared, temporary])
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

module.exports = { foldersOfRun, startNats, startDocumentStore, startGuard, endProcess, removeFolders };
