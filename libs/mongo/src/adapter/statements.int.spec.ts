import type { Document } from 'mongodb';
import { openTestDatabase, type TestDatabase } from '../test-database';
import { UnclearAnswerError } from './driver-errors';
import { createStatements, type FencedUpdate, type Statements } from './statements';
import type { StoredDocument } from './stored-document';

let database: TestDatabase;
let statements: Statements;

const at = new Date('2026-01-01T00:00:00Z');
const row = (id: string, more: object = {}): StoredDocument => ({
  _id: id,
  revision: 'r0',
  createdAt: at,
  updatedAt: at,
  ...more,
});
const rows = (word: string, count = 10) => Array.from({ length: count }, (_, number) => row(`${word} ${number}`));
const advance = (id: string, replaces = 'r0'): FencedUpdate => ({
  id,
  replaces,
  leaves: `${id} r1`,
  update: { $set: { revision: `${id} r1` } },
});
const collection = () =>
  database.raw.collection<StoredDocument>('rows', {
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 2_000 },
  });
const run = (command: Document): Promise<Document> => database.raw.command(command);
const nameOf = (error: Error): string => error.name;

beforeAll(async () => {
  database = await openTestDatabase('statements');
});
beforeEach(async () => {
  await collection().deleteMany({});
  statements = createStatements(collection(), run);
  database.commands();
});
afterAll(() => database.drop());

describe('statements of one turn', () => {
  it('share one command of each kind, and one that is alone has a plain one', async () => {
    const all = rows('a');
    await Promise.all(all.map((document) => statements.insert(document, 'first')));
    expect(await Promise.all(all.map(({ _id }) => statements.update(advance(_id), 'first')))).toEqual(
      all.map(() => true),
    );
    expect(
      (await Promise.all([...all, row('absent')].map(({ _id }) => statements.read(_id)))).map(
        (found) => found?.revision ?? null,
      ),
    ).toEqual([...all.map(({ _id }) => `${_id} r1`), null]);
    expect(await statements.update(advance('absent'), 'first')).toBe(false);
    expect(database.commands()).toEqual(['insert', 'update', 'find', 'update']);
  });

  it('travel in several commands when they are many', async () => {
    await Promise.all(rows('b', 70).map((document) => statements.insert(document, 'first')));
    expect(database.commands()).toEqual(['insert', 'insert', 'insert']);
    expect(await collection().countDocuments()).toBe(70);
  });

  it('travel alone when they are sent again', async () => {
    await Promise.all(rows('f', 2).map((document) => statements.insert(document, 'again')));
    expect(await Promise.all(rows('f', 2).map(({ _id }) => statements.update(advance(_id), 'again')))).toEqual([
      true,
      true,
    ]);
    expect(database.commands()).toEqual(['insert', 'insert', 'update', 'update']);
  });

  it('ask for the durability of the collection', async () => {
    const asked: Document[] = [];
    const noting = createStatements(collection(), (command) => (asked.push(command), run(command)));
    await Promise.all(rows('c').map((document) => noting.insert(document, 'first')));
    await Promise.all(rows('c').map(({ _id }) => noting.update(advance(_id), 'first')));
    const durable = { ordered: false, writeConcern: { w: 'majority', j: true, wtimeout: 2_000 } };
    expect(asked).toMatchObject([
      { insert: 'rows', ...durable },
      { update: 'rows', ...durable },
    ]);
  });

  it('that no server can write do not spoil their neighbours', async () => {
    const [first, spoilt, last] = [row('d 0'), row('d 1', { ['not\0writable']: 1 }), row('d 2')];
    const settled = await Promise.allSettled(
      [first, spoilt, last].map((document) => statements.insert(document, 'first')),
    );
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const large = [
      row('d 3', { text: 'x'.repeat(9_000_000) }),
      row('d 4', { text: 'x'.repeat(9_000_000) }),
      row('d 5'),
    ];
    await Promise.all(large.map((document) => statements.insert(document, 'first')));
    expect(
      (
        await collection()
          .find({}, { projection: { _id: 1 } })
          .toArray()
      )
        .map(({ _id }) => _id)
        .sort(),
    ).toEqual(['d 0', 'd 2', 'd 3', 'd 4', 'd 5']);
  });
});

describe('several fenced updates of which not all match', () => {
  const settleAll = async (updates: readonly FencedUpdate[]) =>
    (await Promise.allSettled(updates.map((update) => statements.update(update, 'first')))).map((one) =>
      one.status === 'fulfilled' ? one.value : nameOf(one.reason as Error),
    );

  beforeEach(async () => {
    await collection().insertMany(rows('e', 4));
  });

  it('are distinguished by the stored revisions', async () => {
    expect(await settleAll([advance('e 0'), advance('e 1', 'old'), advance('e 2'), advance('absent')])).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('of the same record, have one winner', async () => {
    const rival: FencedUpdate = { ...advance('e 0'), leaves: 'rival', update: { $set: { revision: 'rival' } } };
    expect(await settleAll([advance('e 0'), rival, advance('e 1')])).toEqual([true, false, true]);
  });

  it('are not judged when another writer has followed: one that matched looks like one that did not', async () => {
    statements = createStatements(collection(), async (command) => {
      const answer = await run(command);
      await collection().updateOne({ _id: 'e 0' }, { $set: { revision: 'follower' } });
      return answer;
    });
    expect(await settleAll([advance('e 0'), advance('e 1', 'old'), advance('e 2')])).toEqual([
      UnclearAnswerError.name,
      UnclearAnswerError.name,
      true,
    ]);
  });

  it('are not judged when the stored revisions cannot be read', async () => {
    const deaf = new Proxy(collection(), {
      get: (target, key) =>
        key === 'find' ? () => ({ toArray: () => Promise.reject(new Error('away')) }) : Reflect.get(target, key),
    });
    statements = createStatements(deaf, run);
    expect(await settleAll([advance('e 0'), advance('e 1', 'old')])).toEqual([
      UnclearAnswerError.name,
      UnclearAnswerError.name,
    ]);
  });
});
