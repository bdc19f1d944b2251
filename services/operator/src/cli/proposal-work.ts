/** How this service's off-line program reads proposals: from a file, or by id from those that the gateway stores. */
import { signedProposalSchema } from '@platform/contracts-provisioning';
import type { OfflineWork } from '@platform/durable/investigation';
import { signedOf } from '../proposals/domain/proposal';
import { proposalsCollection } from '../proposals/store/proposals';

export function proposalWork({ store, people, clock }: Pick<OfflineWork, 'store' | 'people' | 'clock'>) {
  const proposals = store.collection(proposalsCollection);
  return {
    people,
    clock,
    schema: signedProposalSchema,
    stored: async (proposalId: string) => {
      const stored = await proposals.findById(proposalId);
      return stored && signedOf(stored);
    },
  };
}
