// Real processes under load, killed one after the other every few seconds with SIGKILL: the service, the consumers, and
// the broker, sometimes with its data removed. Afterwards the consumers' own files show what was lost or done twice. A
// process that is killed before it has started does nothing, so kill less often on a busy machine. Usage: node
// test/chaos/lifecycle-delivery/run.mjs [--operations 400] [--wipes 2] [--kill-every-ms 2500] [--seconds 300]
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
const consumerCount = 5;
const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '400' },
    wipes: { type: 'string', default: '2' },
    'kill-every-ms': { type: 'string', default: '2500' },
    seconds: { type: 'string', default: '300' },
  },
});
const operations = Number(values.operations);
const wipes = Number(values.wipes);
const killEveryMs = Number(values['kill-every-ms']);
if (![operations, killEveryMs].every((value) => Number.isInteger(value) && value > 0))
  throw new Error('--operations and --kill-every-ms are whole numbers above 0');

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'lifecycle-chaos-'));
const bundles = join(root, '.local/lifecycle-chaos');
const [natsPort, storePort, httpPort] = await Promise.all([freePort(), freePort(), freePort()]);
const natsUrl = `nats://127.0.0.1:${natsPort}`;
const kills = { service: 0, consumer: 0, broker: 0, wiped: 0 };
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
  const child = spawn(process.execPath, [join(bundles, `${bundle}.js`), ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, NATS_URL: natsUrl, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.on('data', (chunk) => {
    for (const line of String(chunk).split('\n').filter(Boolean)) {
      if (line.startsWith('VIOLATION')) violations.push(line);
      if (show) process.stdout.write(`  ${line}\n`);
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

const startBroker = () =>
  startNatsServer({ port: natsPort, dataDir: join(folder, 'nats'), logFile: join(folder, 'nats.log') });
const applyTopology = () => ended(run('apply', {}, { args: ['--url', natsUrl] }));
const startService = () =>
  run('main', {
    PORT: String(httpPort),
    MONGODB_URL: `mongodb://127.0.0.1:${storePort}/`,
    PLATFORM_MODE: 'local',
    LOG_LEVEL: 'error',
  });
const fileOf = (kind, name) => join(folder, `${kind}-${name}`);
const startConsumer = (name) =>
  run('consumer', { NAME: name, EFFECTS_FILE: fileOf('effects', name), RUNS_FILE: fileOf('runs', name) });

async function bundleAll() {
  const entries = {
    main: 'services/lifecycle-delivery/src/main.ts',
    consumer: 'test/chaos/lifecycle-delivery/consumer.ts',
    operator: 'test/chaos/lifecycle-delivery/operator.ts',
    store: 'libs/embedded-mongo/src/main.ts',
    apply: 'infra/nats/apply.ts',
  };
  const entryPoints = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)]));
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
}

function lines(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** Reads a consumer's files; each missing or repeated effect is a violation. */
function judge(name) {
  const effects = lines(fileOf('effects', name));
  const runs = lines(fileOf('runs', name)).length;
  const distinct = new Set(effects).size;
  if (distinct < operations) violations.push(`VIOLATION ${name} misses ${operations - distinct} effects`);
  if (effects.length > distinct) violations.push(`VIOLATION ${name} did ${effects.length - distinct} effects twice`);
  process.stdout.write(
    `  ${name}: ${distinct} effects, ${effects.length - distinct} twice, ${(runs / operations).toFixed(3)} runs per message\n`,
  );
}

await bundleAll();
let broker = await startBroker();
const store = run('store', {}, { args: ['--port', String(storePort), '--data', join(folder, 'mongo')] });
await applyTopology();
let service = startService();
const names = Array.from({ length: consumerCount }, (_, number) => `consumer-${number}`);
const consumers = new Map(names.map((name) => [name, startConsumer(name)]));
await Promise.all([...consumers.values()].map((child) => new Promise((fulfil) => child.stdout.once('data', fulfil))));
const operator = run('operator', { OPERATIONS: String(operations), CONSUMERS: String(consumerCount) }, { show: true });
const giveUp = setTimeout(() => operator.kill('SIGKILL'), Number(values.seconds) * 1_000);
const finished = new AbortController();
void ended(operator).then(() => finished.abort());

async function killNext(turn) {
  if (turn % 4 === 2) {
    await kill(service);
    service = startService();
    kills.service += 1;
  } else if (turn % 4 === 3) {
    process.kill(broker.pid, 'SIGKILL');
    await broker.exited;
    const wipe = kills.wiped < wipes;
    if (wipe) rmSync(join(folder, 'nats'), { recursive: true, force: true });
    broker = await startBroker();
    if (wipe) await applyTopology();
    kills.broker += 1;
    kills.wiped += wipe ? 1 : 0;
  } else {
    const name = names[turn % consumerCount];
    await kill(consumers.get(name));
    consumers.set(name, startConsumer(name));
    kills.consumer += 1;
  }
}

for (let turn = 1; !finished.signal.aborted; turn += 1) {
  await pause(killEveryMs, undefined, { signal: finished.signal }).catch(() => undefined);
  if (!finished.signal.aborted) await killNext(turn);
}
clearTimeout(giveUp);
if (operator.exitCode !== 0) violations.push(`VIOLATION not everything settled within ${values.seconds} s`);
process.stdout.write(
  `killed: service ${kills.service}, consumers ${kills.consumer}, broker ${kills.broker}, of these with its data removed ${kills.wiped}\n`,
);
names.forEach(judge);
for (const child of [...consumers.values(), service, store]) await kill(child);
process.kill(broker.pid, 'SIGKILL');
rmSync(folder, { recursive: true, force: true });
process.stdout.write(
  violations.length === 0
    ? `${operations} operations for ${consumerCount} consumers: nothing lost, no effect twice\n`
    : `${violations.join('\n')}\n`,
);
process.exitCode = violations.length === 0 ? 0 : 1;
