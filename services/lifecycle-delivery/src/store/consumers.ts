/** Collection `lifecycle_consumers`, `_id` = name. A row is never removed. */
import type { CheckedCollection } from '@platform/durable/record';
import type { CollectionDeclaration } from '@platform/mongo';
import { lifecycleLimits } from '@platform/contracts-lifecycle-delivery';
import type { ConsumerRecord } from '../domain/consumer';

export type Consumers = CheckedCollection<ConsumerRecord>;

export const consumersCollection: CollectionDeclaration<ConsumerRecord> = { name: 'lifecycle_consumers', indexes: [] };

/** Every consumer that ever registered, by name. */
export function allConsumers(consumers: Consumers): Promise<ConsumerRecord[]> {
  return consumers.find({}, { sort: { _id: 1 }, limit: lifecycleLimits.consumers });
}
