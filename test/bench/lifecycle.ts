/**
 * Tenant lifecycle transitions to five required consumers and back, from the operator's message to the settlement: the
 * service and the published consumer package, compared with hand-written raw calls, on one broker and one document
 * store, in alternating rounds.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers as createHeaders, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { ensureTopology, platformTopology } from '@platform/messaging';
import { freePort } from '@platform/testing';
import { findRoot } from '../../infra/local/settings';
import { cpuOf } from './cpu-time';
import { consumerNames, floorDurable, floorNamespace, floorStream } from './lifecycle-work';
import { drive, median, progress, summarise, type BenchReport, type Side } from './report';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const transitions = Number(process.env['BENCH_TRANSITIONS'] ?? 10_000);
const inFlight = 128;
const root = findRoot(__dirname);

interface Party {
  readonly prefix: string;
  readonly stream: (name: string) => string;
}

const platform: Party = { prefix: '', stream: (name) => name };
const floor: Party = { prefix: `${floorNamespace}.`, stream: floorStream };

/** A child process that prints `ready <url>`. */
export async function startServer(
  file: string,
  args: readonly string[],
): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(root, file), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('ready ')) return { url: line.slice('ready '.length), child };
  }
  throw new Error(`${file} ended before it served`);
}

async function startPart(
  file: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<ChildProcess> {
  const child = fork(join(root, 'dist/test/bench', file), [...args], { env: { ...process.env, ...environment } });
  const [said] = (await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [undefined])])) as [
    unknown,
  ];
  if (said !== 'ready') throw new Error(`${file} ended before it was ready`);
  return child;
}

/** Collects settlements; `of` resolves when the one of this operation has arrived. */
async function watchSettlements(
  connection: NatsConnection,
  { stream }: Party,
): Promise<{ of(operationId: string): Promise<void>; stop(): void }> {
  const arrived = new Set<string>();
  const waiting = new Map<string, () => void>();
  const consumer = await jetstream(connection).consumers.get(stream('LIFECYCLE_SETTLED'), 'operator');
  const messages = await consumer.consume({ max_messages: 500 });
  void (async () => {
    for await (const message of messages) {
      const { operationId } = message.json<{ operationId: string }>();
      arrived.add(operationId);
      waiting.get(operationId)?.();
      waiting.delete(operationId);
      message.ack();
    }
  })();
  return {
    of: (operationId) =>
      arrived.has(operationId) ? Promise.resolve() : new Promise((resolve) => waiting.set(operationId, resolve)),
    stop: () => messages.stop(),
  };
}

interface Measured extends Side {
  readonly cpuMs: Readonly<Record<string, number>>;
}

let sequence = 0;

async function measure(
  connection: NatsConnection,
  party: Party,
  total: number,
  pids: Readonly<Record<string, number>>,
): Promise<Measured> {
  const js = jetstream(connection);
  const settled = await watchSettlements(connection, party);
  const prefix = `bench-${(sequence += 1)}`;
  const requestedAt = new Date().toISOString();
  const { value, cpuMs } = await cpuOf(pids, () =>
    drive(total, inFlight, async (index) => {
      const operationId = `${prefix}-${index}`;
      const body = { tenantId: `tenant-${index}`, operationId, transition: 'suspended', requestedAt };
      const headers = headersOf(operationId);
      await js.publish(`${party.prefix}lifecycle.message.suspended`, JSON.stringify(body), {
        msgID: `lifecycle:${operationId}`,
        headers,
      });
      await settled.of(operationId);
    }),
  );
  settled.stop();
  return {
    ...summarise(value.samplesMs, value.elapsedMs),
    cpuMs: Object.fromEntries(Object.entries(cpuMs).map(([name, spent]) => [name, spent / total])),
  };
}

function headersOf(operationId: string): MsgHdrs {
  const headers = createHeaders();
  for (const [name, value] of Object.entries({
    'ce-id': `lifecycle:${operationId}`,
    'ce-type': 'lifecycle.message.suspended.v1',
    'ce-source': 'bench',
    'ce-time': new Date().toISOString(),
  }))
    headers.set(name, value);
  return headers;
}

interface Bench {
  readonly connection: NatsConnection;
  /** Handler runs of the platform's consumers so far. */
  readonly runs: () => Promise<number>;
  readonly pids: { readonly ours: Readonly<Record<string, number>>; readonly theirs: Readonly<Record<string, number>> };
}

/** Five durables of the floor, like those that the service creates for registered consumers. */
async function declareFloor(connection: NatsConnection, url: string): Promise<void> {
  await ensureTopology({ url, topology: platformTopology(), namespace: floorNamespace });
  const manager = await jetstreamManager(connection);
  for (const name of consumerNames) {
    await manager.consumers.add(floorStream('TENANT_LIFECYCLE'), {
      durable_name: floorDurable(name),
      ack_policy: AckPolicy.Explicit,
      filter_subject: `${floor.prefix}tenant.lifecycle.*.${name}`,
      ack_wait: 30_000_000_000,
      max_ack_pending: 256,
      max_deliver: -1,
    });
  }
}

