/** Collection `differences`: what a reconciliation found; `_id` is made from the fact itself. */
import type { CollectionDeclaration } from '@platform/mongo';
import { differenceKinds, differenceStatuses, type Difference } from '../domain/difference';

export const differencesCollection: CollectionDeclaration<Difference> = {
  name: 'differences',
  vocabulary: { status: differenceStatuses, kind: differenceKinds },
  tells: ({ kind, tenantId, operationId, status }) => ({
    ...{ record: 'difference', kind, operationId, tenantId: tenantId ?? undefined },
    state: status,
  }),
  indexes: [
    { name: 'by_status', key: { status: 1, createdAt: 1, _id: 1 } },
    { name: 'lost_effect', key: { kind: 1, operationId: 1, _id: 1 }, only: { kind: 'effect_without_entry' } },
    {
      name: 'lost_creation',
      key: { kind: 1, status: 1, emailDigest: 1, _id: 1 },
      only: { kind: 'customer_unknown' },
    },
    { name: 'by_tenant_and_status', key: { tenantId: 1, status: 1, createdAt: 1, _id: 1 } },
  ],
};
