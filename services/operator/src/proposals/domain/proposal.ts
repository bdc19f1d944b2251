/**
 * A signed proposal for the end of an investigation, and its approval by a second person. Neither changes the record
 * that it concerns. The off-line program verifies both signatures and both people before it reads the evidence again.
 */
import {
  approvalFormat,
  type ApprovalStatement,
  type ProposedKind,
  type SignedProposal,
} from '@platform/contracts-provisioning';
import { digestOfProposal, isExpired, samePerson, type Person } from '@platform/durable/signed-proposal';
import { defineSteps, type Checked } from '@platform/durable/steps';
import type { Revisioned, SigningKey } from '@platform/kernel';

export const proposalStatuses = ['proposed', 'approved'] as const;
/**
 * How long a proposal may be applied after its evidence was read; later, a new proposal with new evidence is needed.
 */
export const proposalHours = 24;

type Part = Pick<SignedProposal, 'statement' | 'signature'>;

interface ProposalBase extends Revisioned, Part {
  readonly kind: ProposedKind;
  readonly itemId: string;
}
interface OpenProposal extends ProposalBase {
  readonly status: 'proposed';
}
interface ApprovedProposal extends ProposalBase {
  readonly status: 'approved';
  readonly approval: NonNullable<SignedProposal['approval']>;
}
export type Proposal = OpenProposal | ApprovedProposal;

export const proposalSteps = defineSteps<Proposal>()({
  name: 'proposal',
  field: 'status',
  begins: ['proposed'],
  table: { proposed: { to: ['approved'] }, approved: { to: [] } },
  own: { proposed: {}, approved: { approval: true } },
});

export function newProposal(part: Part): Checked<OpenProposal> {
  const { proposalId, kind, itemId } = part.statement;
  return proposalSteps.begin<OpenProposal>({ _id: proposalId, status: 'proposed', kind, itemId, ...part });
}

export function signedOf({ statement, signature, ...rest }: Proposal): SignedProposal {
  return { statement, signature, ...('approval' in rest && { approval: rest.approval }) };
}

/** Why this person may not approve it now; null when they may. */
export function approvalRefusal(proposal: Proposal, person: Person, shown: string, now: Date) {
  if (samePerson(proposal.statement.proposedBy, person)) return 'second_person_required' as const;
  return proposal.status === 'approved' || isExpired(proposal, now) || shown !== digestOfProposal(proposal)
    ? ('proposal_outdated' as const)
    : null;
}

export function approve(
  proposal: OpenProposal,
  approvedBy: Person,
  now: Date,
  key: SigningKey,
): Checked<ApprovedProposal> {
  const statement: ApprovalStatement = {
    format: approvalFormat,
    proposalId: proposal._id,
    proposal: digestOfProposal(proposal),
    approvedBy,
    approvedAt: now.toISOString(),
  };
  return proposalSteps.move(proposal, 'approved', { approval: { statement, signature: key.sign(statement) } });
}
