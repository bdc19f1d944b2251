/**
 * `tenant.receipt.<consumer>`: receipts and reported failures. Who speaks is taken from the subject alone, because
 * the broker lets a consumer publish on its own subject only; the body cannot claim to be another one.
 */
import {
  consumerNameSchema,
  deliveryFailedSchema,
  lifecycleSubjects,
  lifecycleTypes,
  receiptMessageSchema,
} from '@platform/contracts-lifecycle-delivery';
import type { Handle } from '@platform/messaging';
import { rejectMessage, type DeliveryPorts } from '../workflows/ports';
import { recordFailure, recordReceipt } from '../workflows/record-receipt';
import { describeMismatch } from './describe-mismatch';

const prefix = lifecycleSubjects.receipt('');

export function onReceipt(ports: DeliveryPorts): Handle {
  return async (message) => {
    const consumer = message.subject.startsWith(prefix) ? message.subject.slice(prefix.length) : '';
    if (!consumerNameSchema.safeParse(consumer).success)
      return rejectMessage(`subject ${message.subject} names no consumer`);
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
    return rejectMessage(`type ${message.type} is neither a receipt nor a reported failure`);
  };
}
