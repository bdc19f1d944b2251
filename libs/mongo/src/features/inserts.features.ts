/** How every implementation of the store handles a new record: it is created once, exactly as given, or not at all. */
import type { Draft, RevisionedCollection } from '../port';
import { applied, dueAt, jobsCollection, revisionShape, waiting, type Job, type StoreHarness } from './sample';

export function describeInserts(open: () => StoreHarness): void {
  let collection: RevisionedCollection<Job>;
  beforeEach(() => {
    collection = open().store.collection(jobsCollection);
  });

  describe('an insert', () => {
    it('stamps the record with a fresh revision and the time, and reads back as written', async () => {
      const now = open().clock.now();
      const draft = waiting('i1', { tags: ['a', 'ü', '🙂'], reference: 'R-1' });
      const record = applied(await collection.insert(draft));
      expect(record).toEqual({
        ...draft,
        revision: expect.stringMatching(revisionShape),
        createdAt: now,
        updatedAt: now,
      });
      expect(await collection.findById('i1')).toEqual(record);
    });

    it('keeps nested values as they are and leaves out what is undefined', async () => {
      const result = {
        empty: {},
        list: [],
        deep: [{ at: dueAt, n: 1.5, 'dotted.key': -7, $dollar: true }],
        big: Number.MAX_SAFE_INTEGER,
        gone: undefined,
      };
      const record = applied(await collection.insert({ _id: 'i2', tenantId: 't', rank: null, status: 'done', result }));
      const { gone: _gone, ...kept } = result;
      expect(record).toMatchObject({ result: kept });
      expect(Object.keys((record as Extract<Job, { status: 'done' }>).result)).not.toContain('gone');
      expect(await collection.findById('i2')).toEqual(record);
    });

    it('answers not_applied with the record that holds the id', async () => {
      const first = applied(await collection.insert(waiting('i3')));
      expect(await collection.insert(waiting('i3', { rank: 9 }))).toEqual({
        outcome: 'not_applied',
        existing: first,
        conflict: ['_id'],
      });
    });

    it('answers not_applied with the unique key that another record holds', async () => {
      applied(await collection.insert(waiting('i4', { reference: 'R-4' })));
      expect(await collection.insert(waiting('i5', { reference: 'R-4' }))).toEqual({
        outcome: 'not_applied',
        existing: null,
        conflict: ['reference'],
      });
      expect(await collection.findById('i5')).toBeNull();
    });

    it('lets records without the key pass a partial unique index', async () => {
      applied(await collection.insert(waiting('i6')));
      applied(await collection.insert(waiting('i7')));
    });

    it('is applied for exactly one of many writers of one id', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, rank) => collection.insert(waiting('i8', { rank }))),
      );
      const winners = outcomes.filter(({ outcome }) => outcome === 'applied');
      expect(winners).toHaveLength(1);
      for (const outcome of outcomes.filter((one) => one.outcome !== 'applied')) {
        expect(outcome).toEqual({ outcome: 'not_applied', existing: applied(winners[0]!), conflict: ['_id'] });
      }
    });

    it('gives each of many at once its own answer', async () => {
      applied(await collection.insert(waiting('many 3', { reference: 'R-many' })));
      const outcomes = await Promise.all(
        Array.from({ length: 9 }, (_, at) =>
          collection.insert(waiting(`many ${at}`, at === 6 ? { reference: 'R-many' } : {})),
        ),
      );
      expect(outcomes.map((one) => (one.outcome === 'not_applied' ? one.conflict : one.outcome))).toEqual(
        Array.from({ length: 9 }, (_, at) => (at === 3 ? ['_id'] : at === 6 ? ['reference'] : 'applied')),
      );
      expect(
        (await Promise.all(Array.from({ length: 9 }, (_, at) => collection.findById(`many ${at}`)))).map(
          (found) => found?._id ?? null,
        ),
      ).toEqual(Array.from({ length: 9 }, (_, at) => (at === 6 ? null : `many ${at}`)));
    });

    it.each([
      ['a number that is not finite', { rank: Number.NaN }, 'jobs.rank: a number that is not finite'],
      ['an invalid date', { dueAt: new Date(Number.NaN) }, 'jobs.dueAt: an invalid date'],
      ['an instance of a class', { tags: [new Map()] as unknown as string[] }, 'jobs.tags.0: only plain objects'],
      ['a field that looks like a path', { 'a.b': 1 }, 'a field cannot be called "a.b"'],
      ['a field that looks like an operator', { $set: 1 }, 'a field cannot be called "$set"'],
      ['an empty id', { _id: '' }, 'needs a non-empty text as _id'],
    ])('refuses %s', async (_case, more, message) => {
      const draft: Draft<Job> = { ...waiting('i9'), ...more };
      await expect(async () => collection.insert(draft)).rejects.toThrow(message);
      expect(await collection.findById('i9')).toBeNull();
    });
  });
}
