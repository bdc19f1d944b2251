// Runs a program in a process group of its own, and ends that group when the standard input closes, which it does however
// the run above ends. The exit code is that of the program.
const { spawn } = require('node:child_process');

const graceMs = 60_000;
const askEveryMs = 200;

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined);
const child = spawn(process.execPath, process.argv.slice(2), {
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit'],
});

/** False when no process of the group is left. */
function signal(name) {
  try {
    process.kill(-child.pid, name);
    return true;
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
    return false;
  }
}

/** What a program leaves behind would disturb the next one. */
async function endGroup() {
  const deadline = Date.now() + graceMs;
  signal('SIGTERM');
  while (signal(0) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  signal('SIGKILL');
}

child.once('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
child.once('exit', (code) => void endGroup().then(() => process.exit(code ?? 1)));
process.stdin.once('close', () => signal('SIGTERM') && void endGroup()).resume();
