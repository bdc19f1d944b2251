import { createIds, createManualClock, silentLog } from '@platform/kernel';
import { eventually } from '@platform/testing';
import {
  StoreRefusedError,
  StoreUnavailableError,
  connectStore,
  type RevisionedCollection,
  type Store,
} from '../index';
import { openCuttingProxy, type Cut, type CuttingProxy } from '../features/cutting-proxy';
import { applied, announcement, jobsCollection, waiting, type Job } from '../features/sample';
import { openTestDatabase, type TestDatabase } from '../test-database';

let database: TestDatabase;
let network: CuttingProxy;
/** One store behind the failing network, and one that bypasses it. */
let store: Store | undefined;
let rival: Store | undefined;
let collection: RevisionedCollection<Job>;
let others: RevisionedCollection<Job>;

const clock = createManualClock();
const shared = () => ({ database: database.name, clock, ids: createIds(), log: silentLog, appName: 'test' });

beforeAll(async () => {
  database = await openTestDatabase('lost_answers');
  network = await openCuttingProxy(database.url);
  store = await connectStore({
    ...shared(),
    url: network.url,
    // No test waits for them; a busy machine needs seconds for a write of twelve.
    timeouts: { selectMs: 20_000, answerMs: 20_000, majorityMs: 19_000 },
  });
  rival = await connectStore({ ...shared(), url: database.url });
  collection = store.collection(jobsCollection);
  others = rival.collection(jobsCollection);
  await rival.ensureIndexes();
});

afterAll(async () => {
  await store?.close();
  await rival?.close();
  await network.close();
  await database.drop();
});

afterEach(() => {
  network.behave('normal');
  expect(network.uncut()).toBe(0);
});

const majorityMissing = {
  writeConcernError: {
    code: 64,
    codeName: 'WriteConcernTimeout',
    errmsg: 'waiting for replication timed out',
    errInfo: { wtimeout: true },
  },
};
const steppedDown = {
  ok: 0,
  code: 10_107,
  codeName: 'NotWritablePrimary',
  errmsg: 'not primary',
  errorLabels: ['RetryableWriteError'],
};

/**
 * Mutations with messages request the record, because a relay may have removed some; those without need only a count.
 */
describe.each<['findAndModify' | 'update', number]>([
  ['findAndModify', 1],
  ['update', 0],
])('a mutation by %s whose connection is cut', (command, messages) => {
  const say = (id: string) => Array.from({ length: messages }, () => announcement(`message of ${id}`));
  const begun = async (id: string) => applied(await collection.insert(waiting(`${command} ${id}`)));
  const advance = (before: Job) => collection.mutate(before, waiting(before._id, { rank: 2 }), say(before._id));

  it.each<[string, readonly Cut[]]>([
    ['before the server has seen it', [{ command, when: 'before' }]],
    ['after the server has executed it', [{ command, when: 'after' }]],
    [
      'before, and its repeat after the server has executed that',
      [
        { command, when: 'before' },
        { command, when: 'after' },
      ],
    ],
    [
      'after, and the first re-read as well',
      [
        { command, when: 'after' },
        { command: 'find', when: 'before' },
      ],
    ],
  ])('%s is applied once', async (subject, cuts) => {
    const before = await begun(subject);
    network.cut(...cuts);
    const record = applied(await advance(before));
    expect(record).toMatchObject({ rank: 2, ...(messages > 0 && { outbox: [{ id: `message of ${before._id}` }] }) });
    expect(await others.findById(before._id)).toEqual(record);
  });

  it('while it is on its way is applied once, however late it arrives', async () => {
    const before = await begun('late');
    network.cut({ command, when: 'hold' });
    const record = applied(await advance(before));
    const followed = applied(await others.mutate(record, { ...record, rank: 3 }));
    await network.deliverHeld();
    expect(await others.findById(before._id)).toEqual(followed);
  });

  it.each(['before', 'after'] as const)(
    '%s it took effect stays unknown when another writer has followed',
    async (when) => {
      const before = await begun(`followed ${when}`);
      const follow = async (): Promise<void> => {
        const seen = (await others.findById(before._id))!;
        applied(await others.mutate(seen, { ...seen, tenantId: 'rival' }));
      };
      network.cut({ command, when, meanwhile: follow });
      expect(await advance(before)).toMatchObject({ outcome: 'unknown' });
      expect(await others.findById(before._id)).toMatchObject({ tenantId: 'rival', rank: when === 'after' ? 2 : 1 });
    },
  );

  it('twice before the server has seen it stays unknown and has no effect', async () => {
    const before = await begun('twice');
    network.cut({ command, when: 'before' }, { command, when: 'before' });
    expect(await advance(before)).toMatchObject({ outcome: 'unknown' });
    expect(await others.findById(before._id)).toEqual(before);
  });

  it('since the server is no longer primary, is sent once more and applied once', async () => {
    const before = await begun('election');
    network.cut({ command, when: 'before', answer: steppedDown });
    const after = applied(await advance(before));
    expect(await others.findById(before._id)).toEqual(after);
  });

  it('since the majority did not acknowledge in time, is applied when its revision is found again', async () => {
    const before = await begun('majority');
    network.cut({ command, when: 'after', answer: majorityMissing });
    const after = applied(await advance(before));
    expect(await others.findById(before._id)).toEqual(after);
    expect(after.outbox ?? []).toHaveLength(messages);
  });
});

