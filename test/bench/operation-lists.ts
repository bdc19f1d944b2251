/**
 * One page of the journal of 100,000 operations through the gateway, alone and while 32 credits are in flight, compared
 * with the same indexed page directly through the driver.
 */
import { MongoClient } from 'mongodb';
import { startPlatform, type TestPlatform } from '../support/platform';
import { drive, summarise, type BenchReport } from './report';

const journalSize = Number(process.env['JOURNAL_SIZE'] ?? 100_000);
const pages = 400;
const readers = 8;
const pageSize = 50;
const lists = [
  {
    name: 'work queue (every hundredth operation)',
    path: `/api/saas/operations?status=reconciliation_required&limit=${pageSize}`,
    filter: { status: 'reconciliation_required' },
  },
  {
    name: 'one workspace, newest status',
    path: `/api/saas/workspaces/acme/operations?status=succeeded&limit=${pageSize}`,
    filter: { tenantId: 'acme', status: 'succeeded' },
  },
] as const;

type Json = Record<string, unknown>;

/** Fills the journal with copies of a real record, each with its own id, workspace and moment. */
async function fillJournal(platform: TestPlatform, client: MongoClient, sampleId: string): Promise<void> {
  const operations = client.db('operator').collection<{ _id: string; createdAt: Date }>('operations');
  const sample = await operations.findOne({ _id: sampleId });
  if (!sample) throw new Error(`the operation ${sampleId} is not in the store of ${platform.mongodbUrl}`);
  const from = Date.now() - journalSize * 1_000;
  for (let first = 0; first < journalSize; first += 1_000) {
    await operations.insertMany(
      Array.from({ length: Math.min(1_000, journalSize - first) }, (_unused, offset) => {
        const index = first + offset;
        const stopped = index % 100 === 0;
        return {
          ...sample,
          _id: `journal-${String(index).padStart(8, '0')}`,
          tenantId: index % 10 === 0 ? 'acme' : `tenant-${index % 997}`,
          status: stopped ? 'reconciliation_required' : 'succeeded',
          ...(stopped ? { error: { code: 'outcome_unknown', message: 'The answer of the provider was lost.' } } : {}),
          createdAt: new Date(from + index * 1_000),
        };
      }),
    );
    if ((first + 1_000) % 20_000 === 0)
      process.stderr.write(`  journal: ${first + 1_000} of ${journalSize} operations\n`);
  }
}

async function credit(platform: TestPlatform, token: string, operationId: string): Promise<void> {
  const response = await fetch(`${platform.gatewayUrl}/api/saas/workspaces/globex/balance-credit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ operationId, amountCents: 1, reason: 'bench' }),
  });
  if (response.status !== 200) throw new Error(`a credit answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Percentiles of `pages` requests; every page must be full, so that no empty page is measured. */
async function measurePages(read: () => Promise<number>): Promise<{ p50: number; p95: number }> {
  const { samplesMs, elapsedMs } = await drive(pages, readers, async () => {
    const found = await read();
    if (found !== pageSize) throw new Error(`a page held ${found} operations instead of ${pageSize}`);
  });
  const sorted = [...samplesMs].sort((a, b) => a - b);
  return { p50: summarise(samplesMs, elapsedMs).p50Ms, p95: sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN };
}

async function underLoad<T>(platform: TestPlatform, token: string, prefix: string, work: () => Promise<T>): Promise<T> {
  let ended = false;
  const lane = async (number: number): Promise<void> => {
    for (let index = 0; !ended; index += 1) await credit(platform, token, `${prefix}-${number}-${index}`);
  };
  const load = Array.from({ length: 32 }, (_unused, number) => lane(number));
  try {
    return await work();
  } finally {
    ended = true;
    await Promise.all(load);
  }
}

/** Throws when a request fails or a page is not full. `JOURNAL_SIZE` sets another number of operations. */
export async function benchOperationLists(): Promise<BenchReport> {
  const platform = await startPlatform({ portBase: 12_900 });
  const client = await new MongoClient(platform.mongodbUrl).connect();
  try {
    const token = await platform.token({ role: 'platform_owner' });
    await credit(platform, token, 'bench-journal-sample');
    await fillJournal(platform, client, 'bench-journal-sample');
    const rows: string[][] = [];
    for (const { name, path, filter } of lists) {
      const throughGateway = async (): Promise<number> => {
        const response = await fetch(`${platform.gatewayUrl}${path}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        const body = (await response.json()) as { operations?: Json[] };
        if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
        return body.operations?.length ?? 0;
      };
      const straight = async (): Promise<number> =>
        (
          await client
            .db('operator')
            .collection('operations')
            .find(filter)
            .sort({ createdAt: 1, _id: 1 })
            .limit(pageSize)
            .toArray()
        ).length;
      for (const load of [false, true]) {
        const run = (read: () => Promise<number>, side: string) =>
          load
            ? underLoad(platform, token, `bench-${side}-${rows.length}`, () => measurePages(read))
            : measurePages(read);
        const ours = await run(throughGateway, 'ours');
        const floor = await run(straight, 'floor');
        rows.push([
          name,
          load ? '32 credits in flight' : 'none',
          ...[ours.p50, ours.p95, floor.p50, floor.p95].map((value) => value.toFixed(1)),
        ]);
      }
    }
    return {
      title: `operation lists: a page of ${pageSize} out of ${journalSize} operations`,
      head: ['list', 'load beside it', 'p50 ms', 'p95 ms', 'driver p50', 'driver p95'],
      rows,
      notes: [
        `${pages} pages by ${readers} readers each; the driver reads the same page by the same index from the same store.`,
      ],
    };
  } finally {
    await client.close();
    await platform.stop();
  }
}
