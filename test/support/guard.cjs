// Waits on its standard input, which closes when the test run ends in whatever way, and then ends the servers.
const { rmSync } = require('node:fs');

const [folder, ...pids] = process.argv.slice(2);

function endAll() {
  for (const pid of pids) {
    try {
      process.kill(Number(pid), 'SIGTERM');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 50 });
  process.exit(0);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.stdin.on('end', endAll).on('close', endAll).resume();
