import { createIds, createManualClock, silentLog } from '@platform/kernel';
import { StoreUnavailableError, connectStore, type RevisionedCollection, type Store } from '../index';
import { openCuttingProxy, type Cut, type CuttingProxy } from '../features/cutting-proxy';
import { announcement, jobs, waiting, type Job } from '../features/sample';
import { applied } from '../features/writes.features';
import { openTestDatabase, type TestDatabase } from './test-database';

let database: TestDatabase;
let network: CuttingProxy;
/** One store beyond the failing network, one beside it. */
let store: Store | undefined;
let rival: Store | undefined;
let collection: RevisionedCollection<Job>;
let others: RevisionedCollection<Job>;

beforeAll(async () => {
  database = await openTestDatabase('lost_answers');
  network = await openCuttingProxy(database.url);
  const shared = { database: database.name, clock: createManualClock(), ids: createIds(), log: silentLog, appName: 'test' };
  store = await connectStore({ ...shared, url: network.url, timeouts: { selectMs: 1_000, answerMs: 1_000, majorityMs: 900 } });
  rival = await connectStore({ ...shared, url: database.url });
  collection = store.collection(jobs);
  others = rival.collection(jobs);
  await rival.ensureIndexes();
});

afterAll(async () => {
  await store?.close();
  await rival?.close();
  await network.close();
  await database.drop();
});

afterEach(() => network.behave('normal'));

describe('a mutation whose connection is cut', () => {
  it.each<[string, readonly Cut[]]>([
    ['before the server has seen it', [{ command: 'findAndModify', when: 'before' }]],
    ['after the server has executed it', [{ command: 'findAndModify', when: 'after' }]],
    ['before, and its repeat after the server has executed that', [{ command: 'findAndModify', when: 'before' }, { command: 'findAndModify', when: 'after' }]],
    ['after, and the first re-read as well', [{ command: 'findAndModify', when: 'after' }, { command: 'find', when: 'before' }]],
  ])('%s is applied once', async (subject, cuts) => {
    const id = `cut ${subject}`;
    const before = applied(await collection.insert(waiting(id)));
    network.cut(...cuts);
    const record = applied(await collection.mutate(before, waiting(id, { rank: 2 }), [announcement(`m ${subject}`)]));
    expect(record).toMatchObject({ rank: 2, outbox: [{ id: `m ${subject}` }] });
    expect(await others.findById(id)).toEqual(record);
  });

  it('while it is on its way is applied once, however late it arrives', async () => {
    const before = applied(await collection.insert(waiting('late')));
    network.cut({ command: 'findAndModify', when: 'hold' });
    const record = applied(await collection.mutate(before, waiting('late', { rank: 2 }), [announcement('late message')]));
    const followed = applied(await others.mutate(record, { ...record, rank: 3 }));
    await network.deliverHeld();
    expect(await others.findById('late')).toEqual(followed);
  });

  it.each(['before', 'after'] as const)('%s it took effect stays unknown when another writer has followed', async (when) => {
    const id = `followed ${when}`;
    const before = applied(await collection.insert(waiting(id)));
    const follow = async (): Promise<void> => {
      const seen = (await others.findById(id))!;
      applied(await others.mutate(seen, { ...seen, tenantId: 'rival' }));
    };
    network.cut({ command: 'findAndModify', when, meanwhile: follow });
    expect(await collection.mutate(before, waiting(id, { rank: 2 }))).toMatchObject({ outcome: 'unknown' });
    expect(await others.findById(id)).toMatchObject({ tenantId: 'rival', rank: when === 'after' ? 2 : 1 });
  });

  it('twice before the server has seen it stays unknown and has no effect', async () => {
    const before = applied(await collection.insert(waiting('twice')));
    network.cut({ command: 'findAndModify', when: 'before' }, { command: 'findAndModify', when: 'before' });
    expect(await collection.mutate(before, waiting('twice', { rank: 2 }))).toMatchObject({ outcome: 'unknown' });
    expect(await others.findById('twice')).toEqual(before);
  });
});

describe('an insert whose connection is cut', () => {
  it.each(['before', 'after'] as const)('%s the server has executed it is applied once', async (when) => {
    network.cut({ command: 'insert', when });
    const record = applied(await collection.insert(waiting(`insert ${when}`), [announcement(`insert ${when}`)]));
    expect(await others.findById(`insert ${when}`)).toEqual(record);
  });

  it('stays unknown when another writer holds the id by now', async () => {
    network.cut({ command: 'insert', when: 'before', meanwhile: () => others.insert(waiting('taken', { tenantId: 'rival' })) });
    expect(await collection.insert(waiting('taken'))).toMatchObject({ outcome: 'unknown' });
    expect(await others.findById('taken')).toMatchObject({ tenantId: 'rival' });
  });
});

describe('a database that is away', () => {
  it('makes reads throw and writes unknown, and is used again when it is back', async () => {
    const before = applied(await collection.insert(waiting('away')));
    network.behave('refusing');
    await expect(collection.findById('away')).rejects.toThrow(StoreUnavailableError);
    await expect(collection.find({ tenantId: 'tenant' }, { sort: { rank: 1, _id: 1 }, limit: 1 })).rejects.toThrow(StoreUnavailableError);
    await expect(collection.outbox.confirm('away', 'x')).rejects.toThrow(StoreUnavailableError);
    await expect(store!.now()).rejects.toThrow(StoreUnavailableError);
    expect(await collection.mutate(before, waiting('away', { rank: 2 }))).toEqual({ outcome: 'unknown', reason: 'the store could not be reached; the write was not sent' });
    network.behave('normal');
    expect(await collection.findById('away')).toEqual(before);
  });

  it('that accepts statements and never answers makes reads throw and writes unknown', async () => {
    const before = applied(await collection.insert(waiting('silent')));
    network.behave('silent');
    await expect(collection.findById('silent')).rejects.toThrow(StoreUnavailableError);
    expect(await collection.mutate(before, waiting('silent', { rank: 2 }))).toMatchObject({ outcome: 'unknown' });
    network.behave('refusing');
    network.behave('normal');
    expect(await collection.findById('silent')).toEqual(before);
  });
});
