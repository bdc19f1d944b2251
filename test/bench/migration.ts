/**
 * Plan migrations of 10,000 and 100,000 workspaces on a separate document store: the executor as the service composes
 * it, a provider that answers at once, no rate limit. The bench shows that an item costs the same at the end of a long
 * list as at its beginning, and that memory does not grow with the list. CPU is counted, because time depends on the
 * machine's other work.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { plainRegister } from '@platform/durable/executors';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore, type Store } from '@platform/mongo';
import { createOutboxRelay } from '@platform/outbox';
import type { CallIntent, ProviderSubscription } from '@platform/payment-provider';
import type { Effect, ObjectOf } from '@platform/payment-provider/effects';
import { MongoClient, type Db, type Document } from 'mongodb';
import { findRoot } from '../../infra/local/settings';
import { newMigration } from '../../services/operator/src/migrations/domain/migration';
import { planMigrationItemsCollection } from '../../services/operator/src/migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../services/operator/src/migrations/store/plan-migrations';
import { plansCollection } from '../../services/operator/src/catalogue/store/plans';
import { mirrorRefreshesCollection } from '../../services/operator/src/mirror/store/mirror-refreshes';
import { subscriptionsCollection } from '../../services/operator/src/mirror/store/subscriptions';
import type { MigrationPorts } from '../../services/operator/src/migrations/workflows/ports';
import { readMigration } from '../../services/operator/src/migrations/workflows/read-migration';
import { runMigration } from '../../services/operator/src/migrations/workflows/run-migration';
import { cpuMsOf } from './cpu-time';
import { migrationFloor } from './migration-floor';
import { median, progress, summarise, type BenchReport } from './report';

const sizes = (process.env['BENCH_ITEMS'] ?? '10000,100000').split(',').map(Number);
const floorItems = Number(process.env['BENCH_FLOOR_ITEMS'] ?? 5_000);
const lanes = 4;
const seedChunk = 5_000;
const pagesRead = 200;

type Row = Document & { _id: string };

/** One tenth of a list: CPU per item and the smallest heap seen during it. */
interface Tenth {
  readonly cpuMsPerItem: number;
  readonly perSecond: number;
  readonly heapMegabytes: number;
}

