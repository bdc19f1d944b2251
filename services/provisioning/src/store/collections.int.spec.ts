/** The service's access patterns on a real store: every list uses an index, and every fenced write has one winner. */
import { createKeyedMutex } from '@platform/durable/record';
import { forged } from '@platform/durable/testing';
import { markerSteps, type CreationMarker, type OpenMarker } from '../domain/marker';
import { openTestDatabase, type Document, type TestDatabase } from '@platform/mongo/test-database';
import { newAttempt } from '../domain/progress';
import { reserveCapacity, reserveTrial } from '../domain/reservation';
import { creationRequest } from '../testing/provisioning-world';
import { reserveFenced } from '../workflows/reserve';
import { collectionsOf, type ProvisioningCollections } from '../workflows/ports';
import { listUnresolved } from '../workflows/read-attempts';

let database: TestDatabase;

async function connect(): Promise<ProvisioningCollections> {
  const store = await database.connect();
  const collections = collectionsOf(store);
  await store.ensureIndexes();
  return collections;
}

let collections: ProvisioningCollections;
const executor = { service: 'provisioning', instance: 'provisioning-1', incarnation: 'one' };

beforeAll(async () => {
  database = await openTestDatabase('provisioning');
  collections = await connect();
  const created = (at: number) => ({
    revision: 'r',
    createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, at)),
    updatedAt: new Date(),
  });
  const statuses = ['committed', 'committed', 'committed', 'cancelled', 'reconciliation_required'] as const;
  await database.insert(
    'attempts',
    Array.from({ length: 2_000 }, (_, at) => ({
      ...newAttempt(creationRequest({ tenantId: `t-${String(at).padStart(5, '0')}` }), executor, { trialKeys: [] }),
      ...created(at),
      status: statuses[at % 5],
      handles: at % 2 === 0 ? { invoiceId: `in_${at}`, subscriptionId: `sub_${at}` } : {},
      reservations: { state: at % 100 === 0 ? 'held' : 'settled', trialKeys: [] },
    })),
  );
});
afterAll(() => database.drop());

describe('the lists of attempts', () => {
  const oldest = { createdAt: 1, _id: 1 } as const;
  it.each<[string, Document, Record<string, 1>, number, string]>([
    ['the unresolved ones', { status: 'reconciliation_required' }, oldest, 100, 'by_status'],
    [
      'reservations that have not heard of their end',
      { 'reservations.state': 'held', status: 'committed' },
      oldest,
      100,
      'by_unsettled_reservations',
    ],
    ['the creation of an invoice', { 'handles.invoiceId': 'in_1000' }, { _id: 1 }, 1, 'by_invoice'],
    ['the creation of a subscription', { 'handles.subscriptionId': 'sub_1000' }, { _id: 1 }, 1, 'by_subscription'],
  ])('find %s by an index', async (_what, filter, sort, limit, index) => {
    const found = await database.planOf('attempts', filter, sort, limit);
    expect(found.index).toBe(index);
    expect(found.documents).toBeLessThanOrEqual(limit);
  });

  it('show the first hundred unresolved, oldest first, with the total', async () => {
    const { attempts, total } = await listUnresolved({
      ...collections,
      askExecutors: async (questions) => questions.map(() => ({ state: 'unknown' as const })),
    });
    expect([attempts.length, total, attempts[0]!.tenantId, attempts[99]!.tenantId]).toEqual([
      100,
      400,
      't-00004',
      't-00499',
    ]);
  });
});

describe('a reservation', () => {
  const dependencies = () => ({ retryPolicy: { tries: 5, pause: () => Promise.resolve() }, mutex: createKeyedMutex() });

  it('of a card is given to as many as allowed, however many writers of however many processes want it', async () => {
    const writers = await Promise.all([1, 2, 3, 4].map(connect));
    const decided = await Promise.all(
      Array.from({ length: 64 }, (_, at) =>
        reserveFenced(dependencies(), writers[at % 4]!.capacity, 'card', (read) =>
          reserveCapacity('card', read, `t-${at}`, 3, new Date()),
        ),
      ),
    );
    expect(decided.filter((answer) => answer === 'as_requested')).toHaveLength(3);
    expect(decided.filter((answer) => answer === 'refused')).toHaveLength(61);
    expect((await collections.capacity.findById('card'))?.allocations).toHaveLength(3);
  });

  it('of an identity is given to one', async () => {
    const writers = await Promise.all([1, 2, 3, 4].map(connect));
    const decided = await Promise.all(
      Array.from({ length: 32 }, (_, at) =>
        reserveFenced(dependencies(), writers[at % 4]!.trials, 'person', (read) =>
          reserveTrial('person', read, { tenantId: `t-${at}`, operationId: `op-${at}` }, new Date()),
        ),
      ),
    );
    expect(decided.filter((answer) => answer === 'as_requested')).toHaveLength(1);
    expect(decided.filter((answer) => answer === 'refused')).toHaveLength(31);
  });

  it('has no index by which anything would end it', async () => {
    for (const each of ['capacity_reservations', 'trial_reservations']) {
      expect(
        (await database.raw.collection(each).indexes()).filter((index) => index.expireAfterSeconds !== undefined),
      ).toEqual([]);
    }
  });
});

describe('a creation marker', () => {
  it('is committed by one of two writers that read it alike', async () => {
    const [ours, theirs] = [collections, await connect()];
    await ours.markers.insert(
      forged<CreationMarker>({ _id: 'workspace-created:t-1', tenantId: 't-1', provisioningState: 'awaiting_payment' }),
    );
    const read = (await ours.markers.findById('workspace-created:t-1')) as OpenMarker;
    const outcomes = await Promise.all([
      ours.markers.mutate(read, markerSteps.move(read, 'committed', { committedAt: new Date(0) })),
      theirs.markers.mutate(read, markerSteps.move(read, 'cancelled', { cancelledAt: new Date(0) })),
    ]);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['applied', 'not_applied']);
  });
});
