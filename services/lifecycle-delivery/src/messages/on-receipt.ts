/**
 * `tenant.receipt.<consumer>`: receipts and reported failures, of deliveries and of tests. Only the subject identifies
 * the sender: the broker lets a consumer publish on its own subject only, and the body cannot claim to be another one.
 * Reports of a consumer that floods are left unread for a moment, see `domain/report-budget.ts`.
 */
import {
  consumerNameSchema,
  deliveryFailedSchema,
  lifecycleOperationIdSchema,
  lifecycleSubjects,
  lifecycleTypes,
  receiptMessageSchema,
  testFailedSchema,
  testReceiptSchema,
} from '@platform/contracts-lifecycle-delivery';
import type { ConsumeOptions, Disposition, Handle, InboundMessage } from '@platform/messaging';
import { z } from 'zod';
import { done, rejectMessage, type DeliveryPorts } from '../workflows/ports';
import { recordFailure, recordReceipt } from '../workflows/record-receipt';
import { refuseReport } from '../workflows/refuse-report';
import { recordTestAnswer } from '../workflows/send-test';
import { describeMismatch } from '@platform/durable/answering';

const prefix = lifecycleSubjects.receipt('');

/** The one field that names the delivery; it is read even when the rest of the receipt is invalid. */
const namingSchema = z.object({ operationId: lifecycleOperationIdSchema });

export function onReceipt(ports: DeliveryPorts): Handle {
  return (message) => withinBudget(ports, message, (consumer) => takeReport(ports, consumer, message));
}

/** A report that is not JSON is refused as any other, and costs its consumer as much. */
export function onUnreadableReport(ports: DeliveryPorts): NonNullable<ConsumeOptions['unreadable']> {
  return (message, reason) => withinBudget(ports, message, async () => rejectMessage(reason));
}

async function withinBudget(
  ports: DeliveryPorts,
  message: InboundMessage,
  take: (consumer: string) => Promise<Disposition>,
): Promise<Disposition> {
  const consumer = message.subject.startsWith(prefix) ? message.subject.slice(prefix.length) : '';
  if (!consumerNameSchema.safeParse(consumer).success)
    return rejectMessage(`subject ${message.subject} names no consumer`);
  if (!ports.reports.hasLeft(consumer)) {
    ports.passedOver(consumer);
    return done;
  }
  const taken = await take(consumer);
  if (taken.kind !== 'dead_letter') return taken;
  const named = namingSchema.safeParse(message.body);
  return refuseReport(ports, { consumer, reportId: message.id, reason: taken.reason, ...named.data });
}

async function takeReport(ports: DeliveryPorts, consumer: string, message: InboundMessage): Promise<Disposition> {
  if (message.type === lifecycleTypes.receipt) {
    const decoded = receiptMessageSchema.safeParse(message.body);
    return decoded.success
      ? recordReceipt(ports, consumer, decoded.data)
      : rejectMessage(describeMismatch(decoded.error));
  }
  if (message.type === lifecycleTypes.deliveryFailed) {
    const decoded = deliveryFailedSchema.safeParse(message.body);
    return decoded.success
      ? recordFailure(ports, consumer, decoded.data, message.id)
      : rejectMessage(describeMismatch(decoded.error));
  }
  if (message.type === lifecycleTypes.testReceipt) {
    const decoded = testReceiptSchema.safeParse(message.body);
    return decoded.success
      ? recordTestAnswer(ports, consumer, { kind: 'receipt', body: decoded.data })
      : rejectMessage(describeMismatch(decoded.error));
  }
  if (message.type === lifecycleTypes.testFailed) {
    const decoded = testFailedSchema.safeParse(message.body);
    return decoded.success
      ? recordTestAnswer(ports, consumer, { kind: 'failure', body: decoded.data })
      : rejectMessage(describeMismatch(decoded.error));
  }
  return rejectMessage(`type ${message.type} is neither a receipt nor a reported failure`);
}
