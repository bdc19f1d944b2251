/**
 * `workspace.deletion_requested`: decode, admit, acknowledge. The listeners are called after that: the record exists by
 * then, the gateway repeats its request until it is answered, and a slow listener does not delay the message.
 */
import { deletionRequestedSchema, type DeletionRequested } from '@platform/contracts-provisioning';
import type { Log } from '@platform/kernel';
import type { Handle } from '@platform/messaging';
import type { CallingDeletion } from '../domain/deletion';
import type { DeletionAdmission } from '../workflows/delete-tenant';
import { describeMismatch } from '@platform/durable/answering';

export interface DeletionHandling {
  /** Throws when the store is unreachable; the broker then delivers the message again later. */
  readonly admit: (request: DeletionRequested) => Promise<DeletionAdmission>;
  /** Calls the listeners. Where it rejects, its process has left the deletion, and the next request stops it. */
  readonly run: (deletion: CallingDeletion) => Promise<void>;
  readonly log: Log;
}

export function onDeletionRequested({ admit, run, log }: DeletionHandling): Handle {
  return async (message) => {
    const decoded = deletionRequestedSchema.safeParse(message.body);
    if (!decoded.success)
      return { kind: 'dead_letter', reason: `not a request for a deletion: ${describeMismatch(decoded.error)}` };
    const admission = await admit(decoded.data);
    if (admission.kind === 'again') return { kind: 'nak', reason: admission.reason };
    if (admission.kind === 'admitted') {
      const { tenantId } = admission.deletion;
      // An error that nothing catches would end the process, with the work of every other request.
      void run(admission.deletion).catch((error: unknown) => log.error({ tenantId, error }, 'a deletion broke'));
    }
    return { kind: 'ack' };
  };
}
