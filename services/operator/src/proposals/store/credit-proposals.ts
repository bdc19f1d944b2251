/** Collection `credit_proposals`: credits above a limit, by their operation id, and who approved each. */
import type { CollectionDeclaration } from '@platform/mongo';
import { creditProposalStatuses, type CreditProposal } from '../domain/credit-proposal';

export const creditProposalsCollection: CollectionDeclaration<CreditProposal> = {
  name: 'credit_proposals',
  vocabulary: { status: creditProposalStatuses },
  tells: ({ _id, tenantId, status }) => ({ record: 'credit_proposal', operationId: _id, tenantId, state: status }),
  indexes: [{ name: 'by_workspace', key: { tenantId: 1, createdAt: -1, _id: -1 } }],
};
