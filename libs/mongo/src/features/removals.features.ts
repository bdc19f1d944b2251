/**
 * How every implementation of the store removes a record for retention: only in the state that was read, and never with
 * waiting messages.
 */
import { MissingRevisionError } from '@platform/kernel';
import type { RevisionedCollection } from '../port';
import { announcement, applied, dueAt, jobsCollection, waiting, type Job, type StoreHarness } from './sample';

export function describeRemovals(open: () => StoreHarness): void {
  let collection: RevisionedCollection<Job>;
  beforeEach(() => {
    collection = open().store.collection(jobsCollection);
  });

  describe('a removal', () => {
    it('takes the record that carries the revision that was read, once', async () => {
      const record = applied(await collection.insert(waiting('r1')));
      expect(await collection.remove(record)).toEqual({ outcome: 'applied' });
      expect(await collection.findById('r1')).toBeNull();
      expect(await collection.remove(record)).toEqual({ outcome: 'not_applied' });
    });

    it('leaves a record that another process wrote since', async () => {
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
      const bare = { ...waiting('r5'), revision: '', createdAt: dueAt, updatedAt: dueAt };
      await expect(async () => collection.remove(bare)).rejects.toThrow(MissingRevisionError);
    });
  });
}
