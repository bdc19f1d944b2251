/** Collection `payment_provider_webhook_events`: `_id` is the provider's event id; inserting it is the admission. */
import { webhookResults } from '@platform/contracts-operator';
import type { CollectionDeclaration } from '@platform/mongo';
import { byResolution } from '@platform/durable/trail';
import type { WebhookEvent } from '../domain/webhook-event';

export const webhookEventsCollection: CollectionDeclaration<WebhookEvent> = {
  name: 'payment_provider_webhook_events',
  vocabulary: { result: webhookResults },
  announces: true,
  tells: ({ _id, type, result }) => ({ record: 'webhook_event', eventId: _id, type, state: result }),
  indexes: [
    { name: 'by_reception', key: { receivedAt: 1, _id: 1 } },
    { name: 'by_result', key: { result: 1, receivedAt: 1, _id: 1 } },
    { name: 'by_result_and_instance', key: { result: 1, 'executor.instance': 1, _id: 1 } },
    { name: 'by_end', key: { result: 1, processedAt: 1, _id: 1 } },
    byResolution,
  ],
};
