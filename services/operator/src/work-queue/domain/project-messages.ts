/** Messages that did not arrive, as rows of the work queue: deliveries without a receipt, and dead letters. */
import type { DeliveryView } from '@platform/contracts-lifecycle-delivery';
import type { Money } from '@platform/contracts-operator';
import { letterTitle, type DeadLetter } from '../../dead-letters/domain/dead-letter';
import { causes } from './cause';
import { deliveryItemId } from './delivery-item-id';
import { named } from './named';
import type { WorkItemFacts } from './work-item';

export function projectDeadLetter(letter: DeadLetter): WorkItemFacts | null {
  if (letter.status !== 'open') return null;
  const { _id, sequence, subject, stream, durable, messageId, reason, refusedAt } = letter;
  return {
    kind: 'dead_letter',
    itemId: _id,
    tenantId: null,
    state: 'stopped',
    status: 'open',
    title: letterTitle(letter),
    reason: `${stream}/${durable} never takes it: ${reason}`,
    cause: causes.deadLetter(stream, durable),
    money: null,
    since: refusedAt,
    ids: named(_id, String(sequence), messageId, subject),
  };
}

const waitingBecause = {
  consumer_unregistered: 'The consumer is not registered any more.',
  consumer_paused: 'A person paused the consumer.',
  receipt: 'The consumer has not answered yet.',
  retry: 'The consumer answers with errors.',
} as const;

export function projectDelivery(delivery: DeliveryView, money: Money | null): WorkItemFacts | null {
  if (delivery.status !== 'pending' && delivery.status !== 'failed') return null;
  const because = delivery.waitingFor ? waitingBecause[delivery.waitingFor] : undefined;
  const reason = [because, delivery.lastError].filter(Boolean).join(' ');
  return {
    kind: 'delivery',
    itemId: deliveryItemId(delivery),
    tenantId: delivery.tenantId,
    state: 'waiting',
    status: delivery.status,
    title: `${delivery.transition} → ${delivery.consumer}`,
    ...(reason && { reason }),
    cause: causes.delivery(delivery.consumer),
    money,
    since: new Date(delivery.createdAt),
    ids: named(delivery.operationId, delivery.tenantId, delivery.consumer),
  };
}
