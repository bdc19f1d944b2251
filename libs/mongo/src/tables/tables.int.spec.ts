import { eventually } from '@platform/testing';
import { Long } from 'bson';
import { openCuttingProxy } from '../features/cutting-proxy';
import { StoreUnavailableError } from '../port';
import { openTables } from './open-tables';
import { QueryTooSlowError, type Tables } from './port';

const url = process.env['TEST_MONGODB_URL'];

describe('tables', () => {
  const commands: string[] = [];
  let tables: Tables;

  beforeAll(async () => {
    tables = await openTables({
      countingMs: 600_000,
      url: url!,
      database: `tables-${process.pid}`,
      appName: 'tables-test',
      selectMs: 60_000,
      onCommand: ({ name }) => commands.push(name),
    });
    await tables.insert(
      'numbers',
      Array.from({ length: 3_000 }, (_unused, index) => ({ _id: `n${index}`, at: index, big: Long.MAX_VALUE })),
    );
  });
  afterAll(() => tables.close());
  beforeEach(() => void (commands.length = 0));

  it('read a thousand rows with one command', async () => {
    const rows = await tables.aggregate(
      'numbers',
      [{ $group: { _id: '$at', y: { $sum: 1 } } }, { $sort: { _id: 1 } }, { $limit: 1_001 }],
      { maxTimeMs: 10_000, comment: 'x@y' },
    );
    expect(rows).toHaveLength(1_001);
    expect(commands).toEqual(['aggregate']);
  });

  it('end a query that is too slow with an error of its own', async () => {
    const slow = [
      { $lookup: { from: 'numbers', pipeline: [], as: 'all' } },
      { $unwind: '$all' },
      { $group: { _id: null, y: { $sum: '$all.at' } } },
    ];
    await expect(tables.aggregate('numbers', slow, { maxTimeMs: 20 })).rejects.toThrow(QueryTooSlowError);
  });

  it('add rows one by one and name those whose key is taken', async () => {
    const answer = await tables.insert('numbers', [{ _id: 'new' }, { _id: 'n1' }, { _id: 'newer' }]);
    expect(answer).toEqual({ inserted: 2, refused: [{ index: 1, reason: 'a row with this key exists' }] });
  });

  it.each(['before', 'after'] as const)(
    'report a batch whose connection is lost %s the server has it',
    async (when) => {
      const network = await openCuttingProxy(url!);
      const lossy = await openTables({ url: network.url, database: `tables-${process.pid}`, appName: 'tables-test' });
      try {
        // A driver that may send the statement once more has both answers cut.
        network.cut({ command: 'insert', when }, { command: 'insert', when });
        await expect(lossy.insert('numbers', [{ _id: `lost ${when}` }])).rejects.toThrow(StoreUnavailableError);
      } finally {
        await lossy.close();
        await network.close();
      }
    },
  );

  it('create an index once and explain a query by it', async () => {
    await tables.createIndex('numbers', { at: 1 });
    await tables.createIndex('numbers', { at: 1 });
    expect((await tables.indexes('numbers')).map(({ key }) => key)).toEqual([{ _id: 1 }, { at: 1 }]);
    expect(await tables.indexes('nothing')).toEqual([]);
    const plan = await tables.explain(
      'numbers',
      [{ $match: { at: { $gte: 5 } } }, { $group: { _id: null, y: { $sum: 1 } } }],
      { maxTimeMs: 600_000 },
    );
    expect(JSON.stringify(plan)).toContain('IXSCAN');
    expect(JSON.stringify(plan)).toMatch(/"totalDocsExamined":\d/);
  });

  it('tell of writes, or say why the store reports none', async () => {
    const written: (string | undefined)[] = [];
    const watch = await tables.watch((table) => written.push(table));
    if (typeof watch === 'string') return expect(watch).toBe('a single server has no change stream');
    await tables.insert('watched', [{ _id: 'w1' }]);
    await eventually(() => written.includes('watched'), { describe: 'the write is reported' });
    await watch.close();
    return expect(await watch.ended).toEqual({});
  });
});
