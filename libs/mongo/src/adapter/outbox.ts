/**
 * The relay's view of the messages in records. The index contains only records with messages, so a sweep over a large
 * collection costs nothing when nothing waits; the hint keeps planners from preferring the primary key. An index on
 * `_id` alone cannot be partial, so it has a second field. That field never changes, so entries can be added and
 * removed without a write to the index until the last one is removed.
 */
import type { Revisioned } from '@platform/kernel';
import type { Collection } from 'mongodb';
import type { CollectionDeclaration, IndexDeclaration, PendingOutboxEntry, RevisionedCollection } from '../port';
import { requireAnnouncing } from '../record/changes';
import { countedLimit } from '../record/query';
import type { Quarantine } from '../record/quarantine';
import { withPortErrors } from './driver-errors';
import { driverFilter, type StoredDocument } from './stored-document';

export const outboxIndex: IndexDeclaration = {
  name: 'outbox',
  key: { _id: 1, createdAt: 1 },
  only: { 'outbox.createdAt': { $exists: true } },
};

export function announcing(afterRecordId: string): ReturnType<typeof driverFilter> {
  return driverFilter({ _id: { $gt: afterRecordId }, 'outbox.createdAt': { $exists: true } });
}

export function createOutbox(
  declaration: Pick<CollectionDeclaration<Revisioned>, 'name' | 'announces'>,
  documents: Collection<StoredDocument>,
  quarantine: Quarantine,
): RevisionedCollection<never>['outbox'] {
  const subject = `outbox of ${declaration.name}`;
  const hint = outboxIndex.name;
  return {
    async pending(limit, afterRecordId = '') {
      requireAnnouncing(declaration);
      const rows = documents.find(announcing(afterRecordId), {
        projection: { outbox: 1 },
        sort: { _id: 1 },
        limit: countedLimit(limit),
        hint,
      });
      const found = await withPortErrors(subject, () => rows.toArray());
      return found.flatMap(({ _id: recordId, outbox }): PendingOutboxEntry[] => {
        if (Array.isArray(outbox)) return outbox.map((entry) => ({ recordId, entry }));
        quarantine.of(declaration.name).setAside(recordId, 'has an outbox that is no list');
        return [];
      });
    },
    async confirm(recordId, entryId) {
      await withPortErrors(subject, () =>
        documents.updateOne(driverFilter({ _id: recordId }), { $pull: { outbox: { id: entryId } } }),
      );
    },
    async backlog() {
      requireAnnouncing(declaration);
      const stages = [
        { $match: announcing('') },
        { $unwind: '$outbox' },
        { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$outbox.createdAt' } } },
      ];
      const figures = documents.aggregate<{ count: number; oldest: Date | null }>(stages, { hint });
      const [total] = await withPortErrors(subject, () => figures.toArray());
      return total ? { count: total.count, oldest: total.oldest } : { count: 0, oldest: null };
    },
  };
}
