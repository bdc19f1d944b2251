/** A credit whose outcome is not known, and the proposal that ends it. */
import type { ProposalView } from '@platform/contracts-operator';
import { credit, post, type Stage } from './stage';

export const proposalOfCredit = {
  kind: 'operation',
  id: credit.operationId,
  executorStopped: 'its host was shut down',
  outcome: 'not_applied',
  providerObject: null,
};

/** Prepared when no request of the credit can arrive any more. */
export async function propose(stage: Stage): Promise<{ readonly digest: string; readonly id: string }> {
  stage.world.provider.failNext('lost_answer_before_effect');
  await post(stage, 'balance-credit', credit);
  stage.world.clock.advance(600_000);
  const answer = await stage.gateway.request('POST', '/api/saas/proposals', { body: proposalOfCredit });
  const { digest, proposal } = answer.json<ProposalView>();
  return { digest, id: proposal.statement.proposalId };
}
