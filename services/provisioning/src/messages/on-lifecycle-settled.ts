/** `lifecycle.settled.created`: every required consumer has answered, so the marker's message is not sent again. */
import { lifecycleMessageIds, settledMessageSchema } from '@platform/contracts-lifecycle-delivery';
import type { Handle } from '@platform/messaging';
import type { ProvisioningPorts } from '../workflows/ports';
import { describeMismatch } from '@platform/durable/answering';

export function onLifecycleSettled({ markers }: Pick<ProvisioningPorts, 'markers'>): Handle {
  return async (message) => {
    const decoded = settledMessageSchema.safeParse(message.body);
    if (!decoded.success)
      return { kind: 'dead_letter', reason: `not a settled message: ${describeMismatch(decoded.error)}` };
    const { operationId, transition } = decoded.data;
    if (transition === 'created') await markers.outbox.confirm(operationId, lifecycleMessageIds.message(operationId));
    return { kind: 'ack' };
  };
}