async function startStore(dataDir: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(
    process.execPath,
    [
      '--max-old-space-size=512',
      join(findRoot(__dirname), 'dist/libs/embedded-mongo/main.js'),
      '--port',
      '0',
      '--data',
      dataDir,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  for await (const line of createInterface(child.stdout))
    if (line.startsWith('ready ')) return { url: line.slice('ready '.length), child };
  throw new Error('the document store ended before it served');
}

async function seedWorkspaces(db: Db, count: number): Promise<void> {
  const at = new Date('2026-01-01T00:00:00.000Z');
  for (let from = 0; from < count; from += seedChunk) {
    const rows = Array.from({ length: Math.min(seedChunk, count - from) }, (_, index): Row => {
      const _id = `ws-${String(from + index).padStart(7, '0')}`;
      return {
        _id,
        revision: `r-${from + index}`,
        createdAt: at,
        updatedAt: at,
        workspaceName: _id,
        status: 'active',
        access: { state: 'open', since: at, operationId: null },
        planId: 'starter',
        provider: { customerId: `cus_${_id}`, subscriptionId: `sub_${_id}`, itemId: `si_${_id}` },
        isComplimentary: false,
      };
    });
    await db.collection<Row>('subscriptions').insertMany(rows);
  }
}

const movedAtOnce: ProviderSubscription = {
  id: 'sub',
  customerId: 'cus',
  status: 'active',
  collectionPaused: false,
  cancelAtPeriodEnd: false,
  itemId: 'si',
  priceId: 'price',
  quantity: 1,
  currentPeriodEnd: null,
  scheduleId: null,
  metadata: {},
};

/** A provider that accepts every change at once and stores nothing. */
const instantProvider: MigrationPorts['provider'] = {
  prepare: <E extends Effect>({ operationId }: CallIntent, effect: E) => ({
    description: {
      step: effect.step,
      method: 'POST' as const,
      path: '/v1/subscriptions/sub',
      idempotencyKey: `${operationId}:${'tenantId' in effect ? effect.tenantId : ''}:plan`,
      payloadDigest: 'a'.repeat(64),
    },
    send: async () => ({
      outcome: 'succeeded' as const,
      evidence: { phase: 'response_read' as const, httpStatus: 200, requestId: 'req_bench', objectId: 'sub' },
      value: movedAtOnce as ObjectOf<E>,
    }),
  }),
  previewPriceChange: async () => ({ outcome: 'unknown', reason: 'not asked here' }),
  retrieveSubscription: async () => ({ outcome: 'succeeded', value: movedAtOnce }),
};

const retryPolicy = { tries: 3, pause: async () => undefined };

function portsOn(store: Store, itemEnded: () => void): { ports: MigrationPorts; close: () => Promise<void> } {
  const migrations = store.collection(planMigrationsCollection);
  const items = store.collection(planMigrationItemsCollection);
  const relay = createOutboxRelay({
    sources: { migrations: migrations.outbox, items: items.outbox },
    publish: async () => 'acknowledged',
    clock: systemClock,
    log: silentLog,
  });
  const ports: MigrationPorts = {
    migrations,
    items,
    lanes,
    itemEnded,
    provider: instantProvider,
    clock: systemClock,
    log: silentLog,
    subscriptions: store.collection(subscriptionsCollection),
    refreshes: store.collection(mirrorRefreshesCollection),
    plans: store.collection(plansCollection),
    executor: { service: 'operator', instance: 'bench', incarnation: 'bench' },
    retryPolicy,
    work: plainRegister(retryPolicy, systemClock, silentLog),
    governor: { acquire: async () => undefined, liveCall() {}, answered() {}, close() {} },
    pulse: (everyMs, work) => {
      const timer = setInterval(() => void work(), everyMs);
      return { close: async () => clearInterval(timer) };
    },
    stopping: () => false,
    publishMigrationNow: (id, entries) => void relay.publishNow('migrations', id, entries),
    publishItemNow: (id, entries) => void relay.publishNow('items', id, entries),
  };
  return { ports, close: () => relay.close() };
}

/** Notes CPU and heap at the end of each tenth of the list. */
function createTenths(count: number, storePid: number): { ended: () => void; tenths: Tenth[] } {
  const tenths: Tenth[] = [];
  const size = count / 10;
  let done = 0;
  let heap = Infinity;
  let since: { cpu: number; at: number } | null = null;
  const cpu = () => cpuMsOf(process.pid) + cpuMsOf(storePid);
  return {
    tenths,
    ended: () => {
      since ??= { cpu: cpu(), at: performance.now() };
      done += 1;
      if (done % 50 === 0) heap = Math.min(heap, process.memoryUsage().heapUsed);
      if (done % size !== 0) return;
      const now = { cpu: cpu(), at: performance.now() };
      tenths.push({
        cpuMsPerItem: (now.cpu - since.cpu) / size,
        perSecond: (size / (now.at - since.at)) * 1_000,
        heapMegabytes: heap / 1e6,
      });
      since = now;
      heap = Infinity;
      progress(`${done} of ${count} items, ${tenths.at(-1)!.cpuMsPerItem.toFixed(2)} ms of CPU each`);
    },
  };
}

/** The median of three tenths: a single one varies by a tenth with the machine's other work. */
function typical(tenths: readonly Tenth[]): Tenth {
  const of = (figure: keyof Tenth): number => median(tenths.map((tenth) => tenth[figure]));
  return { cpuMsPerItem: of('cpuMsPerItem'), perSecond: of('perSecond'), heapMegabytes: of('heapMegabytes') };
}

/** Pages of outcomes from anywhere in the list, and what the store examined for one of them. */
async function measurePages(ports: MigrationPorts, db: Db, migrationId: string, count: number): Promise<string> {
  const samples: number[] = [];
  const reads = {
    ...ports,
    askExecutors: async (questions: readonly unknown[]) => questions.map(() => ({ state: 'alive' as const })),
  };
  for (let page = 0; page < pagesRead; page += 1) {
    const cursor = Buffer.from(JSON.stringify([Math.floor((count * page) / pagesRead), ''])).toString('base64url');
    const begun = performance.now();
    await readMigration(reads, migrationId, { limit: 100, cursor });
    samples.push(performance.now() - begun);
  }
  const explained = await db
    .collection('plan_migration_items')
    .find({ migrationId, ordinal: { $gt: Math.floor(count / 2) } })
    .sort({ ordinal: 1, _id: 1 })
    .limit(101)
    .explain('executionStats');
  const index = /"indexName":"([^"]+)"/.exec(JSON.stringify(explained['queryPlanner']))?.[1] ?? 'none';
  const { p50Ms } = summarise(samples, 1);
  return `${p50Ms.toFixed(1)} ms, index ${index}, ${explained['executionStats'].totalDocsExamined} examined`;
}