describe('writes that share a command whose connection is cut', () => {
  const ids = (word: string) => Array.from({ length: 12 }, (_, at) => `${word} ${at}`);

  it.each(['before', 'after'] as const)('%s the server has executed it are each applied once', async (when) => {
    const all = ids(`shared ${when}`);
    network.cut({ command: 'insert', when });
    const records = (await Promise.all(all.map((id) => collection.insert(waiting(id))))).map(applied);
    network.cut({ command: 'update', when });
    const advanced = (
      await Promise.all(records.map((record) => collection.mutate(record, { ...record, rank: 7 })))
    ).map(applied);
    expect(await Promise.all(all.map((id) => others.findById(id)))).toEqual(advanced);
  });

  it('are each settled by what is stored: written, followed by another writer, lost to one before', async () => {
    const records = (await Promise.all(ids('mixed').map((id) => collection.insert(waiting(id))))).map(applied);
    const rivalWrites = async (record: Job): Promise<void> => {
      const seen = (await others.findById(record._id))!;
      applied(await others.mutate(seen, { ...seen, tenantId: 'rival' }));
    };
    await rivalWrites(records[3]!);
    network.cut({ command: 'update', when: 'after', meanwhile: () => rivalWrites(records[5]!) });
    const outcomes = await Promise.all(records.map((record) => collection.mutate(record, { ...record, rank: 7 })));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(
      records.map((_record, at) => (at === 3 || at === 5 ? 'unknown' : 'applied')),
    );
    expect(await others.findById(records[3]!._id)).toMatchObject({ tenantId: 'rival', rank: 1 });
    expect(await others.findById(records[5]!._id)).toMatchObject({ tenantId: 'rival', rank: 7 });
  });
});

describe('an insert whose connection is cut', () => {
  it.each(['before', 'after'] as const)('%s the server has executed it is applied once', async (when) => {
    network.cut({ command: 'insert', when });
    const record = applied(await collection.insert(waiting(`insert ${when}`), [announcement(`insert ${when}`)]));
    expect(await others.findById(`insert ${when}`)).toEqual(record);
  });

  it('stays unknown when another writer holds the id by now', async () => {
    network.cut({
      command: 'insert',
      when: 'before',
      meanwhile: () => others.insert(waiting('taken', { tenantId: 'rival' })),
    });
    expect(await collection.insert(waiting('taken'))).toMatchObject({ outcome: 'unknown' });
    expect(await others.findById('taken')).toMatchObject({ tenantId: 'rival' });
  });
});

