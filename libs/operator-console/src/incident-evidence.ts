/** What is known of one record of an incident: read answer by answer, and an answer that did not come is not an empty one. */
import type { CaseView, ProposalView } from '@platform/contracts-operator';
import { problemText, type Answer } from '@platform/design-parts/requests';
import { problemOf } from './problem-of';

export interface Evidence {
  readonly view?: CaseView;
  /** Null while they are not known. */
  readonly proposals: readonly ProposalView[] | null;
  /** The result of the last attempt for it. */
  readonly result: string;
}

export const nothingRead: Evidence = { proposals: null, result: '' };

/** `result`: what is said when both were answered. A case that was read before stays, as does what was known of proposals. */
export function readEvidence(
  before: Evidence,
  view: Answer<CaseView>,
  proposals: Answer<{ readonly proposals: readonly ProposalView[] }>,
  result: string,
): Evidence {
  const problem = problemOf(view) ?? problemOf(proposals);
  return {
    ...before,
    ...(view.kind === 'answered' && { view: view.body }),
    proposals: proposals.kind === 'answered' ? proposals.body.proposals : null,
    result: problem ? problemText(problem) : result,
  };
}

/** The proposal of another person that this one can approve, or why there is none. */
export function toApprove({ proposals }: Evidence, who: string): ProposalView | string {
  if (proposals === null) return 'Its proposals are not known. Read its evidence again.';
  const found = proposals.find(
    ({ status, proposal: { statement } }) => status === 'proposed' && statement.proposedBy.email !== who,
  );
  return found ?? 'No proposal of another person waits for you here.';
}
