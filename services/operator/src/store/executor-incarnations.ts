/** Collection `executor_incarnations`: the boots of this service, as evidence for the first proof. */
import type { CollectionDeclaration } from '@platform/mongo';
import type { IncarnationRecord } from '@platform/service-host';

export const incarnationsCollection: CollectionDeclaration<IncarnationRecord> = {
  name: 'executor_incarnations',
  indexes: [{ name: 'by_instance', key: { service: 1, instance: 1, startedAt: 1, _id: 1 } }],
};
