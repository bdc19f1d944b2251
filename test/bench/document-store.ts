/**
 * The embedded document store through the official driver, compared with the same work directly on its storage engine,
 * each in a separate process on the same disk, 1, 32 and 256 in flight, in alternating rounds.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient, type Collection } from 'mongodb';
import { findRoot } from '../../infra/local/settings';
import {
  accountOf,
  checkFound,
  checkGroups,
  documentOf,
  kinds,
  storedDocuments,
  type Answer,
  type BenchDocument,
  type Kind,
  type Request,
} from './document-store-work';
import { drive, median, progress, summarise, type BenchReport, type Side } from './report';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const widths = [1, 32, 256] as const;
const totals: Readonly<Record<Kind, readonly [number, number, number]>> = {
  insert: [200, 1_500, 2_500],
  'fenced update': [200, 1_500, 2_500],
  'indexed find': [500, 1_500, 2_000],
  aggregation: [4, 32, 256],
};

async function startStore(dataDir: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(
    process.execPath,
    [join(findRoot(__dirname), 'dist/libs/embedded-mongo/main.js'), '--port', '0', '--data', dataDir],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('ready ')) return { url: line.slice('ready '.length), child };
  }
  throw new Error('the document store ended before it served');
}

async function startFloor(
  dataDir: string,
): Promise<{ measure: (request: Request) => Promise<Side>; child: ChildProcess }> {
  const child = fork(join(findRoot(__dirname), 'dist/test/bench/document-store-floor.js'), [dataDir]);
  const answer = () =>
    new Promise<Answer>((resolve, reject) => {
      const ended = () => reject(new Error('the floor ended'));
      child.once('exit', ended);
      child.once('message', (message: Answer) => {
        child.off('exit', ended);
        resolve(message);
      });
    });
  await answer();
  const measure = async (request: Request) => {
    child.send(request);
    const given = await answer();
    if ('side' in given) return given.side;
    throw new Error('failed' in given ? given.failed : 'the floor gave no figures');
  };
  return { measure, child };
}

/** Both collections have the same indexes; `stored` holds the 100,000 documents that are updated, found and grouped. */
async function seed(client: MongoClient): Promise<Readonly<Record<Kind, (number: number) => Promise<void>>>> {
  const stored: Collection<BenchDocument> = client.db('bench').collection('stored');
  const inserted: Collection<BenchDocument> = client.db('bench').collection('inserted');
  for (const collection of [stored, inserted]) await collection.createIndex({ account: 1 });
  for (let first = 0; first < storedDocuments; first += 10_000) {
    await stored.insertMany(Array.from({ length: 10_000 }, (_unused, index) => documentOf(first + index)));
  }
  const revisions = new Map<number, number>();
  return {
    insert: async (number) => void (await inserted.insertOne(documentOf(number))),
    'fenced update': async (number) => {
      const at = number % storedDocuments;
      const revision = revisions.get(at) ?? 0;
      const after = await stored.findOneAndUpdate(
        { _id: `document-${at}`, revision: `r${revision}` },
        { $set: { revision: `r${revision + 1}` } },
        { returnDocument: 'after' },
      );
      if (!after) throw new Error('a fenced update found another revision');
      revisions.set(at, revision + 1);
    },
    'indexed find': async (number) =>
      checkFound(await stored.find({ account: accountOf(number % storedDocuments) }).toArray()),
    aggregation: async () =>
      checkGroups(
        await stored
          .aggregate<{ count: number; total: number }>([
            { $group: { _id: '$plan', count: { $sum: 1 }, total: { $sum: '$amountCents' } } },
          ])
          .toArray(),
      ),
  };
}

const perSecond = (sides: readonly Side[]): string => {
  const rate = median(sides.map((side) => side.perSecond));
  return rate.toFixed(rate < 100 ? 1 : 0);
};
const millis = (values: readonly number[]) => median(values).toFixed(2);

function row(kind: Kind, inFlight: number, ours: readonly Side[], floors: readonly Side[]): string[] {
  const ratio = median(ours.map((side, at) => side.perSecond / floors[at]!.perSecond));
  const tail = median(ours.map((side, at) => side.p99Ms / floors[at]!.p99Ms));
  return [
    kind,
    String(inFlight),
    perSecond(ours),
    perSecond(floors),
    ratio.toFixed(3),
    millis(ours.map(({ p50Ms }) => p50Ms)),
    millis(ours.map(({ p99Ms }) => p99Ms)),
    millis(floors.map(({ p99Ms }) => p99Ms)),
    tail.toFixed(1),
  ];
}

