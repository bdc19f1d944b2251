/** Outcomes of provider events: decode, complete the event, acknowledge. */
import { providerOutcomeSchema, type ProviderOutcomeMessage } from '@platform/contracts-provisioning';
import type { Disposition, InboundMessage } from '@platform/messaging';
import type { Completed } from '../workflows/complete-event';

/** Throws when the store is unreachable; the broker then delivers the message again later. */
export function onProviderOutcome(complete: (outcome: ProviderOutcomeMessage) => Promise<Completed>) {
  return async (message: InboundMessage): Promise<Disposition> => {
    const decoded = providerOutcomeSchema.safeParse(message.body);
    if (!decoded.success)
      return {
        kind: 'dead_letter',
        reason: `not an outcome: ${decoded.error.issues[0]?.path.join('.') ?? ''} ${decoded.error.issues[0]?.message ?? ''}`,
      };
    switch (await complete(decoded.data)) {
      case 'recorded':
        return { kind: 'ack' };
      case 'again':
        return { kind: 'nak', reason: 'the outcome could not be written yet' };
      case 'not_ours':
        return { kind: 'dead_letter', reason: 'no such event, or another admission' };
    }
  };
}
