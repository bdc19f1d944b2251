// Waits on its standard input, which closes however the run ends. The platform then stops, because its channel closes
// too. A process that still runs after the grace period, such as a frozen part, is killed by its pid.
const { existsSync, readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const [folder] = process.argv.slice(2);
const askEveryMs = 200;
const patienceMs = 30_000;

/** The start time of a process distinguishes it from a later one with the same number. */
function beganAt(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function living() {
  const pids = join(folder, 'pids');
  if (!existsSync(pids)) return [];
  return readdirSync(pids).flatMap((name) => {
    try {
      const { pid, began } = JSON.parse(readFileSync(join(pids, name), 'utf8'));
      return beganAt(pid) === began ? [pid] : [];
    } catch {
      return [];
    }
  });
}

async function endAll() {
  // A frozen process receives no signal except this one.
  for (const pid of living()) process.kill(pid, 'SIGCONT');
  const deadline = Date.now() + patienceMs;
  while (living().length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  for (const pid of living()) process.kill(pid, 'SIGKILL');
  process.exit(0);
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined);
let ending;
const end = () => void (ending ??= endAll());
process.stdin.on('end', end).on('close', end).resume();
