/** Every portion of the work queue's merge is read by index, whatever the filter; `QUEUE_SIZE` sets another size. */
import { systemClock } from '@platform/kernel';
import type { Store } from '@platform/mongo';
import { openTestDatabase, type Document, type TestDatabase } from '@platform/mongo/test-database';
import { proofSize } from '@platform/testing';
import { createKnownWeights } from '../workflows/known-weights';
import { listWork, type WorkFilter } from '../workflows/list-work';
import { decodeQueueCursor } from '../workflows/queue-cursor';
import { workItemOf } from '../domain/work-item';
import { workItemsCollection } from './work-items';

const size = Number(process.env['QUEUE_SIZE'] ?? proofSize({ lean: 1_000, full: 10_000 }));
const start = Date.parse('2026-01-01T00:00:00.000Z');
const kinds = ['operation', 'operation', 'webhook_event', 'delivery'] as const;
const states = ['stopped', 'waiting', 'waiting'] as const;
const amounts = [1_900, 4_900, 9_900, 50_000] as const;

let database: TestDatabase;
let store: Store;

beforeAll(async () => {
  database = await openTestDatabase('queue');
  store = await database.connect();
  store.collection(workItemsCollection);
  await store.ensureIndexes();
  const rows = Array.from({ length: size }, (_, at) => {
    const since = new Date(start + Math.floor(at / 2) * 1_000);
    const facts = {
      kind: kinds[at % kinds.length]!,
      itemId: `item-${at}`,
      tenantId: `tenant-${at % 40}`,
      state: states[at % states.length]!,
      status: 'pending',
      title: 't',
      money: { amountCents: amounts[at % amounts.length]!, currency: 'usd' },
      since,
      ids: [`item-${at}`, `tenant-${at % 40}`],
    };
    return { ...workItemOf(facts, since), revision: 'r', createdAt: since, updatedAt: since };
  });
  await database.insert('work_items', rows);
});
afterAll(() => database.drop());

const examined = (filter: Document, sort: Readonly<Record<string, 1 | -1>>) =>
  database.planOf('work_items', filter, sort, 12);

describe(`a queue of ${size} rows`, () => {
  const oldest = { since: 1, _id: 1 } as const;
  const heaviest = { weight: -1, since: 1, _id: 1 } as const;
  const middle = { since: { $gte: new Date(start + Math.floor(size / 4) * 1_000) } };

  it.each<[string, Document, string]>([
    ['no filter', {}, 'by_weight'],
    ['a kind', { kind: 'operation' }, 'by_kind_and_weight'],
    ['a state', { state: 'waiting' }, 'by_state_and_weight'],
    ['a kind and a state', { kind: 'delivery', state: 'waiting' }, 'by_kind_state_and_weight'],
    ['a workspace', { tenantId: 'tenant-7' }, 'by_tenant_and_weight'],
  ])('with %s finds the next weight and its next rows in one index', async (_what, filter, index) => {
    expect(await examined(filter, heaviest)).toMatchObject({ index });
    for (const from of [{}, middle]) {
      const plan = await examined({ ...filter, weight: 9_900, ...from }, oldest);
      expect(plan.index).toBe(index);
      expect(plan.documents).toBeLessThanOrEqual(24);
    }
  });

  it('knows the oldest row and the rows that bear an id by index', async () => {
    expect(await examined({}, oldest)).toMatchObject({ index: 'by_age' });
    expect(await examined({ ids: 'item-17' }, { _id: 1 })).toEqual({ index: 'by_identifier', documents: 1 });
  });

  it.each<[WorkFilter, number]>([
    [{}, 1],
    [{ kind: 'operation', state: 'stopped' }, 6],
    [{ tenantId: 'tenant-3' }, 40],
  ])('is walked whole and once with %j', async (filter, share) => {
    const items = store.collection(workItemsCollection);
    const known = createKnownWeights(items, systemClock);
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await listWork(
        items,
        known,
        filter,
        cursor === undefined ? null : decodeQueueCursor(cursor),
        100,
        new Date(start + size * 1_000),
      );
      for (const { _id } of page.items) {
        expect(seen.has(_id)).toBe(false);
        seen.add(_id);
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(Math.abs(seen.size - size / share)).toBeLessThan(2);
  });
});
