/**
 * Collection `webhook_digests`: what remains of a resolved event after its retention. Kept without limit, so that a
 * late duplicate is recognised.
 */
import type { CollectionDeclaration } from '@platform/mongo';
import type { WebhookDigest } from '../domain/webhook-digest';

export const webhookDigestsCollection: CollectionDeclaration<WebhookDigest> = {
  name: 'webhook_digests',
  indexes: [{ name: 'by_late_delivery', key: { lastLateAt: 1, _id: 1 }, only: { lastLateAt: { $exists: true } } }],
};
