/** Collection `operations`: the journal. `_id` is the caller's operation id, unique over all workspaces. */
import { operationActions, operationStatuses } from '@platform/contracts-operator';
import type { CollectionDeclaration } from '@platform/mongo';
import type { Operation } from '../domain/operation';

export const operationsCollection: CollectionDeclaration<Operation> = {
  name: 'operations',
  vocabulary: { status: operationStatuses, action: operationActions },
  announces: true,
  tells: ({ _id, tenantId, action, status, attempts }) => ({
    ...{ record: 'operation', operationId: _id, tenantId, action },
    state: status,
    attempt: attempts.length,
  }),
  indexes: [
    { name: 'by_creation', key: { createdAt: 1, _id: 1 } },
    { name: 'by_status', key: { status: 1, createdAt: 1, _id: 1 } },
    { name: 'by_tenant', key: { tenantId: 1, createdAt: 1, _id: 1 } },
    { name: 'by_resolution', key: { 'resolution.at': 1, _id: 1 }, only: { 'resolution.at': { $exists: true } } },
    {
      name: 'by_tenant_and_resolution',
      key: { tenantId: 1, 'resolution.at': 1, _id: 1 },
      only: { 'resolution.at': { $exists: true } },
    },
    { name: 'by_action', key: { action: 1, createdAt: 1, _id: 1 } },
    { name: 'by_person', key: { 'actor.id': 1, createdAt: 1, _id: 1 } },
    {
      name: 'by_address',
      key: { 'actor.email': 1, createdAt: 1, _id: 1 },
      only: { 'actor.email': { $exists: true } },
    },
    { name: 'by_tenant_and_status', key: { tenantId: 1, status: 1, createdAt: 1, _id: 1 } },
  ],
};
