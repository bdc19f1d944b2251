/**
 * Deliveries that wait for a consumer which does not read: the cost of a start and of a round of the retry worker with
 * them, what the broker holds, and how long a live suspension takes meanwhile. There is no floor: the goal is that none
 * of these values grows with the number of waiting deliveries.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  lifecycleMessageIds,
  lifecycleRequests,
  lifecycleSubjects,
  lifecycleTypes,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectMessaging, ensureTopology, platformTopology, type Messaging } from '@platform/messaging';
import { connectStore } from '@platform/mongo';
import { eventually, freePort } from '@platform/testing';
import { assembleDelivery, deliveryCollections } from '../../services/lifecycle-delivery/src/delivery';
import { deliveryIdOf } from '../../services/lifecycle-delivery/src/domain/delivery';
import { retryLimits } from '../../services/lifecycle-delivery/src/domain/retry';
import { newRoundMemory, retryDeliveries } from '../../services/lifecycle-delivery/src/workflows/retry-deliveries';
import { findRoot } from '../../infra/local/settings';
import { cpuOf } from './cpu-time';
import { startServer } from './lifecycle';
import { openRawDatabase } from './raw-database';
import { drive, progress, summarise, type BenchReport } from './report';

const sizes = (process.env['BENCH_DELIVERIES'] ?? '100000,1000000').split(',').map(Number);
const suspensions = 100;
const root = findRoot(__dirname);
const database = 'lifecycle_delivery';

interface Servers {
  readonly natsUrl: string;
  readonly mongoUrl: string;
  readonly storePid: number;
  readonly started: (child: ChildProcess) => ChildProcess;
}

const operationOf = (index: number): string => `workspace-created:tenant-${index}`;

/** The waiting deliveries arrived over a day, as for a consumer that does not read for that long. */
const dayMs = 86_400_000;
const cameIn = (index: number, count: number, now: number): Date => new Date(now - dayMs + (index * dayMs) / count);
/** Every delivery is due this long after its attempt, by the service's settings. */
const dueAfterMs = retryLimits.intervalMs * (1 + retryLimits.spread);

/**
 * The record after the attempt whose message the broker holds. If the attempt were older than every message that the
 * broker holds, the service would consider it lost and send it again.
 */
function delivery<T extends { readonly createdAt: Date }>(index: number, attemptedAt: Date, fields: T) {
  const { createdAt } = fields;
  const operationId = operationOf(index);
  return {
    ...{ _id: deliveryIdOf(operationId, 'absent'), operationId, consumer: 'absent' },
    ...{ status: 'pending', attemptCount: 1, failureCount: 0, attemptedAt },
    nextAttemptAt: new Date(createdAt.getTime() + dueAfterMs),
    ...fields,
  };
}

/**
 * Publishes the deliveries, then writes their records as the service would: attempted, due, and held by the broker.
 * Resolves with the time at which the last one came in.
 */
async function fill(count: number, messaging: Messaging, { mongoUrl }: Servers): Promise<Date> {
  const filledAt = Date.now();
  const publishedAt: number[] = [];
  progress(`${count} deliveries are published`);
  await drive(count, 256, async (index) => {
    const operationId = operationOf(index);
    const requestedAt = cameIn(index, count, filledAt).toISOString();
    const body = { tenantId: `tenant-${index}`, operationId, transition: 'created', requestedAt };
    const id = lifecycleMessageIds.delivery(deliveryIdOf(operationId, 'absent'), 1);
    const subject = lifecycleSubjects.delivery('created', 'absent');
    publishedAt[index] = Date.now();
    const published = await messaging.publish({ subject, id, type: lifecycleTypes.delivery, body });
    if (published !== 'acknowledged') throw new Error('a delivery was not stored');
  });
  progress(`${count} records are written`);
  const raw = await openRawDatabase(mongoUrl, database);
  const perBatch = 5_000;
  for (let start = 0; start < count; start += perBatch) {
    const some = Array.from({ length: Math.min(perBatch, count - start) }, (_, at) => start + at);
    const fields = (index: number) => {
      const at = cameIn(index, count, filledAt);
      const stamp = { revision: 'bench', createdAt: at, updatedAt: at };
      return { tenantId: `tenant-${index}`, transition: 'created', requestedAt: at, ...stamp };
    };
    await raw.insert(
      'lifecycle_messages',
      some.map((index) => ({
        _id: operationOf(index),
        status: 'awaiting_receipts',
        required: ['absent'],
        ...fields(index),
      })),
    );
    await raw.insert(
      'lifecycle_deliveries',
      some.map((index) => delivery(index, new Date(publishedAt[index]!), fields(index))),
    );
  }
  await raw.close();
  return new Date(filledAt);
}

