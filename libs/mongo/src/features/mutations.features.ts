/** How every implementation of the store changes a record: one writer wins, and only the difference is written. */
import { MissingRevisionError } from '@platform/kernel';
import { UniqueKeyError, type RevisionedCollection } from '../port';
import {
  announcement,
  applied,
  dueAt,
  jobsCollection,
  revisionShape,
  waiting,
  type Job,
  type StoreHarness,
} from './sample';

export function describeMutations(open: () => StoreHarness): void {
  let collection: RevisionedCollection<Job>;
  beforeEach(() => {
    collection = open().store.collection(jobsCollection);
  });

  describe('a mutation', () => {
    it('replaces what differs, drops what vanished, keeps the rest, and stamps again', async () => {
      const before = applied(await collection.insert(waiting('m1', { reference: 'R-m1', tags: ['x'] })));
      open().clock.advance(1_000);
      const executor = { instance: 'one', steps: [{ name: 'first', at: dueAt }] };
      const { reference: _dropped, ...rest } = waiting('m1', { tags: ['x'] });
      const { dueAt: _left, ...shared } = rest;
      const after = applied(await collection.mutate(before, { ...shared, status: 'running', executor }));
      expect(after).toEqual({
        ...shared,
        status: 'running',
        executor,
        revision: expect.stringMatching(revisionShape),
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
      const stamped = { revision: 'r', createdAt: dueAt, updatedAt: dueAt };
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
      const { revision: _revision, ...bare } = { ...waiting('m7'), revision: '', createdAt: dueAt, updatedAt: dueAt };
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
