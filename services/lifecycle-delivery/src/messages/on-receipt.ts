/**
 * `tenant.receipt.<consumer>`: receipts and reported failures. Who speaks is taken from the subject alone, because
 * the broker lets a consumer publish on its own subject only; the body cannot claim to be another one.
 */
import {
  consumerNameSchema,
  deliveryFailedSchema,
  LIFECYCLE_SUBJECTS,
  LIFECYCLE_TYPES,
  receiptMessageSchema,
} from '@platform/contracts-lifecycle-delivery';
import type { Handle } from '@platform/messaging';
import { refuse, type DeliveryPorts } from '../workflows/ports';
import { recordFailure, recordReceipt } from '../workflows/record-receipt';
import { describeMismatch } from './describe-mismatch';

const prefix = LIFECYCLE_SUBJECTS.receipt('');

export function onReceipt(ports: DeliveryPorts): Handle {
  return async (message) => {
    const consumer = message.subject.startsWith(prefix) ? message.subject.slice(prefix.length) : '';
    if (!consumerNameSchema.safeParse(consumer).success) return refuse(`subject ${message.subject} names no consumer`);
    if (message.type === LIFECYCLE_TYPES.receipt) {
      const decoded = receiptMessageSchema.safeParse(message.body);
      return decoded.success ? recordReceipt(ports, consumer, decoded.data) : refuse(describeMismatch(decoded.error));
    }
    if (message.type === LIFECYCLE_TYPES.deliveryFailed) {
      const decoded = deliveryFailedSchema.safeParse(message.body);
      return decoded.success
        ? recordFailure(ports, consumer, decoded.data, message.id)
        : refuse(describeMismatch(decoded.error));
    }
    return refuse(`type ${message.type} is neither a receipt nor a reported failure`);
  };
}
