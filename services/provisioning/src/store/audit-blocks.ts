/**
 * The hash-chained trails of resolved attempts and events, with the people who resolved them. Never changed, never
 * removed.
 */
import type { CollectionDeclaration, Store } from '@platform/mongo';
import type { Trail, TrailBlock } from '@platform/durable/trail';
import type { Attempt } from '../domain/attempt';
import type { EventAdmission } from '../domain/event-admission';
import { admissionsCollection, attemptsCollection } from './collections';

export const auditBlocksCollection: CollectionDeclaration<TrailBlock> = { name: 'audit_blocks', indexes: [] };

export function attemptTrail(store: Store): Trail<Attempt> {
  return {
    records: store.collection(attemptsCollection),
    blocks: store.collection(auditBlocksCollection),
    vouched: ({ tenantId, userId, plan, status }) => ({ tenantId, userId, plan, status }),
  };
}

export const eventAuditBlocksCollection: CollectionDeclaration<TrailBlock> = {
  name: 'event_audit_blocks',
  indexes: [],
};

/** The revision of the receiver's record is not part of the chain: a repeated request changes it. */
export function eventTrail(store: Store): Trail<EventAdmission> {
  return {
    records: store.collection(admissionsCollection),
    blocks: store.collection(eventAuditBlocksCollection),
    vouched: ({ type, status }) => ({ type, status }),
  };
}
