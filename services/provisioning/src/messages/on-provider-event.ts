/** `provider.event.provisioning.*`: decode, admit and handle once, acknowledge. */
import { providerEventSchema, type ProviderEventMessage } from '@platform/contracts-provisioning';
import type { Handle } from '@platform/messaging';
import type { Handled } from '../workflows/handle-provider-event';
import { describeMismatch } from '@platform/durable/answering';

/** Throws when the store is unreachable; the broker then delivers the message again later. */
export function onProviderEvent(handle: (event: ProviderEventMessage) => Promise<Handled>): Handle {
  return async (message) => {
    const decoded = providerEventSchema.safeParse(message.body);
    if (!decoded.success)
      return { kind: 'dead_letter', reason: `not a provider event: ${describeMismatch(decoded.error)}` };
    return (await handle(decoded.data)) === 'again'
      ? { kind: 'nak', reason: 'the admission could not be written yet' }
      : { kind: 'ack' };
  };
}
