/** How every implementation handles the messages in records. */
import type { RevisionedCollection } from '../port';
import { applied, announcement, dueAt, jobsCollection, waiting, type Job, type StoreHarness } from './sample';

export function describeOutbox(open: () => StoreHarness): void {
  let collection: RevisionedCollection<Job>;
  const pendingIds = async (prefix: string): Promise<string[]> =>
    (await collection.outbox.pending(1_000)).map(({ entry }) => entry.id).filter((id) => id.startsWith(prefix));

  beforeEach(() => {
    collection = open().store.collection(jobsCollection);
  });

  describe('the outbox', () => {
    it('takes messages in the write that makes the record, and in each that changes it', async () => {
      const first = applied(await collection.insert(waiting('o1'), [announcement('o1-a'), announcement('o1-b')]));
      expect(first.outbox).toEqual([announcement('o1-a'), announcement('o1-b')]);
      const second = applied(await collection.mutate(first, waiting('o1'), [announcement('o1-c')]));
      expect(second.outbox).toEqual([announcement('o1-a'), announcement('o1-b'), announcement('o1-c')]);
      expect(await pendingIds('o1')).toEqual(['o1-a', 'o1-b', 'o1-c']);
    });

    it('takes messages on a record that never had any', async () => {
      const bare = applied(await collection.insert(waiting('o2')));
      expect(bare).not.toHaveProperty('outbox');
      expect(applied(await collection.mutate(bare, waiting('o2'), [announcement('o2-a')])).outbox).toEqual([
        announcement('o2-a'),
      ]);
    });

    it('loses one entry by confirmation, without a new revision; repeating it is harmless', async () => {
      const record = applied(await collection.insert(waiting('o3'), [announcement('o3-a'), announcement('o3-b')]));
      await collection.outbox.confirm('o3', 'o3-a');
      await collection.outbox.confirm('o3', 'o3-a');
      await collection.outbox.confirm('unknown', 'o3-a');
      expect(await collection.findById('o3')).toEqual({ ...record, outbox: [announcement('o3-b')] });
      await collection.outbox.confirm('o3', 'o3-b');
      expect(await pendingIds('o3')).toEqual([]);
    });

    it('is not written back by a mutation that read the record before the confirmation', async () => {
      const record = applied(await collection.insert(waiting('o4'), [announcement('o4-a')]));
      await collection.outbox.confirm('o4', 'o4-a');
      const after = applied(await collection.mutate(record, { ...record, rank: 5 }, [announcement('o4-b')]));
      expect(after).toMatchObject({ rank: 5, outbox: [announcement('o4-b')] });
    });

    it('keeps every message when writers append while a relay confirms', async () => {
      applied(await collection.insert(waiting('o5', { rank: 0 }), [announcement('o5-first')]));
      const append = async (): Promise<void> => {
        for (let step = 1; step <= 10; step += 1) {
          const current = (await collection.findById('o5'))!;
          applied(await collection.mutate(current, { ...current, rank: step }, [announcement(`o5-${step}`)]));
        }
      };
      const confirmed: string[] = [];
      const relay = async (): Promise<void> => {
        while (confirmed.length < 8) {
          for (const { recordId, entry } of (await collection.outbox.pending(1_000))
            .filter(({ entry: { id } }) => id.startsWith('o5'))
            .slice(0, 2)) {
            await collection.outbox.confirm(recordId, entry.id);
            confirmed.push(entry.id);
          }
        }
      };
      await Promise.all([append(), relay()]);
      const left = await pendingIds('o5');
      const written = ['o5-first', ...Array.from({ length: 10 }, (_, at) => `o5-${at + 1}`)];
      expect([...confirmed, ...left]).toEqual(written);
      expect(await collection.findById('o5')).toMatchObject({ rank: 10 });
    });

    it('is read page by page in the order of the records, and skips those that wait for nothing', async () => {
      for (const id of ['p3', 'p1', 'p2', 'p4'])
        applied(
          await collection.insert(waiting(id), id === 'p2' ? [] : [announcement(`${id}-a`), announcement(`${id}-b`)]),
        );
      const first = await collection.outbox.pending(2, 'p');
      expect(first.map(({ recordId, entry }) => [recordId, entry])).toEqual([
        ['p1', announcement('p1-a')],
        ['p1', announcement('p1-b')],
        ['p3', announcement('p3-a')],
        ['p3', announcement('p3-b')],
      ]);
      expect((await collection.outbox.pending(2, 'p3')).map(({ entry }) => entry.id)).toEqual(['p4-a', 'p4-b']);
      expect(await collection.outbox.pending(2, 'p4')).toEqual([]);
      await expect(async () => collection.outbox.pending(0)).rejects.toThrow('limit of 1 to 1000');
    });

    it('counts what waits and names the oldest', async () => {
      const before = await collection.outbox.backlog();
      const old = new Date('2001-01-01T00:00:00.000Z');
      applied(await collection.insert(waiting('o6'), [announcement('o6-a', dueAt), announcement('o6-b', old)]));
      expect(await collection.outbox.backlog()).toEqual({ count: before.count + 2, oldest: old });
      await collection.outbox.confirm('o6', 'o6-a');
      await collection.outbox.confirm('o6', 'o6-b');
      expect(await collection.outbox.backlog()).toEqual(before);
    });

    it('refuses two messages with one id', async () => {
      await expect(async () =>
        collection.insert(waiting('o7'), [announcement('same'), announcement('same')]),
      ).rejects.toThrow('the same id');
    });
  });

  describe('the outbox of a collection that is not declared to announce', () => {
    it('takes no messages and cannot be read', async () => {
      const { announces: _announces, ...silent } = jobsCollection;
      const mute = open().store.collection<Job>({ ...silent, name: 'mute_jobs' });
      const message = 'mute_jobs: its declaration does not say that its records announce';
      await expect(async () => mute.insert(waiting('s1'), [announcement('s1')])).rejects.toThrow(message);
      const record = applied(await mute.insert(waiting('s1')));
      await expect(async () => mute.mutate(record, record, [announcement('s1')])).rejects.toThrow(message);
      await expect(mute.outbox.pending(1)).rejects.toThrow(message);
      await expect(mute.outbox.backlog()).rejects.toThrow(message);
    });
  });

  describe('the outbox of a collection where nothing waits', () => {
    it('is empty', async () => {
      const quiet = open().store.collection<Job>({ ...jobsCollection, name: 'quiet_jobs' });
      await open().store.ensureIndexes();
      expect(await quiet.outbox.backlog()).toEqual({ count: 0, oldest: null });
      expect(await quiet.outbox.pending(10)).toEqual([]);
    });
  });
}
