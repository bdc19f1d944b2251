// Waits on its standard input, which closes however the test run ends. Then it stops the servers and the processes that
// suites started for the whole run (`late/<pid>`; each has its own servers and stops its own children), and removes the
// folders of the run.
const { existsSync, readdirSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const { shared, temporary, pids } = JSON.parse(process.argv[2]);
const askEveryMs = 50;
const patienceMs = 60_000;

/** False when the process no longer exists. */
function signal(pid, name) {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
    return false;
  }
}

async function endLate() {
  const late = join(shared, 'late');
  const living = existsSync(late) ? readdirSync(late).map(Number) : [];
  living.forEach((pid) => signal(pid, 'SIGTERM'));
  const deadline = Date.now() + patienceMs;
  while (living.some((pid) => signal(pid, 0)) && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
}

let ending;
async function endAll() {
  for (const pid of pids) signal(pid, 'SIGTERM');
  await endLate();
  for (const folder of [shared, temporary])
    rmSync(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 50 });
  process.exit(0);
}
const end = () => void (ending ??= endAll());

for (const signalName of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signalName, () => undefined);
process.stdin.on('end', end).on('close', end).resume();
