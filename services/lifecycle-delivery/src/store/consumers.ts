/** Collection `lifecycle_consumers`, `_id` = name. A row is never removed. */
import type { CheckedCollection } from '@platform/durable/record';
import type { CollectionDeclaration } from '@platform/mongo';
import { consumerSteps, type ConsumerRecord } from '../domain/consumer';

export type Consumers = CheckedCollection<ConsumerRecord>;

export const consumersCollection: CollectionDeclaration<ConsumerRecord> = {
  name: 'lifecycle_consumers',
  vocabulary: { status: Object.keys(consumerSteps.table) },
  indexes: [],
};

/** Far above the limit of registrations, which concurrent registrations may exceed, so no consumer is left out. */
const readMax = 1_000;

/** Every consumer that ever registered, by name. */
export function allConsumers(consumers: Consumers): Promise<ConsumerRecord[]> {
  return consumers.find({}, { sort: { _id: 1 }, limit: readMax });
}
