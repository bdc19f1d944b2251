/** `workspace.*`: mirrors a committed workspace, confirms the mirror to provisioning, then acknowledges. */
import {
  creationRequests,
  workspaceTypes,
  workspaceCommittedSchema,
  type WorkspaceCommitted,
} from '@platform/contracts-provisioning';
import type { Disposition, InboundMessage, Messaging } from '@platform/messaging';
import type { Mirroring } from '../workflows/mirror-workspace';

const answerWaitMs = 5_000;

/**
 * Without this confirmation provisioning publishes the message again; the repeat finds the mirror and confirms again.
 */
export function onWorkspaceCommitted(
  mirror: (committed: WorkspaceCommitted) => Promise<Mirroring>,
  messaging: Pick<Messaging, 'request'>,
) {
  return async (message: InboundMessage): Promise<Disposition> => {
    // A cancelled creation was never mirrored.
    if (message.type === workspaceTypes.cancelled) return { kind: 'ack' };
    const decoded = workspaceCommittedSchema.safeParse(message.body);
    if (!decoded.success)
      return {
        kind: 'dead_letter',
        reason: `not a committed workspace: ${decoded.error.issues[0]?.path.join('.') ?? ''} ${decoded.error.issues[0]?.message ?? ''}`,
      };
    if ((await mirror(decoded.data)) === 'again') return { kind: 'nak', reason: 'the mirror could not be written yet' };
    await messaging.request(creationRequests.mirrored, { tenantId: decoded.data.tenantId }, answerWaitMs);
    return { kind: 'ack' };
  };
}
