/**
 * Collection `audit_blocks`: the hash-chained trail of resolved events and the people who resolved them. Never changed,
 * never removed.
 */
import type { CollectionDeclaration, Store } from '@platform/mongo';
import type { Trail, TrailBlock } from '@platform/durable/trail';
import type { WebhookEvent } from '../domain/webhook-event';
import { webhookDigestsCollection } from './webhook-digests';
import { webhookEventsCollection } from './webhook-events';

export const auditBlocksCollection: CollectionDeclaration<TrailBlock> = { name: 'audit_blocks', indexes: [] };

/** The digest remains after retention has removed the event. */
export function eventTrail(store: Store): Trail<WebhookEvent> {
  const digests = store.collection(webhookDigestsCollection);
  return {
    records: store.collection(webhookEventsCollection),
    blocks: store.collection(auditBlocksCollection),
    vouched: ({ type, payloadDigest, result }) => ({ type, payloadDigest, result }),
    removed: async (eventId) => (await digests.findById(eventId)) !== null,
  };
}