async function openBench(folder: string, started: (child: ChildProcess) => ChildProcess): Promise<Bench> {
  const store = await startServer('dist/libs/embedded-mongo/main.js', ['--port', '0', '--data', join(folder, 'mongo')]);
  started(store.child);
  const broker = await startServer('infra/local/nats-server.mjs', ['--port', '0', '--data', join(folder, 'nats')]);
  started(broker.child);
  const environment = { NATS_URL: broker.url, MONGODB_URL: store.url };
  await ensureTopology({ url: broker.url, topology: platformTopology() });
  const connection = await connect({ servers: broker.url });
  await declareFloor(connection, broker.url);
  const service = started(
    spawn(process.execPath, [join(root, 'dist/services/lifecycle-delivery/main.js')], {
      env: {
        ...process.env,
        ...environment,
        MONGODB_URL: `${store.url}/`,
        PORT: String(await freePort()),
        PLATFORM_MODE: 'local',
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const consumers = started(await startPart('lifecycle-consumers.js', environment));
  const floorDelivery = started(await startPart('lifecycle-floor.js', environment, ['delivery']));
  const floorConsumers = started(await startPart('lifecycle-floor.js', environment, ['consumers']));
  const shared = { store: store.child.pid! };
  return {
    connection,
    runs: async () => {
      consumers.send('runs');
      return ((await once(consumers, 'message')) as [{ runs: number }])[0].runs;
    },
    pids: {
      ours: { ...shared, service: service.pid!, consumers: consumers.pid! },
      theirs: { ...shared, service: floorDelivery.pid!, consumers: floorConsumers.pid! },
    },
  };
}

const rate = (side: readonly Side[]) => median(side.map(({ perSecond }) => perSecond)).toFixed(0);
const millis = (values: readonly number[]) => median(values).toFixed(1);
const cpu = (side: readonly Measured[], name: string) => median(side.map(({ cpuMs }) => cpuMs[name]!)).toFixed(2);

async function runBench({ connection, runs, pids }: Bench): Promise<BenchReport> {
  const perRound = Math.ceil(transitions / rounds);
  const [ours, theirs]: [Measured[], Measured[]] = [[], []];
  for (const party of [platform, floor]) await measure(connection, party, Math.min(perRound, 500), {});
  const runsBefore = await runs();
  for (let round = 0; round < rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds}, ${perRound} transitions on either side`);
    ours.push(await measure(connection, platform, perRound, pids.ours));
    theirs.push(await measure(connection, floor, perRound, pids.theirs));
  }
  const runRatio = ((await runs()) - runsBefore) / (perRound * rounds * consumerNames.length);
  const ratio = median(ours.map((side, at) => side.perSecond / theirs[at]!.perSecond));
  const cpus = ['service', 'consumers', 'store'].map((name) => `${cpu(ours, name)} / ${cpu(theirs, name)}`);
  return {
    title: 'lifecycle: transitions per second to five required consumers and back, service against floor',
    head: [
      'transitions',
      'in flight',
      'service /s',
      'floor /s',
      'ratio',
      'p50 ms',
      'floor p50',
      'p99 ms',
      'runs per message',
      'service CPU ms',
      'consumers CPU ms',
      'store CPU ms',
    ],
    rows: [
      [
        String(perRound * rounds),
        String(inFlight),
        rate(ours),
        rate(theirs),
        ratio.toFixed(2),
        millis(ours.map(({ p50Ms }) => p50Ms)),
        millis(theirs.map(({ p50Ms }) => p50Ms)),
        millis(ours.map(({ p99Ms }) => p99Ms)),
        runRatio.toFixed(3),
        ...cpus,
      ],
    ],
    notes: [
      `${rounds} alternating rounds on one broker and one embedded document store, majority and journal on every write, each message with its id; per transition ${consumerNames.length} deliveries, ${consumerNames.length} receipts and one settlement. Goal: ratio ≥ 0.8, runs per message ≤ 1.02.`,
      'The floor makes the same driver and broker calls by hand, in as many processes. CPU: milliseconds per transition, service / floor, as the kernel counts them.',
    ],
  };
}

export async function benchLifecycle(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'workspace-platform-bench-'));
  const children: ChildProcess[] = [];
  let connection: NatsConnection | undefined;
  try {
    const bench = await openBench(folder, (child) => (children.push(child), child));
    connection = bench.connection;
    return await runBench(bench);
  } finally {
    await connection?.close();
    for (const child of children.reverse()) {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
