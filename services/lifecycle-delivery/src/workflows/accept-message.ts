/**
 * Accepts a lifecycle message (workflows §2.1): first the message record with its required consumers, then one delivery
 * for each, then the publications. Each step is idempotent by id, so a redelivery completes what a crash left out. For
 * a message that is already settled, the settlement is announced again. While the registration of a consumer cannot be
 * read, messages wait: that consumer may be required.
 */
import type { LifecycleMessage } from '@platform/contracts-lifecycle-delivery';
import { unreadBeside } from '@platform/durable/record';
import type { Disposition } from '@platform/messaging';
import { requiredFor } from '../domain/consumer';
import { acceptMessage, conflictWith, type MessageRecord } from '../domain/lifecycle-message';
import { completeDeliveries } from './complete-deliveries';
import { done, rejectMessage, tryAgain, type DeliveryPorts } from './ports';
import { announceSettlementAgain, settleMessage } from './settle-message';

type Acceptance = { readonly record: MessageRecord; readonly fresh: boolean } | { readonly unknown: string };

/** Handles one `lifecycle.message.<transition>`; throws StoreUnavailableError when the store is unreachable. */
export async function acceptLifecycleMessage(
  ports: DeliveryPorts,
  message: LifecycleMessage,
  traceparent?: string,
): Promise<Disposition> {
  const accepted = await recordMessage(ports, message, traceparent);
  if ('unknown' in accepted) return tryAgain(accepted.unknown);
  const { record, fresh } = accepted;
  const conflict = conflictWith(record, message);
  if (conflict) return rejectMessage(conflict);
  if (record.status === 'settled') return fresh ? done : announceSettlementAgain(ports, record);
  const completion = await completeDeliveries(ports, record);
  if (completion.result === 'incomplete') return tryAgain(completion.reason);
  return completion.result === 'all_settled' ? settleMessage(ports, record._id) : done;
}

async function recordMessage(
  ports: DeliveryPorts,
  message: LifecycleMessage,
  traceparent: string | undefined,
): Promise<Acceptance> {
  const consumers = await ports.readConsumers();
  const unread = await unreadBeside(ports.consumers, consumers);
  if (unread !== null) return { unknown: unread };
  const required = requiredFor(message.transition, consumers);
  const { draft, announce } = acceptMessage(message, required, ports.clock.now(), traceparent);
  const inserted = await ports.messages.insert(draft, announce);
  if (inserted.outcome === 'unknown') return { unknown: inserted.reason };
  if (inserted.outcome === 'applied') {
    await ports.announce(inserted.record._id, announce);
    return { record: inserted.record, fresh: true };
  }
  return inserted.existing
    ? { record: inserted.existing, fresh: false }
    : { unknown: 'the accepted message could not be read back' };
}
