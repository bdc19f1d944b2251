/**
 * Lists of a long migration are read by index: the cost of a page does not depend on where it begins. `MIGRATION_SIZE`
 * sets another size.
 */
import { openTestDatabase, type Document, type TestDatabase } from '@platform/mongo/test-database';
import { proofSize } from '@platform/testing';
import { newMigration } from '../domain/migration';
import { readMigration, type MigrationReadPorts } from '../workflows/read-migration';
import { tallyOf } from '../workflows/stop-migration';
import { planMigrationItemsCollection } from './plan-migration-items';
import { planMigrationsCollection } from './plan-migrations';

const size = Number(process.env['MIGRATION_SIZE'] ?? proofSize({ lean: 2_000, full: 20_000 }));
const migrationId = 'mig-int-00000001';
const statuses = ['succeeded', 'succeeded', 'succeeded', 'skipped', 'reconciliation_required'] as const;

let database: TestDatabase;
let reads: MigrationReadPorts;

beforeAll(async () => {
  database = await openTestDatabase('migration');
  const store = await database.connect();
  const items = store.collection(planMigrationItemsCollection);
  const migrations = store.collection(planMigrationsCollection);
  await store.ensureIndexes();
  await migrations.insert(
    newMigration({
      migrationId,
      fromPlanId: 'starter',
      targetPlanId: 'pro',
      notifyMembers: false,
      requestedBy: { id: 'x' },
      reason: 'no longer sold',
    }),
  );
  const at = new Date('2026-01-01T00:00:00.000Z');
  for (const job of [migrationId, 'mig-int-00000002']) {
    const rows = Array.from({ length: size }, (_, index) => {
      const tenantId = `ws-${String(size - index).padStart(7, '0')}`;
      return {
        _id: `${job}:${tenantId}`,
        revision: 'r',
        createdAt: at,
        updatedAt: at,
        migrationId: job,
        tenantId,
        ordinal: index + 1,
        status: statuses[index % statuses.length],
        subscriptionRevision: 's',
        providerCalls: [],
      };
    });
    await database.insert('plan_migration_items', rows);
  }
  reads = {
    migrations,
    items,
    askExecutors: async (questions) => questions.map(() => ({ state: 'unknown' as const })),
  };
});
afterAll(() => database.drop());

describe(`the items of a migration of ${size} workspaces`, () => {
  it.each<[string, Document, string]>([
    ['the outcomes', { migrationId }, 'in_order'],
    ['the outcomes of one status', { migrationId, status: 'reconciliation_required' }, 'by_status_in_order'],
    ['what is left to do', { migrationId, status: 'pending' }, 'by_status_in_order'],
  ])('are read by index from the start and from the middle: %s', async (_what, filter, index) => {
    for (const from of [0, Math.floor(size / 2)]) {
      const plan = await database.planOf(
        'plan_migration_items',
        { ...filter, ordinal: { $gt: from } },
        { ordinal: 1, _id: 1 },
        101,
      );
      expect(plan.index).toBe(index);
      expect(plan.documents).toBeLessThanOrEqual(101);
    }
  });

  it('are walked in pages that neither overlap nor leave anything out, in the order of the list and not of the ids', async () => {
    const ordinals: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await readMigration(reads, migrationId, { limit: 100, ...(cursor && { cursor }) });
      if (!page || page === 'bad_cursor') throw new Error('no page');
      ordinals.push(...page.outcomes.map(({ ordinal }) => ordinal));
      cursor = page.nextCursor;
    } while (cursor);
    expect(ordinals).toEqual(Array.from({ length: size }, (_, at) => at + 1));
  });

  it('are counted by outcome for one job alone', async () => {
    expect(await tallyOf(reads, migrationId)).toEqual({
      succeeded: (size / 5) * 3,
      failed: 0,
      skipped: size / 5,
      reconciliation_required: size / 5,
    });
  });
});
