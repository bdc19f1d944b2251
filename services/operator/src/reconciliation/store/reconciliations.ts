/** Collection `reconciliations`: one record per reconciled period; `_id` is the day. */
import type { CollectionDeclaration } from '@platform/mongo';
import { reconciliationStatuses, type Reconciliation } from '../domain/reconciliation';

export const reconciliationsCollection: CollectionDeclaration<Reconciliation> = {
  name: 'reconciliations',
  vocabulary: { status: reconciliationStatuses, kind: ['day', 'since'] },
  indexes: [{ name: 'by_kind_and_end', key: { kind: 1, to: 1, _id: 1 } }],
};
