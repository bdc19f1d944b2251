import {
  createOperationDeduplicator,
  createStoredOperationDeduplicator,
  type ReceiptCollection,
  type StoredReceipt,
} from './deduplicator';

const message = (operationId: string) => ({ operationId });
const receipt = (receiptId: string) => ({ receiptId, effectiveAt: '2026-01-01T00:00:00.000Z' });

/**
 * Behaves like a MongoDB collection in the two calls that are used; `beforeInsert` lets a competing insert come first.
 */
function createCollection() {
  const rows = new Map<string, StoredReceipt>();
  const collection: ReceiptCollection & { beforeInsert: () => void; rows: Map<string, StoredReceipt> } = {
    rows,
    beforeInsert: () => undefined,
    findOne: async ({ _id }) => rows.get(_id) ?? null,
    insertOne: async (row) => {
      collection.beforeInsert();
      if (rows.has(row._id)) throw Object.assign(new Error('E11000 duplicate key'), { code: 11000 });
      rows.set(row._id, row);
    },
  };
  return collection;
}

describe.each([
  ['in memory', () => createOperationDeduplicator()],
  ['over a collection', () => createStoredOperationDeduplicator(createCollection())],
])('an operation deduplicator %s', (_where, create) => {
  it('runs the effect once and answers repeats with its receipt', async () => {
    const deduplicator = create();
    const effect = jest.fn(async () => receipt('first'));
    expect(await deduplicator.once(message('operation-1'), effect)).toMatchObject({ receiptId: 'first' });
    expect(await deduplicator.once(message('operation-1'), async () => receipt('second'))).toMatchObject({
      receiptId: 'first',
    });
    expect(await deduplicator.once(message('operation-2'), async () => receipt('other'))).toMatchObject({
      receiptId: 'other',
    });
    expect(effect).toHaveBeenCalledTimes(1);
  });

  it('shares one run between calls at the same time', async () => {
    const deduplicator = create();
    const effect = jest.fn(async () => receipt('first'));
    const both = await Promise.all([
      deduplicator.once(message('operation-1'), effect),
      deduplicator.once(message('operation-1'), effect),
    ]);
    expect(both).toMatchObject([{ receiptId: 'first' }, { receiptId: 'first' }]);
    expect(effect).toHaveBeenCalledTimes(1);
  });

  it('forgets a run that threw', async () => {
    const deduplicator = create();
    await expect(
      deduplicator.once(message('operation-1'), () => Promise.reject(new Error('disk full'))),
    ).rejects.toThrow('disk full');
    expect(await deduplicator.once(message('operation-1'), async () => receipt('second'))).toMatchObject({
      receiptId: 'second',
    });
  });
});

describe('the deduplicator in memory', () => {
  it('remembers as many operations as its capacity says', async () => {
    const deduplicator = createOperationDeduplicator({ capacity: 2 });
    const runs: string[] = [];
    const run = (id: string) => deduplicator.once(message(id), async () => (runs.push(id), receipt(id)));
    for (const id of ['a', 'b', 'c', 'c', 'b', 'a']) await run(id);
    expect(runs).toEqual(['a', 'b', 'c', 'a']);
  });
});

describe('the deduplicator over a collection', () => {
  it('remembers over a restart', async () => {
    const collection = createCollection();
    await createStoredOperationDeduplicator(collection).once(message('operation-1'), async () => receipt('first'));
    expect(
      await createStoredOperationDeduplicator(collection).once(message('operation-1'), async () => receipt('second')),
    ).toMatchObject({ receiptId: 'first' });
  });

  it('answers with the receipt of the replica that stored first', async () => {
    const collection = createCollection();
    collection.beforeInsert = () =>
      void collection.rows.set('operation-1', { _id: 'operation-1', ...receipt('rival') });
    expect(
      await createStoredOperationDeduplicator(collection).once(message('operation-1'), async () => receipt('own')),
    ).toMatchObject({ receiptId: 'rival' });
  });

  it('passes on a failure to store, so that the delivery is tried again', async () => {
    const collection = createCollection();
    collection.insertOne = () => Promise.reject(new Error('no primary'));
    await expect(
      createStoredOperationDeduplicator(collection).once(message('operation-1'), async () => receipt('own')),
    ).rejects.toThrow('no primary');
  });
});
