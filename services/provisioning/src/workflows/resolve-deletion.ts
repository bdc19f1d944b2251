/**
 * The end of an investigation of a deletion. Its one outcome is `applied`: what the doubtful call should have removed is
 * removed. A listener is never called again, so there is nothing that `not_applied` could lead to; the listeners that were
 * not called yet are called after it.
 */
import { defineInvestigation, type InvestigationPorts, type OutcomeProofs } from '@platform/durable/investigation';
import type { CheckedCollection } from '@platform/durable/record';
import { ok } from '@platform/kernel';
import { deletionKey } from './work-keys';
import { isOpenDeletion, resumeDeletion, type Deletion, type OpenDeletion } from '../domain/deletion';

export interface ResolveDeletionPorts extends InvestigationPorts {
  readonly deletions: CheckedCollection<Deletion>;
}

export const deletionInvestigation = defineInvestigation({
  noun: 'deletion',
  missing: 'There is no deletion of this workspace.',
  records: (ports: ResolveDeletionPorts) => ports.deletions,
  isOpen: isOpenDeletion,
  known: ({ status }) => `The deletion is ${status}: there is nothing to resolve.`,
  executors: ({ tenantId, executor, updatedAt }) => [{ key: deletionKey(tenantId), executor, wroteAt: updatedAt }],
  beside: async () => ok(null),
  refusal: (_deletion: OpenDeletion, { outcome }: OutcomeProofs) =>
    outcome === 'applied'
      ? null
      : 'A listener is never called again. Let its owner remove what belongs to the workspace, then resolve the deletion as applied.',
  warnings: ({ listenerCalls, status }) => [
    ...listenerCalls
      .filter(({ outcome }) => outcome !== 'done')
      .map(
        ({ listener }) => `Listener ${listener} has no success here; its owner must have confirmed that it is done.`,
      ),
    ...(status === 'calling'
      ? ['The deletion is still marked as under way. If its executor is alive, it will lose its next write.']
      : []),
  ],
  resolve: (_ports, deletion, resolution) => resumeDeletion(deletion, resolution),
});
