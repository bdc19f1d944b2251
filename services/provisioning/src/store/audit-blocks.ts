/** Collection `audit_blocks`: the hash-chained trail of who resolved which attempt. Never changed, never removed. */
import type { CollectionDeclaration, Store } from '@platform/mongo';
import type { Trail, TrailBlock } from '@platform/durable/trail';
import type { Attempt } from '../domain/attempt';
import { attemptsCollection } from './collections';

export const auditBlocksCollection: CollectionDeclaration<TrailBlock> = { name: 'audit_blocks', indexes: [] };

export function attemptTrail(store: Store): Trail<Attempt> {
  return {
    records: store.collection(attemptsCollection),
    blocks: store.collection(auditBlocksCollection),
    vouched: ({ tenantId, userId, plan, status }) => ({ tenantId, userId, plan, status }),
  };
}
