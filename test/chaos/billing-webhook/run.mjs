// Signed deliveries with duplicates, up to 64 of one event at once, to two receivers, while receivers, the owner of the
// events and the broker are killed one after the other with SIGKILL. Afterwards every answer is judged by the records.
// A killed part is ready again before the next one is killed. Usage: node test/chaos/billing-webhook/run.mjs
// [--deliveries 3000] [--kill-every-ms 2500] [--seconds 1800]
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { startNatsServer } from '../../../infra/local/nats-server.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../../..');
const { values } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '3000' },
    'kill-every-ms': { type: 'string', default: '2500' },
    seconds: { type: 'string', default: '1800' },
  },
});
const deliveries = Number(values.deliveries);
const killEveryMs = Number(values['kill-every-ms']);
if (![deliveries, killEveryMs].every((value) => Number.isInteger(value) && value > 0))
  throw new Error('--deliveries and --kill-every-ms are whole numbers above 0');

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'webhook-chaos-'));
const bundles = join(root, '.local/webhook-chaos');
const secret = 'whsec_of_the_webhook_chaos_run';
const [natsPort, storePort, ...receiverPorts] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
const natsUrl = `nats://127.0.0.1:${natsPort}`;
const storeUrl = `mongodb://127.0.0.1:${storePort}/`;
const runsFile = join(folder, 'runs');
const kills = { receiver: 0, owner: 0, broker: 0 };
const violations = [];

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((fulfil) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => fulfil(port));
    });
  });
}

function run(bundle, environment, { args = [], show = false } = {}) {
  const env = { PATH: process.env.PATH, NATS_URL: natsUrl, MONGODB_URL: storeUrl, ...environment };
  const child = spawn(process.execPath, [join(bundles, `${bundle}.js`), ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', show ? 'inherit' : 'ignore'],
  });
  let rest = '';
  child.stdout.on('data', (chunk) => {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith('VIOLATION')) violations.push(line);
      else if (show) process.stdout.write(`  ${line}\n`);
    }
  });
  return child;
}

const ended = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((fulfil) => child.once('exit', fulfil));

async function kill(child) {
  child.kill('SIGKILL');
  await ended(child);
}

async function untilReady(port) {
  for (let tries = 0; tries < 1_800; tries += 1) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (ready?.ok) return;
    await pause(100);
  }
  throw new Error(`the receiver on port ${port} does not become ready`);
}

const saysReady = (child) => new Promise((fulfil) => child.stdout.once('data', fulfil));

const startBroker = () =>
  startNatsServer({ port: natsPort, dataDir: join(folder, 'nats'), logFile: join(folder, 'nats.log') });
const startOwner = () => run('owner', { RUNS_FILE: runsFile });
const startReceiver = (at) =>
  run('main', {
    INSTANCE: `billing-webhook-${at}`,
    PORT: String(receiverPorts[at]),
    PLATFORM_MODE: 'local',
    WEBHOOK_SECRETS: secret,
    WEBHOOK_WAIT_MS: '2000',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  });

const sources = {
  main: 'services/billing-webhook/src/main.ts',
  owner: 'test/chaos/billing-webhook/owner.ts',
  deliver: 'test/chaos/billing-webhook/deliver.ts',
  store: 'libs/embedded-mongo/src/main.ts',
  apply: 'infra/nats/apply.ts',
};
const entryPoints = Object.fromEntries(Object.entries(sources).map(([name, file]) => [name, join(root, file)]));
await build({
  entryPoints,
  outdir: bundles,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  packages: 'external',
  tsconfig: join(root, 'tsconfig.base.json'),
  keepNames: true,
  logLevel: 'warning',
});

let broker = await startBroker();
const store = run('store', {}, { args: ['--port', String(storePort), '--data', join(folder, 'mongo')] });
await ended(run('apply', {}, { args: ['--url', natsUrl] }));
let owner = startOwner();
const receivers = receiverPorts.map((_port, at) => startReceiver(at));
await Promise.all([...receiverPorts.map(untilReady), saysReady(owner)]);
const provider = run(
  'deliver',
  { DELIVERIES: String(deliveries), RECEIVERS: receiverPorts.join(','), SECRET: secret, RUNS_FILE: runsFile },
  { show: true },
);
// At the time limit, what was delivered until then is judged.
const outOfTime = setTimeout(() => provider.kill('SIGTERM'), Number(values.seconds) * 1_000);
const finished = new AbortController();
void ended(provider).then(() => finished.abort());

async function killNext(turn) {
  if (turn % 4 === 0) {
    process.kill(broker.pid, 'SIGKILL');
    await broker.exited;
    broker = await startBroker();
    kills.broker += 1;
  } else if (turn % 4 === 2) {
    await kill(owner);
    owner = startOwner();
    kills.owner += 1;
    await saysReady(owner);
  } else {
    const at = turn % 4 === 1 ? 0 : 1;
    await kill(receivers[at]);
    receivers[at] = startReceiver(at);
    kills.receiver += 1;
    await untilReady(receiverPorts[at]);
  }
}

for (let turn = 1; !finished.signal.aborted; turn += 1) {
  await pause(killEveryMs, undefined, { signal: finished.signal }).catch(() => undefined);
  if (!finished.signal.aborted) await killNext(turn);
}
clearTimeout(outOfTime);
if (provider.exitCode !== 0) violations.push('VIOLATION the deliveries were not brought to their end');
process.stdout.write(`killed: receivers ${kills.receiver}, owner ${kills.owner}, broker ${kills.broker}\n`);
for (const child of [...receivers, owner, store]) await kill(child);
process.kill(broker.pid, 'SIGKILL');
await broker.exited;
rmSync(folder, { recursive: true, force: true });
process.stdout.write(
  violations.length === 0
    ? 'every event handled at most once, no unresolved one answered with a success, every record in one state\n'
    : `${violations.slice(0, 50).join('\n')}\n${violations.length} violations\n`,
);
process.exitCode = violations.length === 0 ? 0 : 1;
