/** Provider events that this service owns: decode, handle once, acknowledge. */
import { providerEventSchema, type ProviderEventMessage } from '@platform/contracts-provisioning';
import type { Disposition, InboundMessage } from '@platform/messaging';
import type { EventHandling } from '../workflows/handle-provider-event';

/** Throws when the store is unreachable; the broker then delivers the message again later. */
export function onProviderEvent(handleEvent: (event: ProviderEventMessage) => Promise<EventHandling>) {
  return async (message: InboundMessage): Promise<Disposition> => {
    const decoded = providerEventSchema.safeParse(message.body);
    if (!decoded.success)
      return {
        kind: 'dead_letter',
        reason: `not a provider event: ${decoded.error.issues[0]?.path.join('.') ?? ''} ${decoded.error.issues[0]?.message ?? ''}`,
      };
    return (await handleEvent(decoded.data)) === 'done'
      ? { kind: 'ack' }
      : { kind: 'nak', reason: 'the event could not be admitted, or its outcome not told' };
  };
}
