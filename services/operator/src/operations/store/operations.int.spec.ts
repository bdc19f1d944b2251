/**
 * Lists of a large journal are read by index: the cost of a page does not depend on where it begins. `JOURNAL_SIZE`
 * sets another size.
 */
import { openTestDatabase, type Document, type TestDatabase } from '@platform/mongo/test-database';
import { proofSize } from '@platform/testing';
import { listOperations, type ReadPorts } from '../workflows/read-operation';
import { operationsCollection } from './operations';

const size = Number(process.env['JOURNAL_SIZE'] ?? proofSize({ lean: 5_000, full: 20_000 }));
const statuses = ['succeeded', 'succeeded', 'succeeded', 'failed', 'reconciliation_required'] as const;
const start = Date.parse('2026-01-01T00:00:00.000Z');

let database: TestDatabase;
let reads: ReadPorts;

beforeAll(async () => {
  database = await openTestDatabase('journal');
  const store = await database.connect();
  const operations = store.collection(operationsCollection);
  await store.ensureIndexes();
  const rows = Array.from({ length: size }, (_, at) => {
    const createdAt = new Date(start + Math.floor(at / 3) * 1_000);
    return {
      _id: `op-${String(at).padStart(8, '0')}`,
      revision: 'r',
      createdAt,
      updatedAt: createdAt,
      tenantId: `tenant-${at % 50}`,
      action: 'credit_customer',
      status: statuses[at % statuses.length],
      actor: { id: 'x' },
      values: { amountCents: 1 },
      fingerprint: 'f',
      attempts: [],
    };
  });
  await database.insert('operations', rows);
  reads = { operations, askExecutors: async (questions) => questions.map(() => ({ state: 'unknown' as const })) };
});
afterAll(() => database.drop());

describe(`a journal of ${size} operations`, () => {
  it.each<[string, Document, string]>([
    ['the work queue', { status: 'reconciliation_required' }, 'by_status'],
    ["a workspace's list", { tenantId: 'tenant-7' }, 'by_tenant'],
    ["a workspace's failed operations", { tenantId: 'tenant-7', status: 'failed' }, 'by_tenant_and_status'],
    ['everything', {}, 'by_creation'],
  ])('reads %s through its index, from the start and from the middle', async (_what, filter, index) => {
    const middle = new Date(start + Math.floor(size / 6) * 1_000);
    for (const from of [null, { createdAt: { $gt: middle } }]) {
      const plan = await database.planOf(
        'operations',
        from ? { $and: [filter, from] } : filter,
        { createdAt: 1, _id: 1 },
        51,
      );
      expect(plan.index).toBe(index);
      expect(plan.documents).toBeLessThanOrEqual(60);
    }
  });

  it('is walked in pages that neither overlap nor leave anything out, also where many were created at once', async () => {
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await listOperations(reads, {
        status: 'reconciliation_required',
        limit: 100,
        ...(cursor && { cursor }),
      });
      for (const { _id } of page!.operations) seen.add(_id);
      cursor = page?.nextCursor;
    } while (cursor);
    expect(seen.size).toBe(size / statuses.length);
  });
});
