/**
 * A lifecycle message as lifecycle-delivery keeps it. The required consumers are fixed when the message is accepted: a
 * consumer that registers later does not become required, and one that unregisters does not become optional.
 */
import { defineSteps, type Checked } from '@platform/durable/steps';
import type { OutboxEntry, Revisioned } from '@platform/kernel';
import {
  lifecycleLimits,
  lifecycleSubjects,
  lifecycleTypes,
  lifecycleMessageIds,
  type LifecycleMessage,
  type LifecycleTransition,
  type SettledMessage,
} from '@platform/contracts-lifecycle-delivery';
import { isOpen, type Delivery } from './delivery';

interface MessageFields extends Revisioned {
  readonly tenantId: string;
  readonly transition: LifecycleTransition;
  readonly requestedAt: Date;
  /** Names of the required consumers, in alphabetical order. */
  readonly required: readonly string[];
  /** W3C trace context of the incoming message. */
  readonly traceparent?: string;
}

export interface AwaitingMessage extends MessageFields {
  readonly status: 'awaiting_receipts';
}

export interface SettledMessageRecord extends MessageFields {
  readonly status: 'settled';
  readonly settledAt: Date;
}

export type MessageRecord = AwaitingMessage | SettledMessageRecord;

export const messageSteps = defineSteps<MessageRecord>()({
  name: 'lifecycle message',
  field: 'status',
  begins: ['awaiting_receipts', 'settled'],
  table: { awaiting_receipts: { to: ['settled'] }, settled: { to: [] } },
  own: { awaiting_receipts: {}, settled: { settledAt: true } },
});

/** Why a message with a known operationId cannot be the accepted one, or null. */
export function conflictWith(
  record: MessageRecord,
  message: Pick<LifecycleMessage, 'operationId' | 'tenantId' | 'transition'>,
): string | null {
  if (record.tenantId !== message.tenantId)
    return `operation ${message.operationId} was accepted for tenant ${record.tenantId}, not ${message.tenantId}`;
  if (record.transition !== message.transition)
    return `operation ${message.operationId} was accepted as ${record.transition}, not ${message.transition}`;
  return null;
}

/**
 * The record of a message that is accepted now; without a required consumer it is settled at once and announces that.
 */
export function acceptMessage(
  message: LifecycleMessage,
  required: readonly string[],
  acceptedAt: Date,
  traceparent?: string,
): NewMessage {
  const { operationId: _id, tenantId, transition } = message;
  const fields = {
    _id,
    tenantId,
    transition,
    requestedAt: new Date(message.requestedAt),
    required,
    ...(traceparent !== undefined && { traceparent }),
  };
  if (required.length > 0)
    return { draft: messageSteps.begin<AwaitingMessage>({ ...fields, status: 'awaiting_receipts' }), announce: [] };
  const draft = messageSteps.begin<SettledMessageRecord>({ ...fields, status: 'settled', settledAt: acceptedAt });
  return { draft, announce: [settledEntry(draft, [])] };
}

export interface NewMessage {
  readonly draft: Checked<AwaitingMessage> | Checked<SettledMessageRecord>;
  readonly announce: readonly OutboxEntry[];
}

export type SettleDecision =
  | { readonly decision: 'settle'; readonly next: Checked<SettledMessageRecord>; readonly announce: OutboxEntry }
  | { readonly decision: 'wait'; readonly missing: readonly string[] };

/**
 * Settled when every required delivery has a receipt, was skipped because its tenant is deleted, or was waived by a
 * person. Every other required consumer is waited for, even when its delivery is missing.
 */
export function decideSettlement(record: AwaitingMessage, deliveries: readonly Delivery[], now: Date): SettleDecision {
  const settled = new Set(deliveries.filter((one) => !isOpen(one)).map((one) => one.consumer));
  const missing = record.required.filter((consumer) => !settled.has(consumer));
  if (missing.length > 0) return { decision: 'wait', missing };
  const next = messageSteps.move(record, 'settled', { settledAt: afterAll(deliveries, now) });
  return { decision: 'settle', next, announce: settledEntry(next, deliveries) };
}

/**
 * `now`, or the time of the last receipt or waiver when that is later: another replica stamped it, and two replicas may
 * measure the database's clock slightly differently.
 */
function afterAll(deliveries: readonly Delivery[], now: Date): Date {
  const proofs = deliveries.flatMap((one) => {
    if (one.status === 'succeeded') return [one.receipt.acceptedAt.getTime()];
    return one.status === 'waived' ? [one.resolution.at.getTime()] : [];
  });
  return new Date(Math.max(now.getTime(), ...proofs));
}

const byConsumer = (a: { readonly consumer: string }, b: { readonly consumer: string }): number =>
  a.consumer < b.consumer ? -1 : 1;

/**
 * As many entries as fit into one message, in the order of the consumers; waivers first, because access opened without
 * their effects.
 */
function fitting<W, R>(waived: readonly W[], receipts: readonly R[]): { readonly waived: W[]; readonly receipts: R[] } {
  let left: number = lifecycleLimits.settledBytes;
  const take = <T>(all: readonly T[]): T[] => {
    const kept: T[] = [];
    for (const one of all) {
      left -= Buffer.byteLength(JSON.stringify(one)) + 1;
      if (left < 0) break;
      kept.push(one);
    }
    return kept;
  };
  return { waived: take(waived), receipts: take(receipts) };
}

type SettledFacts = Pick<SettledMessageRecord, '_id' | 'tenantId' | 'transition' | 'settledAt'>;

/**
 * The announcement, rebuilt from the records on each request with the same id and body. It names the waived consumers
 * and the people who waived them, so that the record of the operation shows which effects are missing.
 */
export function settledEntry(record: SettledFacts, deliveries: readonly Delivery[]): OutboxEntry {
  const receipts = deliveries
    .flatMap((one) =>
      one.status === 'succeeded'
        ? [
            {
              consumer: one.consumer,
              receiptId: one.receipt.receiptId,
              effectiveAt: one.receipt.effectiveAt.toISOString(),
            },
          ]
        : [],
    )
    .sort(byConsumer);
  const waived = deliveries
    .flatMap((one) =>
      one.status === 'waived'
        ? [
            {
              consumer: one.consumer,
              by: one.resolution.by,
              reason: one.resolution.reason,
              waivedAt: one.resolution.at.toISOString(),
            },
          ]
        : [],
    )
    .sort(byConsumer);
  const kept = fitting(waived, receipts);
  const omitted = { receipts: receipts.length - kept.receipts.length, waived: waived.length - kept.waived.length };
  const body: SettledMessage = {
    tenantId: record.tenantId,
    operationId: record._id,
    transition: record.transition,
    receipts: kept.receipts,
    ...(waived.length > 0 && { waived: kept.waived }),
    ...(omitted.receipts + omitted.waived > 0 && { omitted }),
    settledAt: record.settledAt.toISOString(),
  };
  return {
    id: lifecycleMessageIds.settled(record._id),
    subject: lifecycleSubjects.settled(record.transition),
    type: lifecycleTypes.settled(record.transition),
    body,
    closesOn: 'publish_ack',
    createdAt: record.settledAt,
  };
}
