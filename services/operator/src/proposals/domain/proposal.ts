/**
 * A proposal for the end of an investigation, signed, and approved by a second person. Neither changes the record that it is
 * about. Off-line, both signatures and both people are verified before anything is read again.
 */
import {
  approvalFormat,
  signedProposalSchema,
  type ApprovalStatement,
  type ProposedKind,
  type SignedProposal,
} from '@platform/contracts-operator';
import { defineSteps, type Checked } from '@platform/durable/steps';
import {
  digestOf,
  ok,
  refused,
  type Result,
  type Revisioned,
  type SigningKey,
  type VerifyingKey,
} from '@platform/kernel';

export const proposalStatuses = ['proposed', 'approved'] as const;
/** How long what was read may be applied; after that it is read again. */
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

/** Names a proposal together with its signature. */
export const digestOfProposal = ({ statement, signature }: Part): string => digestOf({ statement, signature });

export interface Person {
  readonly id: string;
  readonly email: string;
}

const samePerson = (one: Person, other: Person): boolean =>
  one.id === other.id || one.email.toLowerCase() === other.email.toLowerCase();

export const isExpired = ({ statement }: Part, now: Date): boolean => new Date(statement.expiresAt) <= now;

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

/** A proposal that may be applied: genuine, approved by another person, and not expired. */
export type WholeProposal = Required<SignedProposal>;

/** Verifies a file or a stored document against the public key. A text says what is wrong with it. */
export function verifyProposal(document: unknown, key: VerifyingKey, now: Date): Result<WholeProposal, string> {
  const decoded = signedProposalSchema.safeParse(document);
  if (!decoded.success) {
    const [issue] = decoded.error.issues;
    return refused(`It is no signed proposal: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
  }
  const { statement, signature, approval } = decoded.data;
  if (!key.verifies(statement, signature))
    return refused(`Its signature does not fit: it was changed, or not signed with the key ${key.keyId}.`);
  if (!approval) return refused('It is not approved: a second person approves it in the console first.');
  if (!key.verifies(approval.statement, approval.signature))
    return refused(
      `The signature of its approval does not fit: it was changed, or not signed with the key ${key.keyId}.`,
    );
  const { proposal, proposalId, approvedBy } = approval.statement;
  if (proposal !== digestOfProposal({ statement, signature }) || proposalId !== statement.proposalId)
    return refused('Its approval is for another proposal.');
  if (samePerson(statement.proposedBy, approvedBy))
    return refused(`It needs a second person: ${approvedBy.email} cannot approve what they propose.`);
  if (isExpired({ statement, signature }, now))
    return refused(`It expired at ${statement.expiresAt}. Look again, and prepare a new one.`);
  return ok({ statement, signature, approval });
}
