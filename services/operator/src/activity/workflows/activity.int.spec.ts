/**
 * Every filter reads a long history by an index: the test counts the documents that the server examines, not time.
 * `ACTIVITY_SIZE` sets another size.
 */
import { activityQuerySchema } from '@platform/contracts-operator';
import { ok } from '@platform/kernel';
import { openTestDatabase, type Document, type TestDatabase } from '@platform/mongo/test-database';
import { proofSize } from '@platform/testing';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../migrations/store/plan-migrations';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { operationsCollection } from '../../operations/store/operations';
import { providerEventAdmissionsCollection } from '../../provider-events/store/provider-event-admissions';
import type { ActivityPorts } from './lanes';
import { listActivity } from './list-activity';

const size = Number(process.env['ACTIVITY_SIZE'] ?? proofSize({ lean: 3_000, full: 20_000 }));
const start = Date.parse('2026-01-01T00:00:00.000Z');
const middle = new Date(start + Math.floor(size / 6) * 1_000);

let database: TestDatabase;
let ports: ActivityPorts;

beforeAll(async () => {
  database = await openTestDatabase('activity');
  const store = await database.connect();
  ports = {
    operations: store.collection(operationsCollection),
    migrations: store.collection(planMigrationsCollection),
    migrationItems: store.collection(planMigrationItemsCollection),
    admissions: store.collection(providerEventAdmissionsCollection),
    subscriptions: store.collection(subscriptionsCollection),
    messaging: { request: async () => ok({ actions: [] }) },
  };
  await store.ensureIndexes();
  const rows = (make: (at: number) => object) =>
    Array.from({ length: size }, (_, at) => {
      const createdAt = new Date(start + Math.floor(at / 3) * 1_000);
      return { revision: 'r', createdAt, updatedAt: createdAt, ...make(at) };
    });
  await database.insert(
    'operations',
    rows((at) => ({
      _id: `op-${String(at).padStart(8, '0')}`,
      tenantId: `tenant-${at % 50}`,
      action: at % 7 === 0 ? 'suspend' : 'credit_customer',
      status: at % 100 === 0 ? 'failed' : 'succeeded',
      actor: { id: `user-${at % 20}`, email: `user-${at % 20}@example.com` },
      values: { amountCents: at },
      fingerprint: 'f',
      attempts: [],
      ...(at % 500 === 0 && {
        resolution: { outcome: 'applied', by: 'ops', executorStopped: 'x', providerObject: null, at: middle },
      }),
    })),
  );
  await database.insert(
    'provider_event_admissions',
    rows((at) => ({
      _id: `evt_${at}`,
      type: at % 2 === 0 ? 'invoice.paid' : 'customer.updated',
      status: 'success',
      ...(at % 3 === 0 && { tenantId: `tenant-${at % 50}` }),
    })),
  );
});
afterAll(() => database.drop());

describe(`a history of ${size} operations and as many events`, () => {
  const before = { createdAt: { $gte: new Date(0), $lte: middle } };
  it.each<[string, string, Document, string]>([
    ['everything', 'operations', {}, 'by_creation'],
    ['a person', 'operations', { 'actor.id': 'user-3' }, 'by_person'],
    ['an address', 'operations', { 'actor.email': 'user-3@example.com' }, 'by_address'],
    ['an action', 'operations', { action: 'suspend' }, 'by_action'],
    ['a status', 'operations', { status: 'failed' }, 'by_status'],
    ['a workspace', 'operations', { tenantId: 'tenant-7' }, 'by_tenant'],
    ['events', 'provider_event_admissions', {}, 'by_creation'],
    ['events of a type', 'provider_event_admissions', { type: 'invoice.paid' }, 'by_type'],
    ['events of a workspace', 'provider_event_admissions', { tenantId: 'tenant-6' }, 'by_tenant'],
  ])('reads %s of %s by index, also from the middle', async (_what, collection, filter, index) => {
    for (const direction of [1, -1] as const)
      for (const bounds of [{ createdAt: { $gte: new Date(0) } }, before]) {
        const wanted = { ...filter, ...bounds };
        const plan = await database.planOf(collection, wanted, { createdAt: direction, _id: direction }, 51);
        expect(plan.index).toBe(index);
        expect(plan.documents).toBeLessThanOrEqual(60);
      }
  });

  it('reads the few resolutions alone', async () => {
    const filter = { 'resolution.at': { $gte: new Date(0) } };
    const plan = await database.planOf('operations', filter, { 'resolution.at': -1, _id: -1 }, 51);
    expect(plan).toMatchObject({ index: 'by_resolution' });
    expect(plan.documents).toBeLessThanOrEqual(51);
  });

  it.each([
    {},
    { actor: 'user-3@example.com', action: 'suspend' },
    { workspace: 'tenant-0', status: 'failed', kind: 'operation' },
    { action: 'credit_customer', amountFrom: 1_000, amountTo: 1_010 },
  ])('walks %j to its end, each row once and in order', async (query) => {
    const seen: string[] = [];
    const instants: string[] = [];
    let cursor: string | undefined;
    do {
      const page = (await listActivity(
        ports,
        activityQuerySchema.parse({ ...query, limit: 100, ...(cursor !== undefined && { cursor }) }),
      ))!;
      seen.push(...page.activity.map(({ id }) => id));
      instants.push(...page.activity.map(({ at }) => at));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(instants).toEqual([...instants].sort().reverse());
    const all = Array.from({ length: size }, (_, at) => at);
    const wanted: Record<string, number> = {
      '{}': 2 * size + Math.ceil(size / 500),
      '{"actor":"user-3@example.com","action":"suspend"}': all.filter((at) => at % 20 === 3 && at % 7 === 0).length,
      '{"workspace":"tenant-0","status":"failed","kind":"operation"}': all.filter((at) => at % 100 === 0).length,
      '{"action":"credit_customer","amountFrom":1000,"amountTo":1010}': all.filter(
        (at) => at >= 1_000 && at <= 1_010 && at % 7 !== 0,
      ).length,
    };
    expect(seen.length).toBe(wanted[JSON.stringify(query)]);
  });
});
