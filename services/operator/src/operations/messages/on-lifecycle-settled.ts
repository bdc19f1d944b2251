/** Settled lifecycle messages: decode, take the settlement into its operation, acknowledge. */
import { settledMessageSchema } from '@platform/contracts-lifecycle-delivery';
import type { Disposition, InboundMessage } from '@platform/messaging';
import type { SettledMessage } from '@platform/contracts-lifecycle-delivery';
import type { Settlement } from '../workflows/settle-operation';

/** The handler of the durable; a store that is away throws, which the consumer turns into a later delivery. */
export function onLifecycleSettled(settle: (settled: SettledMessage) => Promise<Settlement>) {
  return async (message: InboundMessage): Promise<Disposition> => {
    const decoded = settledMessageSchema.safeParse(message.body);
    if (!decoded.success)
      return {
        kind: 'dead_letter',
        reason: `not a settled message: ${decoded.error.issues[0]?.path.join('.') ?? ''} ${decoded.error.issues[0]?.message ?? ''}`,
      };
    // Creations settle too; they belong to provisioning, which asked for them.
    if (decoded.data.transition === 'created') return { kind: 'ack' };
    const settlement = await settle(decoded.data);
    if (settlement === 'again') return { kind: 'nak', reason: 'the settlement could not be written yet' };
    if (settlement === 'not_ours') return { kind: 'dead_letter', reason: 'no such operation' };
    return { kind: 'ack' };
  };
}
