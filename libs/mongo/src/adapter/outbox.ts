/**
 * The messages that records carry, as the relay reads them. The index holds announcing records only, so that a sweep
 * over a large collection where nothing waits costs nothing; the bound on `_id` is what makes the planner consider it.
 */
import type { Collection } from 'mongodb';
import type { IndexDeclaration, PendingOutboxEntry, RevisionedCollection } from '../port';
import { countedLimit } from '../record/query';
import { asked } from './driver-errors';
import { driverFilter, type StoredDocument } from './stored-document';

export const OUTBOX_INDEX: IndexDeclaration = {
  name: 'outbox',
  key: { _id: 1, 'outbox.createdAt': 1 },
  only: { 'outbox.createdAt': { $exists: true } },
};

export function announcing(afterRecordId: string): ReturnType<typeof driverFilter> {
  return driverFilter({ _id: { $gt: afterRecordId }, 'outbox.createdAt': { $exists: true } });
}

export function createOutbox(name: string, documents: Collection<StoredDocument>): RevisionedCollection<never>['outbox'] {
  const subject = `outbox of ${name}`;
  return {
    async pending(limit, afterRecordId = '') {
      const rows = documents.find(announcing(afterRecordId), { projection: { outbox: 1 }, sort: { _id: 1 }, limit: countedLimit(limit) });
      const found = await asked(subject, () => rows.toArray());
      return found.flatMap((row): PendingOutboxEntry[] => (row.outbox ?? []).map((entry) => ({ recordId: row._id, entry })));
    },
    async confirm(recordId, entryId) {
      await asked(subject, () => documents.updateOne(driverFilter({ _id: recordId }), { $pull: { outbox: { id: entryId } } }));
    },
    async backlog() {
      const figures = documents.aggregate<{ count: number; oldest: Date | null }>([
        { $match: announcing('') },
        { $unwind: '$outbox' },
        { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$outbox.createdAt' } } },
      ]);
      const [total] = await asked(subject, () => figures.toArray());
      return total ? { count: total.count, oldest: total.oldest } : { count: 0, oldest: null };
    },
  };
}
