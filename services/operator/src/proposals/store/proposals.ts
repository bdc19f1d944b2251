/** Collection `resolution_proposals`: proposed and approved ends of investigations. */
import type { CollectionDeclaration } from '@platform/mongo';
import { proposalStatuses, type Proposal } from '../domain/proposal';

export const proposalsCollection: CollectionDeclaration<Proposal> = {
  name: 'resolution_proposals',
  vocabulary: { status: proposalStatuses },
  tells: ({ kind, itemId, status }) => ({ record: 'resolution_proposal', kind, itemId, state: status }),
  indexes: [
    { name: 'by_item', key: { kind: 1, itemId: 1, createdAt: -1, _id: -1 } },
    { name: 'by_time', key: { createdAt: 1, _id: 1 } },
  ],
};