describe('a read whose connection is cut', () => {
  it('is asked once more', async () => {
    const record = applied(await others.insert(waiting('read again')));
    network.cut({ command: 'find', when: 'before' });
    expect(await collection.findById('read again')).toEqual(record);
  });
});

describe('an insert that the server answers without certainty', () => {
  it('since the majority did not acknowledge in time, is applied when its revision is found again', async () => {
    network.cut({ command: 'insert', when: 'after', answer: majorityMissing });
    const record = applied(await collection.insert(waiting('majority')));
    expect(await others.findById('majority')).toEqual(record);
  });

  it('since it is no longer primary, is sent once more and applied once', async () => {
    network.cut({ command: 'insert', when: 'before', answer: steppedDown });
    const record = applied(await collection.insert(waiting('election')));
    expect(await others.findById('election')).toEqual(record);
  });

  it('since its own id is said to be taken, is applied when the record carries its revision', async () => {
    const taken = {
      n: 0,
      ok: 1,
      writeErrors: [
        {
          index: 0,
          code: 11_000,
          errmsg: 'E11000 duplicate key error',
          keyPattern: { _id: 1 },
          keyValue: { _id: 'repeated' },
        },
      ],
    };
    network.cut({ command: 'insert', when: 'after', answer: taken });
    const record = applied(await collection.insert(waiting('repeated')));
    expect(await others.findById('repeated')).toEqual(record);
  });

  it('throws when the server refuses it for good', async () => {
    const denied = { ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'not authorized' };
    network.cut({ command: 'insert', when: 'before', answer: denied });
    await expect(collection.insert(waiting('denied'))).rejects.toThrow(StoreRefusedError);
    expect(await others.findById('denied')).toBeNull();
  });
});

describe('a database that is unreachable', () => {
  let hasty: Store | undefined;
  let reads: RevisionedCollection<Job>;
  beforeAll(async () => {
    const timeouts = { selectMs: 400, answerMs: 500, majorityMs: 400 };
    hasty = await eventually(() => connectStore({ ...shared(), url: network.url, timeouts }), {
      describe: 'the first connection, which may take longer than the short time limit on a busy machine',
    });
    reads = hasty.collection(jobsCollection);
  });
  afterAll(() => hasty?.close());

  /** A new connection may take longer than the short time limit on a busy machine. */
  const readAgain = (id: string) => eventually(() => reads.findById(id), { describe: 'the database answers again' });

  it('makes reads throw and writes unknown, and is used again when it is back', async () => {
    const before = applied(await others.insert(waiting('away')));
    network.behave('refusing');
    await expect(reads.findById('away')).rejects.toThrow(StoreUnavailableError);
    await expect(reads.find({ tenantId: 'tenant' }, { sort: { rank: 1, _id: 1 }, limit: 1 })).rejects.toThrow(
      StoreUnavailableError,
    );
    await expect(reads.outbox.confirm('away', 'x')).rejects.toThrow(StoreUnavailableError);
    await expect(hasty!.now()).rejects.toThrow(StoreUnavailableError);
    expect(await reads.mutate(before, waiting('away', { rank: 2 }))).toEqual({
      outcome: 'unknown',
      reason: 'the store could not be reached; the write was not sent',
    });
    network.behave('normal');
    expect(await readAgain('away')).toEqual(before);
  });

  it('that accepts statements and never answers makes reads throw and writes unknown', async () => {
    const before = applied(await others.insert(waiting('silent')));
    network.behave('silent');
    await expect(reads.findById('silent')).rejects.toThrow(StoreUnavailableError);
    expect(await reads.mutate(before, waiting('silent', { rank: 2 }))).toMatchObject({ outcome: 'unknown' });
    network.behave('refusing');
    network.behave('normal');
    expect(await readAgain('silent')).toEqual(before);
  });
});
