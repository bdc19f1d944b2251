/** What every implementation returns for lists: filters, total orders, positions that work with ties and nulls. */
import fc from 'fast-check';
import type { Filter, FindOptions, RevisionedCollection, Scalar } from '../port';
import { applied, dueAt, jobsCollection, waiting, type Job, type StoreHarness } from './sample';

const rising: FindOptions['sort'] = { rank: 1, _id: 1 };
const falling: FindOptions['sort'] = { rank: -1, createdAt: 1, _id: -1 };

export function describeLists(open: () => StoreHarness): void {
  let collection: RevisionedCollection<Job>;
  const ranks: Readonly<Record<string, number | null>> = {
    l1: 3,
    l2: null,
    l3: 1,
    l4: 3,
    l5: null,
    l6: 2,
    l7: 3,
    l8: -1.5,
  };

  beforeAll(async () => {
    collection = open().store.collection<Job>({ ...jobsCollection, name: 'listed_jobs' });
    await open().store.ensureIndexes();
    for (const [id, rank] of Object.entries(ranks)) {
      applied(
        await collection.insert(
          waiting(id, {
            tenantId: 'listed',
            rank,
            tags: [`tag-${id}`, 'all'],
            ...(id < 'l4' ? { reference: id } : {}),
          }),
        ),
      );
      open().clock.advance(1);
    }
    const { dueAt: _dueAt, ...shared } = waiting('run', { tenantId: 'other' });
    applied(
      await collection.insert({
        ...shared,
        status: 'running',
        executor: { instance: 'one', steps: [{ name: 'a', at: dueAt }] },
      }),
    );
  });

  const idsOf = async (filter: Filter, options: Partial<FindOptions> = {}): Promise<string[]> =>
    (await collection.find({ tenantId: 'listed', ...filter }, { sort: rising!, limit: 100, ...options })).map(
      ({ _id }) => _id,
    );

  describe('a list', () => {
    it('is ordered by its keys, with null first when rising and last when falling', async () => {
      expect(await idsOf({})).toEqual(['l2', 'l5', 'l8', 'l3', 'l6', 'l1', 'l4', 'l7']);
      expect(await idsOf({}, { sort: falling! })).toEqual(['l1', 'l4', 'l7', 'l6', 'l3', 'l8', 'l2', 'l5']);
    });

    it.each<[string, Filter, string[]]>([
      ['a value', { rank: 3 }, ['l1', 'l4', 'l7']],
      ['null', { rank: null }, ['l2', 'l5']],
      ['a missing field by null', { reference: null }, ['l5', 'l8', 'l6', 'l4', 'l7']],
      ['one of several values', { rank: { $in: [1, 2, null] } }, ['l2', 'l5', 'l3', 'l6']],
      ['no value at all', { rank: { $in: [] } }, []],
      ['bounds', { rank: { $gt: -1.5, $lte: 2 } }, ['l3', 'l6']],
      ['other bounds', { rank: { $gte: 2, $lt: 3 } }, ['l6']],
      ['anything but a value', { rank: { $ne: 3 } }, ['l2', 'l5', 'l8', 'l3', 'l6']],
      ['anything but null', { reference: { $ne: null } }, ['l2', 'l3', 'l1']],
      ['a field that exists', { reference: { $exists: true } }, ['l2', 'l3', 'l1']],
      ['a field that does not', { reference: { $exists: false } }, ['l5', 'l8', 'l6', 'l4', 'l7']],
      ['an element of an array', { tags: 'tag-l6' }, ['l6']],
      ['a date', { dueAt: dueAt, rank: 2 }, ['l6']],
      ['bounds of another kind', { reference: { $gt: 1 } }, []],
      ['texts by bytes', { reference: { $gte: 'l2' } }, ['l2', 'l3']],
    ])('finds %s', async (_case, filter, ids) => {
      expect(await idsOf(filter)).toEqual(ids);
    });

    it('finds nested values by their path, also inside arrays', async () => {
      const byInstance: FindOptions = { limit: 10, sort: { 'executor.instance': 1, _id: 1 } };
      expect(
        await collection.find({ 'executor.instance': 'one', 'executor.steps.name': 'a' }, byInstance),
      ).toMatchObject([{ _id: 'run' }]);
      expect(await collection.find({ 'executor.instance': 'one', 'executor.steps.0.name': 'b' }, byInstance)).toEqual(
        [],
      );
    });

    it('continues strictly after a position, through ties and nulls, in both directions', async () => {
      const all = { rising: await idsOf({}), falling: await idsOf({}, { sort: falling! }) };
      const walk = async (sort: NonNullable<FindOptions['sort']>, size: number): Promise<string[]> => {
        const seen: string[] = [];
        for (let after: readonly Scalar[] | undefined; ;) {
          const page = await collection.find(
            { tenantId: 'listed' },
            { sort, limit: size, ...(after ? { after } : {}) },
          );
          seen.push(...page.map(({ _id }) => _id));
          const last = page.at(-1);
          if (!last) return seen;
          after = Object.keys(sort).map((key) => last[key as 'rank']);
        }
      };
      for (const size of [1, 2, 3, 8]) {
        expect(await walk(rising!, size)).toEqual(all.rising);
        expect(await walk(falling!, size)).toEqual(all.falling);
      }
    });

    it('continues after any position, also one that no record holds', async () => {
      const rank = fc.oneof(fc.constant(null), fc.integer({ min: -3, max: 4 }));
      await fc.assert(
        fc.asyncProperty(rank, fc.constantFrom('', 'l1', 'l5', 'l9'), async (value, id) => {
          const order = (one: number | null): number => one ?? Number.NEGATIVE_INFINITY;
          const expected = (await idsOf({})).filter(
            (one) => order(ranks[one]!) > order(value) || (ranks[one] === value && one > id),
          );
          expect(await idsOf({}, { after: [value, id] })).toEqual(expected);
        }),
        { numRuns: 40 },
      );
    });

    it('uses a partial index when the filter implies it', async () => {
      expect(
        (
          await collection.find({ status: 'waiting', dueAt: { $lte: dueAt } }, { sort: { dueAt: 1, _id: 1 }, limit: 2 })
        ).map(({ _id }) => _id),
      ).toEqual(['l1', 'l2']);
      expect((await collection.find({ reference: 'l2' }, { limit: 1 })).map(({ _id }) => _id)).toEqual(['l2']);
    });

    it.each<[string, Filter, FindOptions, string]>([
      ['no limit', {}, { limit: 0 }, 'limit of 1 to 1000'],
      ['a limit beyond the greatest', {}, { limit: 1_001 }, 'limit of 1 to 1000'],
      ['an order that is not total', { tenantId: 't' }, { limit: 1, sort: { rank: 1 } }, 'ends in _id'],
      [
        'a position that does not fit the order',
        { tenantId: 't' },
        { limit: 1, sort: rising!, after: [1] },
        'one value for each key',
      ],
      [
        'an order that no index serves',
        {},
        { limit: 1, sort: { tags: 1, _id: 1 } },
        'no declared index serves a list ordered by (tags 1, _id 1)',
      ],
      [
        'an order whose directions no index has',
        { tenantId: 't' },
        { limit: 1, sort: { rank: 1, _id: -1 } },
        'no declared index',
      ],
      [
        'a partial index that the filter does not imply',
        { status: 'done' },
        { limit: 1, sort: { dueAt: 1, _id: 1 } },
        'no declared index',
      ],
    ])('refuses %s', async (_case, filter, options, message) => {
      await expect(async () => collection.find(filter, options)).rejects.toThrow(message);
    });
  });

  describe('a count', () => {
    it('counts what the filter finds', async () => {
      expect(await collection.count({ tenantId: 'listed' })).toBe(8);
      expect(await collection.count({ tenantId: 'listed', rank: { $gte: 2 } })).toBe(4);
      expect(await collection.count({ tenantId: 'unknown' })).toBe(0);
    });
  });
}
