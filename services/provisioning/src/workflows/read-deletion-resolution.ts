/**
 * The evidence for the resolution of a deletion. The only outcome is `applied`: the data that the uncertain call should
 * have removed is removed. The service answers the gateway with it, and the off-line program resolves with it. Writes
 * nothing.
 */
import { defineReading, type InvestigationPorts, type OutcomeProofs } from '@platform/durable/investigation';
import { ok } from '@platform/kernel';
import { isOpenDeletion, type OpenDeletion } from '../domain/deletion';
import type { ProvisioningCollections } from './ports';
import { deletionKey } from './work-keys';

export type DeletionReadingPorts = Pick<ProvisioningCollections, 'deletions'> & InvestigationPorts;

export const deletionReading = defineReading({
  noun: 'deletion',
  missing: 'There is no deletion of this workspace.',
  records: (ports: DeletionReadingPorts) => ports.deletions,
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
});

/** What the resolution does to the admission, in one sentence. */
export function deletionBecomes(): string {
  return 'The deletion goes on within seconds: listeners that were not called yet are called, no other is called again.';
}
