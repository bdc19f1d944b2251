/**
 * Collection `audit_blocks`: the hash-chained trail of waived deliveries and the people who waived them. Never changed,
 * never removed.
 */
import type { CollectionDeclaration, Store } from '@platform/mongo';
import type { Trail, TrailBlock } from '@platform/durable/trail';
import type { Delivery } from '../domain/delivery';
import { deliveriesCollection } from './deliveries';

export const auditBlocksCollection: CollectionDeclaration<TrailBlock> = { name: 'audit_blocks', indexes: [] };

/** A receipt that arrives after a waiver is not part of the trail, because it is recorded later and decides nothing. */
export function waiverTrail(store: Store): Trail<Delivery> {
  return {
    records: store.collection(deliveriesCollection),
    blocks: store.collection(auditBlocksCollection),
    vouched: ({ operationId, tenantId, transition, consumer, status }) => ({
      operationId,
      tenantId,
      transition,
      consumer,
      status,
    }),
  };
}
