/** `lifecycle.message.*`: decodes at the edge, calls one workflow, and answers with its disposition. */
import {
  lifecycleSubjects,
  lifecycleTypes,
  lifecycleMessageSchema,
  tenantDeletedSchema,
} from '@platform/contracts-lifecycle-delivery';
import type { Handle } from '@platform/messaging';
import { acceptLifecycleMessage } from '../workflows/accept-message';
import { markTenantDeleted } from '../workflows/mark-tenant-deleted';
import { rejectMessage, type DeliveryPorts } from '../workflows/ports';
import { describeMismatch } from '@platform/durable/answering';

export function onLifecycleMessage(ports: DeliveryPorts): Handle {
  return async (message) => {
    if (message.type === lifecycleTypes.tenantDeleted) {
      const decoded = tenantDeletedSchema.safeParse(message.body);
      if (!decoded.success) return rejectMessage(describeMismatch(decoded.error));
      return message.subject === lifecycleSubjects.tenantDeleted
        ? markTenantDeleted(ports, decoded.data)
        : rejectMessage(`subject ${message.subject} does not carry ${message.type}`);
    }
    const decoded = lifecycleMessageSchema.safeParse(message.body);
    if (!decoded.success) return rejectMessage(describeMismatch(decoded.error));
    const { transition } = decoded.data;
    if (message.type !== lifecycleTypes.message(transition))
      return rejectMessage(`type ${message.type} is not the one of ${transition}`);
    if (message.subject !== lifecycleSubjects.message(transition))
      return rejectMessage(`subject ${message.subject} does not carry ${transition}`);
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
