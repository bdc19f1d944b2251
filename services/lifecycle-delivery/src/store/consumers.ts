/** Collection `lifecycle_consumers`, `_id` = name. A row is never removed. */
import type { CollectionDeclaration, RevisionedCollection } from '@platform/mongo';
import { lifecycleLimits } from '@platform/contracts-lifecycle-delivery';
import type { ConsumerRecord } from '../domain/consumer';

export type Consumers = RevisionedCollection<ConsumerRecord>;

export const consumersCollection: CollectionDeclaration<ConsumerRecord> = { name: 'lifecycle_consumers', indexes: [] };

/** Every consumer that ever registered, by name. */
export function allConsumers(consumers: Consumers): Promise<ConsumerRecord[]> {
  return consumers.find({}, { sort: { _id: 1 }, limit: lifecycleLimits.consumers });
}
