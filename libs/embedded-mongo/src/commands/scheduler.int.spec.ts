/** Long reads yield to short commands, run concurrently, and end when no client waits for them. */
import type { MongoServerError } from 'mongodb';
import { MongoClient } from 'mongodb';
import { createScheduler } from './scheduler';
import { CommandError } from '../errors';
import { docOf, int } from '../bson/values';
import { openTestStore } from '../testing/open-test-store';
import type { TestStore } from '../testing/open-test-store';
import { connectRaw } from '../testing/raw-client';

const documents = 12_000;
const slow = [
  {
    $group: {
      _id: '$kind',
      count: { $sum: 1 },
      texts: { $addToSet: { $concat: ['$text', { $toString: { $mod: ['$n', 50] } }] } },
    },
  },
];

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
  const numbers = Array.from({ length: documents }, (_unused, n) => n);
  await test.client
    .db('turns')
    .collection<{ _id: number }>('many')
    .insertMany(numbers.map((n) => ({ _id: n, n, kind: n % 4, text: 'text' })));
});
afterAll(async () => {
  await test.close();
  expect(test.faults).toEqual([]);
});

describe('long reads', () => {
  it('leave room for a ping, a find and a write, and all give the whole answer', async () => {
    const db = test.client.db('turns');
    const long = Array.from({ length: 6 }, () => db.collection('many').aggregate(slow).toArray());
    let ended = 0;
    for (const read of long) void read.then(() => (ended += 1));
    await Promise.all([
      db.command({ ping: 1 }),
      db.collection<{ _id: number }>('many').findOne({ _id: 7 }),
      db.collection('other').insertOne({ at: 1 }),
    ]);
    expect(ended).toBeLessThan(long.length);
    for (const groups of await Promise.all(long)) {
      expect(groups.map(({ count }) => count as number)).toEqual([
        documents / 4,
        documents / 4,
        documents / 4,
        documents / 4,
      ]);
    }
  });

  it('end with code 50 when their time is over, also between slices', async () => {
    const reads = Array.from({ length: 6 }, () =>
      test.client.db('turns').collection('many').aggregate(slow, { maxTimeMS: 20 }).toArray(),
    );
    const ends = await Promise.allSettled(reads);
    expect(ends.filter((end) => end.status === 'rejected').length).toBeGreaterThan(0);
    for (const end of ends) if (end.status === 'rejected') expect((end.reason as MongoServerError).code).toBe(50);
  });

  it('end with code 175 when their collection is dropped in the middle', async () => {
    const db = test.client.db('turns');
    await db
      .collection('doomed')
      .insertMany(Array.from({ length: documents }, (_unused, n) => ({ n, kind: n % 4, text: 'text' })));
    const reading = db.collection('doomed').aggregate(slow).toArray();
    const refused = expect(reading).rejects.toMatchObject({ code: 175 });
    await db.collection('doomed').drop();
    await refused;
  });

  it('refuse a second reader of their cursor and notice that it was killed', async () => {
    const [reader, other] = [await connectRaw(test.store.url), await connectRaw(test.store.url)];
    const filter = docOf({ text: 'none' });
    const opened = await reader.command('turns', docOf({ find: 'many', filter, batchSize: int(0) }));
    const cursor = opened.get('cursor') as Map<string, bigint>;
    const more = docOf({ getMore: cursor.get('id') as bigint, collection: 'many' });
    const first = reader.command('turns', more);
    const second = await other.command('turns', more);
    expect(second.get('code')).toEqual(int(12051));
    await other.command('turns', docOf({ killCursors: 'many', cursors: [cursor.get('id') as bigint] }));
    expect((await first).get('code')).toEqual(int(237));
    reader.close();
    other.close();
  });

  it('end with code 11600 when the store closes', async () => {
    const own = await openTestStore();
    await own.client
      .db('turns')
      .collection('many')
      .insertMany(Array.from({ length: documents }, (_unused, n) => ({ n, kind: n % 4, text: 'text' })));
    const client = await new MongoClient(own.store.url, { retryReads: false }).connect();
    const reads = Array.from({ length: 8 }, () => client.db('turns').collection('many').aggregate(slow).toArray());
    const ends = Promise.allSettled(reads);
    await client.db('turns').command({ ping: 1 });
    await own.close();
    const codes = (await ends).map((end) =>
      end.status === 'rejected' ? (end.reason as MongoServerError).code : 'answered',
    );
    expect(codes).toContain(11600);
    await client.close();
  });
});

describe('slices of computing', () => {
  it('go to the connections that had few of them, then to the oldest few in rotation', async () => {
    let time = 0;
    const scheduler = createScheduler(() => time);
    const order: string[] = [];
    const run = async (name: string, wanted: number): Promise<void> => {
      const place = scheduler.join(() => undefined);
      for (let turn = 0; turn < wanted; turn += 1) {
        await place.next();
        order.push(name);
        time += 100;
      }
    };
    const long = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => run(name, 20));
    const late = long[0]?.then(() => run('late', 2));
    await Promise.all([...long, late]);
    expect(order).toHaveLength(6 * 20 + 2);
    expect(order.lastIndexOf('a')).toBeLessThan(order.lastIndexOf('e'));
    expect(order.lastIndexOf('late') - order.indexOf('late')).toBe(1);
  });

  it('reach a long command although short ones never cease', async () => {
    let time = 0;
    const scheduler = createScheduler(() => time);
    let ended = false;
    const long = (async () => {
      const place = scheduler.join(() => undefined);
      for (let turn = 0; turn < 10; turn += 1) await place.next();
      ended = true;
    })();
    let short = 0;
    const feed = async (): Promise<void> => {
      while (!ended) {
        await scheduler.join(() => undefined).next();
        short += 1;
        time += 100;
      }
    };
    await Promise.all([long, feed(), feed()]);
    expect(short).toBeGreaterThan(10);
    expect(short).toBeLessThan(100);
  });

  it('end a command that is interrupted', async () => {
    const scheduler = createScheduler();
    const place = scheduler.join(() => new CommandError(279, 'gone'));
    await expect(place.next()).rejects.toMatchObject({ code: 279 });
  });
});
