/**
 * A page's routes over HTTP compared with the same queries by hand through the driver, in one run, over an empty table,
 * a thousand rows and a million (`BENCH_ROWS=0,1000,1000000`). Both sides use the same store, with the indexes that
 * `npm run builder -- indexes` creates.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintToken, newSigningKey, publicKeySet } from '@platform/http-server';
import { freePort } from '@platform/testing';
import { MongoClient, type Db, type Document } from 'mongodb';
import { findRoot } from '../../infra/local/settings';
import { sampleRows } from '../../services/query-builder/src/domain/sample/rows';
import { startAccessOwner } from '../support/access-owner';
import { cpuMsOf } from './cpu-time';
import { getJson } from './lean-client';
import { drive, median, progress, summarise, type BenchReport } from './report';
import { startProcess } from './start-process';

const root = findRoot(__dirname);
const sizes = (process.env['BENCH_ROWS'] ?? '0,1000,1000000').split(',').map(Number);
/** Per query and size, for both sides together. */
const budgetMs = Number(process.env['BENCH_SECONDS'] ?? 6) * 1_000;
const leastSamples = 5;
const warmUpMs = 1_000;
const until = new Date('2026-06-15T12:00:00Z');
const signingKey = newSigningKey();
const tenant = { tenantId: { $eq: 'acme' } };
const at = (text: string): Date => new Date(text);

const day: Document = {
  $let: {
    vars: { p: { $dateToParts: { date: '$createdAt', timezone: 'Europe/Paris' } } },
    in: { $add: [{ $multiply: ['$$p.year', 10_000] }, { $multiply: ['$$p.month', 100] }, '$$p.day'] },
  },
};
const month: Document = {
  $let: {
    vars: { p: { $dateToParts: { date: '$createdAt', timezone: 'Europe/Paris' } } },
    in: { $add: [{ $multiply: ['$$p.year', 100] }, '$$p.month'] },
  },
};
const revenue = (from: string, to: string): Document[] => [
  { $match: { ...tenant, status: { $eq: 'paid' }, createdAt: { $gte: at(from), $lt: at(to) } } },
  { $group: { _id: month, y: { $sum: '$total' } } },
  { $sort: { _id: 1 } },
  { $limit: 1_000 },
];

interface BenchQuery {
  readonly name: string;
  readonly path: string;
  /** By hand: no guards, no cap, no refusal. */
  readonly pipelines: readonly (readonly Document[])[];
}

const queries: readonly BenchQuery[] = [
  {
    name: 'count',
    path: '/stats/open-orders',
    pipelines: [[{ $match: { ...tenant, status: { $eq: 'pending' } } }, { $group: { _id: null, y: { $sum: 1 } } }]],
  },
  {
    name: 'average',
    path: '/stats/average-order',
    pipelines: [
      [{ $match: { ...tenant, status: { $ne: 'cancelled' } } }, { $group: { _id: null, y: { $avg: '$total' } } }],
    ],
  },
  {
    name: 'series by day',
    path: '/stats/daily-orders?from=2024-01-01T00:00:00Z',
    pipelines: [
      [
        { $match: { ...tenant, createdAt: { $gte: at('2024-01-01T00:00:00Z') } } },
        { $group: { _id: day, y: { $sum: 1 } } },
        { $sort: { _id: 1 } },
        { $limit: 1_000 },
      ],
    ],
  },
  {
    name: 'best five',
    path: '/stats/top-categories',
    pipelines: [
      [
        { $match: { ...tenant, status: { $eq: 'paid' } } },
        { $group: { _id: '$category', y: { $sum: '$total' } } },
        { $sort: { y: -1 } },
        { $limit: 5 },
      ],
    ],
  },
  {
    name: 'compare',
    path: '/stats/monthly-revenue?from=2026-01-01T00:00:00Z&to=2026-04-01T00:00:00Z&compareFrom=2025-10-01T00:00:00Z&compareTo=2026-01-01T00:00:00Z',
    pipelines: [
      revenue('2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'),
      revenue('2025-10-01T00:00:00Z', '2026-01-01T00:00:00Z'),
    ],
  },
];

async function seed(db: Db, rows: number): Promise<void> {
  const orders = db.collection('orders');
  await orders.createIndex({ tenantId: 1, createdAt: 1 });
  await orders.createIndex({ tenantId: 1, status: 1, createdAt: 1 });
  if (rows === 0) return;
  const batch: Document[] = [];
  for (const { resource, row } of sampleRows({ rows: Math.max(1_000, Math.round(rows / 0.9)), until })) {
    if (resource !== 'orders') continue;
    batch.push({ ...row });
    if (batch.length === 10_000) await orders.insertMany(batch.splice(0));
  }
  if (batch.length > 0) await orders.insertMany(batch);
}

type Started = Awaited<ReturnType<typeof startProcess>>;

interface Pair {
  readonly route: number[];
  readonly raw: number[];
  /** The store's CPU time for each side, per question. */
  readonly storeCpuMs: { route: number; raw: number };
}

