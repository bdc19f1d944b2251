/** What every implementation of the store does with writes: three outcomes, one winner, nothing but the difference. */
import { MissingRevisionError } from '@platform/kernel';
import {
  UniqueKeyError,
  type Draft,
  type InsertOutcome,
  type MutationOutcome,
  type RevisionedCollection,
} from '../port';
import { announcement, DUE, jobs, waiting, type Job, type StoreHarness } from './sample';

/** The record of a write that was applied; anything else fails the test with the whole outcome. */
export function applied<T>(outcome: InsertOutcome<T> | MutationOutcome<T>): T {
  if (outcome.outcome !== 'applied') throw new Error(`expected an applied write, got ${JSON.stringify(outcome)}`);
  return outcome.record;
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function describeInsert(open: () => StoreHarness): void {
  let collection: RevisionedCollection<Job>;
  beforeEach(() => {
    collection = open().store.collection(jobs);
  });

  describe('an insert', () => {
    it('stamps the record with a fresh revision and the time, and reads back as written', async () => {
      const now = open().clock.now();
      const draft = waiting('i1', { tags: ['a', 'ü', '🙂'], reference: 'R-1' });
      const record = applied(await collection.insert(draft));
      expect(record).toEqual({ ...draft, revision: expect.stringMatching(UUID_V7), createdAt: now, updatedAt: now });
      expect(await collection.findById('i1')).toEqual(record);
    });

    it('keeps nested values as they are and leaves out what is undefined', async () => {
      const result = {
        empty: {},
        list: [],
        deep: [{ at: DUE, n: 1.5, 'dotted.key': -7, $dollar: true }],
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

function describeMutate(open: () => StoreHarness): void {
  let collection: RevisionedCollection<Job>;
  beforeEach(() => {
    collection = open().store.collection(jobs);
  });

  describe('a mutation', () => {
    it('replaces what differs, drops what vanished, keeps the rest, and stamps anew', async () => {
      const before = applied(await collection.insert(waiting('m1', { reference: 'R-m1', tags: ['x'] })));
      open().clock.advance(1_000);
      const executor = { instance: 'one', steps: [{ name: 'first', at: DUE }] };
      const { reference: _dropped, ...rest } = waiting('m1', { tags: ['x'] });
      const { dueAt: _left, ...shared } = rest;
      const after = applied(await collection.mutate(before, { ...shared, status: 'running', executor }));
      expect(after).toEqual({
        ...shared,
        status: 'running',
        executor,
        revision: expect.stringMatching(UUID_V7),
        createdAt: before.createdAt,
        updatedAt: open().clock.now(),
      });
      expect(after.revision).not.toBe(before.revision);
      expect(await collection.findById('m1')).toEqual(after);
    });

    it('answers not_applied to a writer whose revision is no longer current, and changes nothing', async () => {
      const before = applied(await collection.insert(waiting('m2')));
      const after = applied(await collection.mutate(before, waiting('m2', { rank: 2 })));
      expect(await collection.mutate(before, waiting('m2', { rank: 3 }), [announcement('m2-lost')])).toEqual({
        outcome: 'not_applied',
      });
      expect(await collection.findById('m2')).toEqual(after);
    });

    it('never creates a record', async () => {
      const stamped = { revision: 'r', createdAt: DUE, updatedAt: DUE };
      expect(await collection.mutate({ ...waiting('m3'), ...stamped }, waiting('m3'))).toEqual({
        outcome: 'not_applied',
      });
      expect(await collection.findById('m3')).toBeNull();
    });

    it('stamps a fresh revision even when nothing differs', async () => {
      const before = applied(await collection.insert(waiting('m4')));
      const after = applied(await collection.mutate(before, before));
      expect({ ...after, revision: before.revision }).toEqual(before);
      expect(after.revision).not.toBe(before.revision);
    });

    it('is applied for exactly one of many writers of one revision', async () => {
      const before = applied(await collection.insert(waiting('m5')));
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, rank) =>
          collection.mutate(before, waiting('m5', { rank }), [announcement(`m5-${rank}`)]),
        ),
      );
      const winner = outcomes.findIndex(({ outcome }) => outcome === 'applied');
      expect(outcomes.filter(({ outcome }) => outcome === 'applied')).toHaveLength(1);
      expect(outcomes.filter(({ outcome }) => outcome === 'not_applied')).toHaveLength(11);
      expect(await collection.findById('m5')).toMatchObject({ rank: winner, outbox: [{ id: `m5-${winner}` }] });
    });

    it('loses no step when writers read again after a lost race', async () => {
      applied(await collection.insert(waiting('m6', { rank: 0 })));
      const countUp = async (): Promise<void> => {
        for (;;) {
          const current = (await collection.findById('m6'))!;
          const { outcome } = await collection.mutate(current, { ...current, rank: (current.rank ?? 0) + 1 });
          if (outcome === 'applied') return;
          expect(outcome).toBe('not_applied');
        }
      };
      await Promise.all(Array.from({ length: 8 }, countUp));
      expect(await collection.findById('m6')).toMatchObject({ rank: 8 });
    });

    it('gives each of many at once its own answer', async () => {
      applied(await collection.insert(waiting('holder', { reference: 'R-mutations' })));
      const before = await Promise.all(
        Array.from({ length: 9 }, async (_, at) => applied(await collection.insert(waiting(`mutation ${at}`)))),
      );
      const stale = before[4]!;
      applied(await collection.mutate(stale, { ...stale, rank: 0 }));
      const settled = await Promise.allSettled(
        before.map((record, at) =>
          collection.mutate(record, { ...record, rank: 10 + at, ...(at === 7 && { reference: 'R-mutations' }) }),
        ),
      );
      expect(settled.map((one) => (one.status === 'rejected' ? one.reason.name : one.value.outcome))).toEqual(
        before.map((_record, at) => (at === 4 ? 'not_applied' : at === 7 ? 'UniqueKeyError' : 'applied')),
      );
      expect(
        (await Promise.all(before.map(({ _id }) => collection.findById(_id)))).map((found) => found!.rank),
      ).toEqual(before.map(({ rank }, at) => (at === 4 ? 0 : at === 7 ? rank : 10 + at)));
    });

    it('is applied for exactly one of many writers of one revision that say nothing', async () => {
      const before = applied(await collection.insert(waiting('m12')));
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, rank) => collection.mutate(before, waiting('m12', { rank }))),
      );
      const winner = outcomes.findIndex(({ outcome }) => outcome === 'applied');
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(
        outcomes.map((_outcome, at) => (at === winner ? 'applied' : 'not_applied')),
      );
      expect(await collection.findById('m12')).toMatchObject({ rank: winner });
    });

    it('refuses a record without a revision', async () => {
      const { revision: _revision, ...bare } = { ...waiting('m7'), revision: '', createdAt: DUE, updatedAt: DUE };
      await expect(async () => collection.mutate(bare as Job, waiting('m7'))).rejects.toThrow(MissingRevisionError);
      await open().put('jobs', waiting('m7'));
      await expect(collection.findById('m7')).rejects.toThrow('record m7 carries no revision');
    });

    it('refuses to change the id', async () => {
      const before = applied(await collection.insert(waiting('m8')));
      await expect(async () => collection.mutate(before, waiting('other'))).rejects.toThrow(
        'a record cannot change its _id',
      );
    });

    it('throws for a unique key that another record holds, and changes nothing', async () => {
      applied(await collection.insert(waiting('m9', { reference: 'R-m9' })));
      const before = applied(await collection.insert(waiting('m10')));
      await expect(collection.mutate(before, waiting('m10', { reference: 'R-m9' }))).rejects.toThrow(UniqueKeyError);
      expect(await collection.findById('m10')).toEqual(before);
    });

    it('does not share values with the caller', async () => {
      const tags = ['a'];
      const before = applied(await collection.insert(waiting('m11', { tags })));
      tags.push('b');
      (before.tags as string[]).push('c');
      expect(await collection.findById('m11')).toMatchObject({ tags: ['a'] });
      const [one, other] = await Promise.all([collection.findById('m11'), collection.findById('m11')]);
      (one!.tags as string[]).push('d');
      expect(other).toMatchObject({ tags: ['a'] });
    });
  });
}

function describeRemove(open: () => StoreHarness): void {
  let collection: RevisionedCollection<Job>;
  beforeEach(() => {
    collection = open().store.collection(jobs);
  });

  describe('a removal', () => {
    it('takes the record that carries the revision that was read, once', async () => {
      const record = applied(await collection.insert(waiting('r1')));
      expect(await collection.remove(record)).toEqual({ outcome: 'applied' });
      expect(await collection.findById('r1')).toBeNull();
      expect(await collection.remove(record)).toEqual({ outcome: 'not_applied' });
    });

    it('leaves a record that somebody wrote since', async () => {
      const before = applied(await collection.insert(waiting('r2')));
      const after = applied(await collection.mutate(before, waiting('r2', { rank: 2 })));
      expect(await collection.remove(before)).toEqual({ outcome: 'not_applied' });
      expect(await collection.findById('r2')).toEqual(after);
    });

    it('is applied for one of two who race a writer, or for the writer', async () => {
      const before = applied(await collection.insert(waiting('r3')));
      const outcomes = await Promise.all([
        collection.remove(before),
        collection.mutate(before, waiting('r3', { rank: 3 })),
        collection.remove(before),
      ]);
      expect(outcomes.filter(({ outcome }) => outcome === 'applied')).toHaveLength(1);
    });

    it('refuses a record whose messages wait, and takes it when they are confirmed', async () => {
      const record = applied(await collection.insert(waiting('r4'), [announcement('r4-0')]));
      await expect(async () => collection.remove(record)).rejects.toThrow('messages that wait');
      await collection.outbox.confirm('r4', 'r4-0');
      expect(await collection.remove((await collection.findById('r4'))!)).toEqual({ outcome: 'applied' });
    });

    it('refuses a record without a revision', async () => {
      const bare = { ...waiting('r5'), revision: '', createdAt: DUE, updatedAt: DUE };
      await expect(async () => collection.remove(bare)).rejects.toThrow(MissingRevisionError);
    });
  });
}

export function describeWrites(open: () => StoreHarness): void {
  describeInsert(open);
  describeMutate(open);
  describeRemove(open);
}