/**
 * Pings during a measurement, one after the other, as the driver's monitor sends them; returns a function that ends
 * them.
 */
function probe(client: MongoClient): () => Promise<Side> {
  const samplesMs: number[] = [];
  const startedAt = performance.now();
  let ending = false;
  const run = async () => {
    while (!ending) {
      const begun = performance.now();
      await client.db('admin').command({ ping: 1 });
      samplesMs.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const running = run();
  return async () => {
    ending = true;
    await running;
    return summarise(samplesMs, performance.now() - startedAt);
  };
}

async function measureAll(
  ours: (request: Request) => Promise<Side>,
  floor: (request: Request) => Promise<Side>,
): Promise<string[][]> {
  const rows: string[][] = [];
  let first = storedDocuments;
  for (const kind of kinds) {
    for (const [at, inFlight] of widths.entries()) {
      const total = totals[kind][at]!;
      // 256 aggregations take each side more than a minute, longer than everything else together.
      const longest = kind === 'aggregation' && inFlight === 256;
      const sides: [Side[], Side[]] = [[], []];
      for (let round = 0; round <= (longest ? 1 : rounds); round += 1) {
        const warming = round === 0;
        progress(`${kind}, ${inFlight} in flight, ${warming ? 'warming up' : `round ${round}`}`);
        if (warming && kind === 'aggregation') continue;
        const request = { kind, inFlight, total: warming ? Math.ceil(total / 4) : total, first };
        first += request.total;
        const [own, floored] = [await ours(request), await floor(request)];
        if (warming) continue;
        sides[0].push(own);
        sides[1].push(floored);
      }
      rows.push(row(kind, inFlight, ...sides));
    }
  }
  return rows;
}

export async function benchDocumentStore(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'workspace-platform-bench-'));
  const children: ChildProcess[] = [];
  let client: MongoClient | undefined;
  let watcher: MongoClient | undefined;
  try {
    const store = await startStore(join(folder, 'store'));
    children.push(store.child);
    mkdirSync(join(folder, 'floor'));
    const floor = await startFloor(join(folder, 'floor'));
    children.push(floor.child);
    client = await new MongoClient(store.url, {
      retryWrites: false,
      maxPoolSize: 256,
      writeConcern: { w: 'majority', journal: true },
    }).connect();
    const pinger = await new MongoClient(store.url, { retryWrites: false }).connect();
    watcher = pinger;
    const work = await seed(client);
    let pings: Side = { perSecond: 0, p50Ms: 0, p99Ms: 0 };
    const ours = async ({ kind, inFlight, total, first }: Request) => {
      const endProbe = probe(pinger);
      const { samplesMs, elapsedMs } = await drive(total, inFlight, (index) => work[kind](first + index));
      pings = await endProbe();
      return summarise(samplesMs, elapsedMs);
    };
    const rows = await measureAll(ours, floor.measure);
    return {
      title: 'document-store: calls per second through the driver against the storage engine alone',
      head: ['work', 'in flight', 'driver /s', 'engine /s', 'ratio', 'p50 ms', 'p99 ms', 'engine p99', 'p99 ratio'],
      rows,
      notes: [
        `Medians of ${rounds} alternating rounds, every acknowledged write on disk on both sides. Driver: this process, the official driver and a document-store process. Engine: the same reads, writes, index entries and BSON by lmdb and bson inside one process, without wire, commands and planner.`,
        `Updates find by _id and revision; finds give 10 of ${storedDocuments.toLocaleString('en')} documents by an index; aggregations group all of them (a count and a total per plan) and share one thread on both sides, so their times grow with their number; with 256 in flight they are measured in one round.`,
        `While ${widths.at(-1)} aggregations were in flight, a ping on another connection took ${pings.p50Ms.toFixed(0)} ms in the median and ${pings.p99Ms.toFixed(0)} ms at the 99th percentile: long reads give way at every turn of the store's event loop.`,
      ],
    };
  } finally {
    await client?.close();
    await watcher?.close();
    for (const child of children) {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
