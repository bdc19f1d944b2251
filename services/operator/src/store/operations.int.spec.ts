/** Lists of a large journal are read by index: a page costs a page, wherever it begins. `JOURNAL_SIZE` sets another size. */
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore, type Store } from '@platform/mongo';
import { uniqueName } from '@platform/testing';
import { MongoClient, type Db, type Document } from 'mongodb';
import { listOperations, type ReadPorts } from '../workflows/read-operation';
import { operationsCollection } from './operations';

const size = Number(process.env['JOURNAL_SIZE'] ?? 20_000);
const url = process.env['TEST_MONGODB_URL'] ?? '';
const name = uniqueName('journal');
const statuses = ['succeeded', 'succeeded', 'succeeded', 'failed', 'reconciliation_required'] as const;
const start = Date.parse('2026-01-01T00:00:00.000Z');

let client: MongoClient;
let raw: Db;
let store: Store;
let reads: ReadPorts;

beforeAll(async () => {
  client = await new MongoClient(url).connect();
  raw = client.db(name);
  store = await connectStore({ url, database: name, clock: systemClock, ids: createIds(), log: silentLog, appName: 'test' });
  const operations = store.collection(operationsCollection);
  await store.ensureIndexes();
  for (let from = 0; from < size; from += 2_000) {
    await raw.collection<Document & { _id: string }>('operations').insertMany(
      Array.from({ length: Math.min(2_000, size - from) }, (_, at) => {
        const createdAt = new Date(start + Math.floor((from + at) / 3) * 1_000);
        return { _id: `op-${String(from + at).padStart(8, '0')}`, revision: 'r', createdAt, updatedAt: createdAt, tenantId: `tenant-${(from + at) % 50}`, action: 'credit_customer', status: statuses[(from + at) % statuses.length], actor: { id: 'x' }, values: { amountCents: 1 }, fingerprint: 'f', attempts: [] };
      }),
    );
  }
  reads = { operations, executorState: async () => 'unknown' };
}, 240_000);
afterAll(async () => {
  await raw.dropDatabase();
  await Promise.all([client.close(), store.close()]);
});

async function examined(filter: Document, from: Document | null): Promise<{ index: string; documents: number }> {
  const predicate = from ? { $and: [filter, from] } : filter;
  const explained = await raw.collection('operations').find(predicate).sort({ createdAt: 1, _id: 1 }).limit(51).explain('executionStats');
  const scans = JSON.stringify(explained['queryPlanner'].winningPlan).match(/"indexName":"([^"]+)"/);
  return { index: scans?.[1] ?? 'none', documents: Number(explained['executionStats'].totalDocsExamined) };
}

describe(`a journal of ${size} operations`, () => {
  it.each<[string, Document, string]>([
    ['the work queue', { status: 'reconciliation_required' }, 'by_status'],
    ["a workspace's list", { tenantId: 'tenant-7' }, 'by_tenant'],
    ["a workspace's failed operations", { tenantId: 'tenant-7', status: 'failed' }, 'by_tenant_and_status'],
    ['everything', {}, 'by_creation'],
  ])('reads %s through its index, from the start and from the middle', async (_what, filter, index) => {
    const middle = new Date(start + Math.floor(size / 6) * 1_000);
    for (const from of [null, { createdAt: { $gt: middle } }]) {
      const plan = await examined(filter, from);
      expect(plan.index).toBe(index);
      expect(plan.documents).toBeLessThanOrEqual(60);
    }
  });

  it('is walked in pages that neither overlap nor leave anything out, also where many were created at once', async () => {
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await listOperations(reads, { status: 'reconciliation_required', limit: 100, ...(cursor && { cursor }) });
      for (const { _id } of page!.operations) seen.add(_id);
      cursor = page?.nextCursor;
    } while (cursor);
    expect(seen.size).toBe(size / statuses.length);
  }, 60_000);
});
