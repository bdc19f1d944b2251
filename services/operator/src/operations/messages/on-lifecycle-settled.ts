/** Settled lifecycle messages: decode, take the settlement into its operation, acknowledge. */
import {
  lifecycleTypes,
  settledMessageSchema,
  tenantDeletedSettledSchema,
} from '@platform/contracts-lifecycle-delivery';
import type { Disposition, InboundMessage } from '@platform/messaging';
import type { SettledMessage } from '@platform/contracts-lifecycle-delivery';
import type { DeletionReport } from '../workflows/settle-deletion';
import type { Settlement } from '../workflows/settle-operation';

/** The report that the deliveries of a deleted workspace are skipped. Null for every other message. */
function deletionReportOf({ type, body }: InboundMessage): DeletionReport | 'malformed' | null {
  if (type !== lifecycleTypes.tenantDeletedSettled) return null;
  const decoded = tenantDeletedSettledSchema.safeParse(body);
  if (!decoded.success) return 'malformed';
  const { operationId, tenantId, settledAt } = decoded.data;
  return { operationId, tenantId, part: 'deliveriesSkippedAt', at: new Date(settledAt) };
}

/**
 * The handler of the durable. It throws when the store is unreachable, and the broker then delivers the message again
 * later.
 */
export function onLifecycleSettled(
  settle: (settled: SettledMessage) => Promise<Settlement>,
  settleDeletion: (report: DeletionReport) => Promise<Settlement>,
) {
  return async (message: InboundMessage): Promise<Disposition> => {
    const report = deletionReportOf(message);
    if (report === 'malformed') return { kind: 'dead_letter', reason: 'not a settled deletion' };
    if (report) return dispositionOf(await settleDeletion(report));
    const decoded = settledMessageSchema.safeParse(message.body);
    if (!decoded.success)
      return {
        kind: 'dead_letter',
        reason: `not a settled message: ${decoded.error.issues[0]?.path.join('.') ?? ''} ${decoded.error.issues[0]?.message ?? ''}`,
      };
    // Creations settle too; those settlements are for provisioning.
    if (decoded.data.transition === 'created') return { kind: 'ack' };
    return dispositionOf(await settle(decoded.data));
  };
}

export function dispositionOf(settlement: Settlement): Disposition {
  if (settlement === 'again') return { kind: 'nak', reason: 'the settlement could not be written yet' };
  return settlement === 'not_ours' ? { kind: 'dead_letter', reason: 'no such operation' } : { kind: 'ack' };
}
