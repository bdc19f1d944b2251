/** `lifecycle.message.*`: decodes at the edge, calls one workflow, and answers with its disposition. */
import {
  LIFECYCLE_SUBJECTS,
  LIFECYCLE_TYPES,
  lifecycleMessageSchema,
  tenantDeletedSchema,
} from '@platform/contracts-lifecycle-delivery';
import type { Handle } from '@platform/messaging';
import { acceptLifecycleMessage } from '../workflows/accept-message';
import { markTenantDeleted } from '../workflows/mark-tenant-deleted';
import { refuse, type DeliveryPorts } from '../workflows/ports';
import { describeMismatch } from './describe-mismatch';

export function onLifecycleMessage(ports: DeliveryPorts): Handle {
  return async (message) => {
    if (message.type === LIFECYCLE_TYPES.tenantDeleted) {
      const decoded = tenantDeletedSchema.safeParse(message.body);
      if (!decoded.success) return refuse(describeMismatch(decoded.error));
      return message.subject === LIFECYCLE_SUBJECTS.tenantDeleted
        ? markTenantDeleted(ports, decoded.data)
        : refuse(`subject ${message.subject} does not carry ${message.type}`);
    }
    const decoded = lifecycleMessageSchema.safeParse(message.body);
    if (!decoded.success) return refuse(describeMismatch(decoded.error));
    const { transition } = decoded.data;
    if (message.type !== LIFECYCLE_TYPES.message(transition))
      return refuse(`type ${message.type} is not the one of ${transition}`);
    if (message.subject !== LIFECYCLE_SUBJECTS.message(transition))
      return refuse(`subject ${message.subject} does not carry ${transition}`);
    return acceptLifecycleMessage(ports, decoded.data, traceparentOf(message.headers));
  };
}

/** The W3C trace context of a message, when it has a well-formed one. */
function traceparentOf(headers: Readonly<Record<string, string>>): string | undefined {
  const { traceparent } = headers;
  return traceparent !== undefined && /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent)
    ? traceparent
    : undefined;
}
