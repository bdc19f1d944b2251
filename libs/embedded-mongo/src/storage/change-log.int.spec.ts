/** The log of changes: complete, in the order of the commits, with the writer's filter, and off by default. */
import { startDocumentStore } from '../server';
import { openTestStore } from '../testing/open-test-store';

interface Entry {
  readonly _id: number;
  readonly at: Date;
  readonly ns: string;
  readonly kind: string;
  readonly id: unknown;
  readonly document?: Readonly<Record<string, unknown>>;
  readonly asked?: Readonly<Record<string, unknown>>;
}

const changesOf = (client: Awaited<ReturnType<typeof openTestStore>>['client']) =>
  client.db('local').collection<Entry>('changes').find().sort({ _id: 1 }).toArray();

describe('the log of changes', () => {
  it('has each insert, update and removal once, with the filter that named it, and no refused one', async () => {
    const test = await openTestStore({ keepsChanges: true });
    const jobs = test.client.db('shop').collection<{ _id: string; revision: string; n?: number }>('jobs');
    await jobs.insertMany([
      { _id: 'a', revision: 'r1' },
      { _id: 'b', revision: 'r1' },
    ]);
    await expect(jobs.insertOne({ _id: 'a', revision: 'r9' })).rejects.toThrow(/E11000/);
    await jobs.updateOne({ _id: 'a', revision: 'r1' }, { $set: { revision: 'r2' } });
    await jobs.updateOne({ _id: 'a', revision: 'r1' }, { $set: { revision: 'r3' } });
    await jobs.findOneAndUpdate({ _id: 'b' }, { $set: { revision: 'r2' } });
    await jobs.deleteOne({ _id: 'b', revision: 'r2' });
    const changes = await changesOf(test.client);
    expect(changes.map(({ ns, kind, id, document, asked }) => [ns, kind, id, document?.['revision'], asked])).toEqual([
      ['shop.jobs', 'inserted', 'a', 'r1', undefined],
      ['shop.jobs', 'inserted', 'b', 'r1', undefined],
      ['shop.jobs', 'replaced', 'a', 'r2', { _id: 'a', revision: 'r1' }],
      ['shop.jobs', 'replaced', 'b', 'r2', { _id: 'b' }],
      ['shop.jobs', 'removed', 'b', undefined, { _id: 'b', revision: 'r2' }],
    ]);
    expect(changes.map(({ _id }) => _id)).toEqual([...changes.map(({ _id }) => _id)].sort((a, b) => a - b));
    expect(changes.every(({ at }) => at instanceof Date)).toBe(true);
    expect(test.faults).toEqual([]);
    await test.close();
  });

  it('goes on where it was when the store starts again, and keeps nothing unless asked for', async () => {
    const test = await openTestStore({ keepsChanges: true });
    await test.client.db('shop').collection('jobs').insertOne({ n: 1 });
    await test.client.close();
    await test.store.close();
    for (const keepsChanges of [false, true]) {
      const store = await startDocumentStore({ port: 0, dataDir: test.folder, keepsChanges });
      const { MongoClient } = await import('mongodb');
      const client = await new MongoClient(store.url, { retryWrites: false }).connect();
      await client
        .db('shop')
        .collection('jobs')
        .insertOne({ n: keepsChanges ? 3 : 2 });
      if (keepsChanges) expect((await changesOf(client)).map(({ document }) => document?.['n'])).toEqual([1, 3]);
      await client.close();
      await store.close();
    }
  });
});