async function startService({
  natsUrl,
  mongoUrl,
  started,
}: Servers): Promise<{ child: ChildProcess; readyMs: number }> {
  const port = await freePort();
  const begun = performance.now();
  const child = started(
    spawn(process.execPath, [join(root, 'dist/services/lifecycle-delivery/main.js')], {
      env: {
        ...process.env,
        ...{ NATS_URL: natsUrl, MONGODB_URL: `${mongoUrl}/`, MONGODB_DATABASE: database },
        ...{ PORT: String(port), PLATFORM_MODE: 'local', LOG_LEVEL: 'error' },
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok, {
    describe: 'the delivery service',
    deadlineMs: 120_000,
  });
  return { child, readyMs: performance.now() - begun };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
}

async function register(messaging: Messaging, name: string, transition: string): Promise<void> {
  const wanted = { name, transitions: [transition], registeredBy: 'bench' };
  await eventually(async () => (await messaging.request(lifecycleRequests.register(name), wanted, 5_000)).ok, {
    describe: `${name} registered`,
  });
}

/** Suspensions one after the other, each from its message to its settlement. */
async function suspend(messaging: Messaging): Promise<readonly number[]> {
  const settled = new Map<string, () => void>();
  const reading = await messaging.consume({ stream: 'LIFECYCLE_SETTLED', durable: 'operator' }, async ({ body }) => {
    settled.get((body as LifecycleMessage).operationId)?.();
    return { kind: 'ack' };
  });
  const consuming = await messaging.consume({ stream: 'TENANT_LIFECYCLE', durable: 'live' }, async ({ body }) => {
    const { tenantId, operationId, transition } = body as LifecycleMessage;
    const receipt = {
      tenantId,
      operationId,
      transition,
      receiptId: operationId,
      effectiveAt: new Date().toISOString(),
    };
    const id = lifecycleMessageIds.receipt(operationId, 'live');
    await messaging.publish({
      subject: lifecycleSubjects.receipt('live'),
      id,
      type: lifecycleTypes.receipt,
      body: receipt,
    });
    return { kind: 'ack' };
  });
  const run = Date.now().toString(36);
  const { samplesMs } = await drive(suspensions, 1, async (index) => {
    const operationId = `suspend-${run}-${index}`;
    const ended = new Promise<void>((resolve) => settled.set(operationId, resolve));
    const body = { tenantId: 'acme', operationId, transition: 'suspended', requestedAt: new Date().toISOString() };
    const subject = lifecycleSubjects.message('suspended');
    const id = lifecycleMessageIds.message(operationId);
    await messaging.publish({ subject, id, type: lifecycleTypes.message('suspended'), body });
    await ended;
  });
  await consuming.close();
  await reading.close();
  return samplesMs;
}

interface RoundCost {
  readonly published: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly storeCpuMs: number;
}

/**
 * One round of the retry worker over everything that is due, in this process. The round before it ended five minutes
 * before the last delivery came in.
 */
async function round(messaging: Messaging, { mongoUrl, storePid }: Servers, lastCameIn: Date): Promise<RoundCost> {
  const store = await connectStore({
    ...{ url: mongoUrl, database, clock: systemClock, ids: createIds(), log: silentLog, appName: 'bench' },
  });
  for (const declaration of deliveryCollections) store.collection(declaration as never);
  const { ports } = assembleDelivery({ store, messaging, clock: systemClock, random: Math.random, log: silentLog });
  const checked = retryLimits.intervalMs + retryLimits.lateRecordsMs;
  const memory = { ...newRoundMemory(), completeUpTo: new Date(lastCameIn.getTime() - checked) };
  const begun = performance.now();
  const { value, cpuMs } = await cpuOf({ own: process.pid, store: storePid }, () =>
    retryDeliveries(ports, store, { kind: 'due' }, memory),
  );
  const ms = performance.now() - begun;
  await store.close();
  return { published: value.published, ms, cpuMs: cpuMs['own']!, storeCpuMs: cpuMs['store']! };
}

async function measure(count: number, servers: Servers): Promise<readonly string[]> {
  const messaging = await connectMessaging({
    ...{ url: servers.natsUrl, name: 'operator', topology: platformTopology(), log: silentLog, pullExpiresMs: 1_000 },
  });
  const first = await startService(servers);
  await register(messaging, 'absent', 'created');
  await register(messaging, 'live', 'suspended');
  await stop(first.child);
  const lastCameIn = await fill(count, messaging, servers);
  progress('the service starts beside them');
  const { child, readyMs } = await startService(servers);
  const { p50Ms, p99Ms } = summarise(await suspend(messaging), 1);
  const cost = await round(messaging, servers, lastCameIn);
  const [state] = await messaging.streamStates(['TENANT_LIFECYCLE']);
  await stop(child);
  await messaging.close();
  const figures = [
    readyMs / 1_000,
    p50Ms / 1_000,
    p99Ms / 1_000,
    cost.ms / 1_000,
    cost.cpuMs / 1_000,
    cost.storeCpuMs / 1_000,
  ];
  return [
    count.toLocaleString('en-GB'),
    ...figures.map((seconds) => seconds.toFixed(2)),
    String(cost.published),
    ((state?.messages ?? 0) / count).toFixed(3),
  ];
}

async function measureApart(count: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'workspace-platform-backlog-'));
  const children: ChildProcess[] = [];
  const started = (child: ChildProcess): ChildProcess => (children.push(child), child);
  try {
    const data = (name: string): string[] => ['--port', '0', '--data', join(folder, name)];
    const store = await startServer('dist/libs/embedded-mongo/main.js', data('mongo'));
    const broker = await startServer('infra/local/nats-server.mjs', data('nats'));
    [store.child, broker.child].forEach(started);
    await ensureTopology({ url: broker.url, topology: platformTopology() });
    return await measure(count, { natsUrl: broker.url, mongoUrl: store.url, storePid: store.child.pid!, started });
  } finally {
    for (const child of children.reverse()) await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function benchBacklog(): Promise<BenchReport> {
  const rows: (readonly string[])[] = [];
  for (const count of sizes) rows.push(await measureApart(count));
  return {
    title: 'backlog: deliveries that wait for a consumer which does not read',
    head: [
      ...['waiting', 'start to ready s', 'live suspension p50 s', 'p99 s'],
      ...['round s', 'round CPU s', 'store CPU s', 'published', 'copies in the broker'],
    ],
    rows,
    notes: [
      'The deliveries have come in over a day; each is in the broker, one copy, and, but for those of the last minutes, due, for a registered consumer that pulls nothing. The start is that of a process of the service; the round is the one of every five minutes, over everything that is due. Goals: start ≤ 10 s, a live suspension ≤ 2 s, nothing published, one copy.',
    ],
  };
}