async function compare(
  query: BenchQuery,
  get: (path: string) => Promise<unknown>,
  db: Db,
  storePid: number,
): Promise<Pair> {
  const pair: Pair = { route: [], raw: [], storeCpuMs: { route: 0, raw: 0 } };
  const byHand = async (): Promise<void> => {
    for (const pipeline of query.pipelines)
      await db
        .collection('orders')
        .aggregate([...pipeline], { batchSize: 2_000 })
        .toArray();
  };
  // Everything is compiled and connected before the measurement; on a large collection one round is long enough.
  const warmUpEndsAt = performance.now() + warmUpMs;
  do await Promise.all([get(query.path), byHand()]);
  while (performance.now() < warmUpEndsAt);
  const endAt = performance.now() + budgetMs;
  for (let round = 0; round < leastSamples || (performance.now() < endAt && round < 2_000); round += 1) {
    // The side that goes first alternates, so that neither always benefits from a warm store.
    for (const side of round % 2 === 0 ? (['route', 'raw'] as const) : (['raw', 'route'] as const)) {
      const spent = cpuMsOf(storePid);
      const begun = performance.now();
      await (side === 'route' ? get(query.path) : byHand());
      pair[side].push(performance.now() - begun);
      pair.storeCpuMs[side] += cpuMsOf(storePid) - spent;
    }
  }
  for (const side of ['route', 'raw'] as const) pair.storeCpuMs[side] /= pair[side].length;
  return pair;
}

async function measure(rows: number, folder: string): Promise<string[][]> {
  const store = await startProcess(
    ['dist/libs/embedded-mongo/main.js', '--port', '0', '--data', join(folder, `rows-${rows}`)],
    {},
    /^ready (\S+)$/,
  );
  try {
    return await measureOver(store, rows);
  } finally {
    store.child.kill('SIGTERM');
    await once(store.child, 'exit');
  }
}

async function measureOver(store: Started, rows: number): Promise<string[][]> {
  const client = await new MongoClient(store.url).connect();
  const db = client.db('pages');
  await seed(db, rows);
  const owner = await startAccessOwner();
  const service = await startProcess(
    ['dist/services/query-builder/main.js'],
    {
      PORT: '0',
      // In production the port of the probes must be given by number.
      INNER_PORT: String(await freePort()),
      PAGE_PROJECT_DIR: join(root, 'services/query-builder/sample-project'),
      MONGODB_URL: store.url,
      MONGODB_DATABASE: 'pages',
      NATS_URL: owner.natsUrl,
      JWT_PUBLIC_KEYS: publicKeySet(signingKey),
      JWT_AUDIENCE: 'workspace-platform',
      PLATFORM_MODE: 'production',
      TRUSTED_PROXIES: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      QUERY_MAX_TIME_MS: '300000',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'info',
    },
    /"url":"(http:[^"]+)","message":"ready"/,
  );
  const token = await mintToken({
    signingKey,
    issuer: 'workspace-platform',
    audience: 'workspace-platform',
    lifetimeSeconds: 24 * 3_600,
    caller: {
      subject: 'bench',
      email: 'bench@example.com',
      role: 'user',
      workspaces: { acme: 'owner' },
      permissions: ['shop.orders.read'],
    },
  });
  const get = async (path: string): Promise<unknown> => {
    const { status, body } = await getJson(`${service.url}/dms/pages/shop/orders${path}`, {
      authorization: `Bearer ${token}`,
    });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  try {
    const lines: string[][] = [];
    for (const query of queries) {
      progress(`${query.name} over ${rows.toLocaleString('en')} rows`);
      const { route, raw, storeCpuMs } = await compare(query, get, db, store.child.pid!);
      const [ours, floor] = [summarise(route, 1_000), summarise(raw, 1_000)];
      lines.push([
        query.name,
        rows.toLocaleString('en'),
        floor.p50Ms.toFixed(2),
        ours.p50Ms.toFixed(2),
        (ours.p50Ms - floor.p50Ms).toFixed(2),
        (ours.p50Ms / floor.p50Ms).toFixed(2),
        storeCpuMs.raw.toFixed(1),
        storeCpuMs.route.toFixed(1),
        String(route.length),
      ]);
    }
    return lines;
  } finally {
    await client.close();
    service.child.kill('SIGTERM');
    await once(service.child, 'exit');
    await owner.stop();
  }
}

/** Median of a request without a question, in milliseconds: the part of a route's overhead that no route can avoid. */
async function measureEmptyAnswer(): Promise<number> {
  const { url, child } = await startProcess(['dist/test/bench/empty-answer.js'], {}, /^ready (\S+)$/);
  try {
    const { samplesMs } = await drive(3_000, 1, async () => void (await getJson(url, {})));
    return median(samplesMs.slice(1_000));
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

export async function benchPages(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-pages-'));
  try {
    const emptyMs = await measureEmptyAnswer();
    const rows: string[][] = [];
    for (const size of sizes) rows.push(...(await measure(size, folder)));
    return {
      title: 'Page routes against the driver',
      head: [
        'question',
        'rows',
        'driver p50 ms',
        'route p50 ms',
        'extra ms',
        'ratio',
        'store CPU ms, driver',
        'store CPU ms, route',
        'samples',
      ],
      rows,
      notes: [
        'The driver asks by hand: no guards against values of the wrong type, no cap, no permission, no refusal. The route is asked over HTTP with a token, in a process of its own; both ask one embedded document store, one after the other, and the first of each pair changes.',
        `Of each extra, ${emptyMs.toFixed(2)} ms are HTTP alone: what a server that does nothing takes to answer in the same run.`,
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
