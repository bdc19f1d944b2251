/** How every implementation handles unreadable rows: they are named, and affect no other row. */
import { InvariantError } from '@platform/kernel';
import { apart } from '../record/quarantine';
import {
  StoreUnavailableError,
  UnreadableRecordError,
  type CollectionDeclaration,
  type RevisionedCollection,
} from '../port';
import { announcement, applied, dueAt, jobsCollection, waiting, type Job, type StoreHarness } from './sample';

const stamps = { revision: 'r-1', createdAt: dueAt, updatedAt: dueAt };

export function describeQuarantine(open: () => StoreHarness): void {
  const setStage = async (name: string, rows: readonly Readonly<Record<string, unknown>>[]) => {
    const declaration: CollectionDeclaration<Job> = {
      ...jobsCollection,
      name,
      vocabulary: { status: ['waiting', 'running', 'done'] },
    };
    const collection = open().store.collection(declaration);
    await open().store.ensureIndexes();
    for (const id of ['q1', 'q3', 'q5', 'q7'])
      applied(await collection.insert(waiting(id, { tenantId: 'one', rank: 0 })));
    for (const row of rows) await open().put(name, row);
    return collection;
  };
  const namedOf = (collection: RevisionedCollection<Job>) =>
    open()
      .store.quarantined()
      .filter((record) => record.collection === collection.name);
  const list = async (collection: RevisionedCollection<Job>, limit: number, after?: readonly [number, string]) =>
    (await collection.find({ tenantId: 'one' }, { sort: { rank: 1, _id: 1 }, limit, ...(after && { after }) })).map(
      ({ _id }) => _id,
    );

  describe('a row that is no record', () => {
    it.each<[string, Readonly<Record<string, unknown>>, string]>([
      [
        'revision',
        { ...waiting('q2', { tenantId: 'one', rank: 0 }), createdAt: dueAt, updatedAt: dueAt },
        'carries no revision',
      ],
      [
        'text as revision',
        { ...waiting('q2', { tenantId: 'one', rank: 0 }), ...stamps, revision: 7 },
        'carries no revision',
      ],
      [
        'time of creation',
        { ...waiting('q2', { tenantId: 'one', rank: 0 }), revision: 'r', updatedAt: dueAt },
        'has no createdAt',
      ],
      [
        'known status',
        { ...waiting('q2', { tenantId: 'one', rank: 0 }), ...stamps, status: 'paused' },
        'has a status that',
      ],
    ])('for want of a %s is passed by in lists, named once, and refused alone', async (kind, row, why) => {
      const collection = await setStage(`without_${kind.replaceAll(' ', '_')}`, [row]);
      expect(await list(collection, 100)).toEqual(['q1', 'q3', 'q5', 'q7']);
      expect(await list(collection, 100)).toEqual(['q1', 'q3', 'q5', 'q7']);
      expect(namedOf(collection)).toEqual([
        { collection: collection.name, id: 'q2', why: expect.stringContaining(why) },
      ]);
      expect(collection.quarantine.ids()).toEqual(['q2']);
      const reading = collection.findById('q2');
      await expect(reading).rejects.toThrow(UnreadableRecordError);
      await expect(reading).rejects.toThrow(`${collection.name}: record q2 ${why}`);
      await expect(async () => collection.insert(waiting('q2'))).rejects.toThrow(UnreadableRecordError);
      expect(await collection.count({ tenantId: 'one' })).toBe(5);
    });

    it('shortens no page, so that a walk reaches the records behind it', async () => {
      const bare = ['q0', 'q2', 'q4', 'q6'].map((id) => waiting(id, { tenantId: 'one', rank: 0 }));
      const collection = await setStage('walked_past', bare);
      for (const size of [1, 2, 3]) {
        const seen: string[] = [];
        for (let after: readonly [number, string] | undefined; ;) {
          const page = await list(collection, size, after);
          seen.push(...page);
          if (page.length < size) break;
          after = [0, page.at(-1)!];
        }
        expect(seen).toEqual(['q1', 'q3', 'q5', 'q7']);
      }
      expect(namedOf(collection).map(({ id }) => id)).toContain('q0');
    });

    it('keeps no message of other records from the relay', async () => {
      const collection = await setStage('announced_past', [
        { ...waiting('q2'), ...stamps, outbox: { createdAt: dueAt } },
      ]);
      applied(await collection.insert(waiting('q9'), [announcement('q9-0')]));
      const pending = await collection.outbox.pending(10);
      expect(pending.map(({ recordId }) => recordId)).toEqual(['q9']);
    });
  });

  describe('one record of a sweep', () => {
    it('is set aside with what is wrong with it, and the first word stays', async () => {
      const collection = await setStage('swept', []);
      const failing = (error: Error) => apart(collection, 'q1', () => Promise.reject(error));
      expect(await apart(collection, 'q3', async () => 'done')).toBe(true);
      expect(await failing(new InvariantError('no schedule was made'))).toBe(false);
      expect(await failing(new TypeError('undefined is no action'))).toBe(false);
      expect(namedOf(collection)).toEqual([
        { collection: 'swept', id: 'q1', why: 'cannot be dealt with: no schedule was made' },
      ]);
    });

    it('ends the sweep with what is not its own fault', async () => {
      const collection = await setStage('ended', []);
      for (const error of [new StoreUnavailableError('away'), new Error('the process is gone')])
        await expect(apart(collection, 'q1', () => Promise.reject(error))).rejects.toThrow(error);
      expect(namedOf(collection)).toEqual([]);
    });
  });
}