async function measure(url: string, storePid: number, count: number): Promise<string[]> {
  const name = `migration_${count}`;
  const client = await new MongoClient(url).connect();
  const store = await connectStore({
    url,
    database: name,
    clock: systemClock,
    ids: createIds(),
    log: silentLog,
    appName: 'bench',
  });
  const { ended, tenths } = createTenths(count, storePid);
  const { ports, close } = portsOn(store, ended);
  await store.ensureIndexes();
  for (const plan of [
    { _id: 'starter', name: 'Starter', amountCents: 1_900 },
    { _id: 'pro', name: 'Pro', amountCents: 4_900 },
  ])
    await ports.plans.insert({ ...plan, currency: 'usd', priceId: `price_${plan._id}`, offered: true });
  await seedWorkspaces(client.db(name), count);
  const inserted = await ports.migrations.insert(
    newMigration({
      migrationId: 'mig-bench-0001',
      fromPlanId: 'starter',
      targetPlanId: 'pro',
      notifyMembers: false,
      requestedBy: { id: 'bench' },
      reason: 'measured',
    }),
  );
  if (inserted.outcome !== 'applied') throw new Error('the request was not written');
  await runMigration(ports, inserted.record);
  await close();
  const job = await ports.migrations.findById('mig-bench-0001');
  if (job?.status !== 'completed' || job.tally.succeeded !== count)
    throw new Error(`the migration is ${job?.status}: ${JSON.stringify(job?.tally)}`);
  const pages = await measurePages(ports, client.db(name), 'mig-bench-0001', count);
  await store.close();
  await client.close();
  const [first, last] = [typical(tenths.slice(1, 4)), typical(tenths.slice(-3))];
  return [
    String(count),
    first.cpuMsPerItem.toFixed(2),
    last.cpuMsPerItem.toFixed(2),
    (last.cpuMsPerItem / first.cpuMsPerItem).toFixed(2),
    first.heapMegabytes.toFixed(0),
    last.heapMegabytes.toFixed(0),
    last.perSecond.toFixed(0),
    pages,
  ];
}

export async function benchMigration(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-migration-'));
  const { url, child } = await startStore(folder);
  try {
    const floor = await migrationFloor(url, child.pid!, floorItems, lanes);
    const rows: string[][] = [];
    for (const size of sizes) rows.push(await measure(url, child.pid!, size));
    return {
      title: 'migration: cost per item along the list, memory, pages',
      head: [
        'items',
        'CPU ms/item, early',
        'late',
        'ratio',
        'heap MB, early',
        'late',
        'items/s',
        'page of 100 outcomes',
      ],
      rows,
      notes: [
        `CPU of executor and embedded document store together; early is the median of the second to the fourth tenth of the list, late that of the last three. ${lanes} items at a time, majority and journal on every write, a provider that answers at once, no rate limit. Goal: ratio within 10 %, heap flat.`,
        `Floor, the same reads and writes by the raw driver without evidence or decisions, ${floorItems} items: ${floor.cpuMsPerItem.toFixed(2)} CPU ms per item, ${floor.perSecond.toFixed(0)} items/s.`,
      ],
    };
  } finally {
    child.kill();
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}
