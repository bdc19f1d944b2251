/** The id of a delivery in the work queue. */
import type { DeliveryView } from '@platform/contracts-lifecycle-delivery';

/** Deliveries have no id outside their owner: operation and consumer together identify one. */
export function deliveryItemId({ operationId, consumer }: Pick<DeliveryView, 'operationId' | 'consumer'>): string {
  return `${operationId}/${consumer}`;
}

export function parseDeliveryItemId(itemId: string): { operationId: string; consumer: string } | null {
  const at = itemId.lastIndexOf('/');
  return at > 0 ? { operationId: itemId.slice(0, at), consumer: itemId.slice(at + 1) } : null;
}
