/**
 * A credit above its person's limit: one person signs the proposal, and a second person signs the approval. It covers
 * exactly one operation id with its values, so it allows one credit, once. Pure.
 */
import {
  creditApprovalFormat,
  creditProposalFormat,
  type CreditApprovalStatement,
  type CreditProposalStatement,
} from '@platform/contracts-operator';
import { digestOfProposal, isExpired, samePerson, type Person } from '@platform/durable/signed-proposal';
import { defineSteps, type Checked } from '@platform/durable/steps';
import type { Revisioned, SigningKey, VerifyingKey } from '@platform/kernel';
import type { CreditApproval, OperationRequest } from '../../operations/domain/operation';

type Signature = ReturnType<SigningKey['sign']>;

export const creditProposalStatuses = ['proposed', 'approved'] as const;
/** How long a proposed credit may be approved and executed. */
const creditProposalHours = 24;

/** `_id` is the operation id of the proposed credit. */
interface CreditProposalBase extends Revisioned {
  readonly tenantId: string;
  readonly statement: CreditProposalStatement;
  readonly signature: Signature;
}
interface OpenCreditProposal extends CreditProposalBase {
  readonly status: 'proposed';
}
interface ApprovedCreditProposal extends CreditProposalBase {
  readonly status: 'approved';
  readonly approval: { readonly statement: CreditApprovalStatement; readonly signature: Signature };
}
export type CreditProposal = OpenCreditProposal | ApprovedCreditProposal;

export const creditProposalSteps = defineSteps<CreditProposal>()({
  name: 'credit proposal',
  field: 'status',
  begins: ['proposed'],
  table: { proposed: { to: ['approved'] }, approved: { to: [] } },
  own: { proposed: {}, approved: { approval: true } },
});

export interface ProposedCredit {
  readonly operationId: string;
  readonly tenantId: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly reason: string;
}

export function newCreditProposal(
  credit: ProposedCredit,
  proposedBy: Person,
  now: Date,
  key: SigningKey,
): Checked<OpenCreditProposal> {
  const { operationId, tenantId, amountCents, currency, reason } = credit;
  const statement: CreditProposalStatement = {
    format: creditProposalFormat,
    ...{ operationId, tenantId, amountCents, currency, reason, proposedBy },
    proposedAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + creditProposalHours * 3_600_000).toISOString(),
  };
  const signature = key.sign(statement);
  return creditProposalSteps.begin<OpenCreditProposal>({
    _id: operationId,
    status: 'proposed',
    tenantId,
    statement,
    signature,
  });
}

/** Why this person may not approve it now; null when they may. */
export function creditApprovalRefusal(proposal: CreditProposal, person: Person, shown: string, now: Date) {
  if (samePerson(proposal.statement.proposedBy, person)) return 'second_person_required' as const;
  return proposal.status === 'approved' || isExpired(proposal, now) || shown !== digestOfProposal(proposal)
    ? ('proposal_outdated' as const)
    : null;
}

export function approveCreditProposal(
  proposal: OpenCreditProposal,
  approvedBy: Person,
  now: Date,
  key: SigningKey,
): Checked<ApprovedCreditProposal> {
  const statement: CreditApprovalStatement = {
    format: creditApprovalFormat,
    operationId: proposal._id,
    proposal: digestOfProposal(proposal),
    approvedBy,
    approvedAt: now.toISOString(),
  };
  return creditProposalSteps.move(proposal, 'approved', { approval: { statement, signature: key.sign(statement) } });
}

/**
 * The approval under which this request may pass its limit; null without one. Both signatures are verified here again:
 * a record that was changed without the gateway allows nothing.
 */
export function approvalOf(
  proposal: CreditProposal | null,
  request: Pick<OperationRequest, 'operationId' | 'tenantId' | 'action' | 'values'> & { readonly currency: string },
  now: Date,
  key: VerifyingKey,
): CreditApproval | null {
  if (proposal?.status !== 'approved' || request.action !== 'credit_customer') return null;
  const { statement, signature, approval } = proposal;
  const proposed = digestOfProposal({ statement, signature });
  const genuine =
    key.verifies(statement, signature) &&
    key.verifies(approval.statement, approval.signature) &&
    approval.statement.proposal === proposed &&
    approval.statement.operationId === statement.operationId;
  const same =
    statement.operationId === request.operationId &&
    statement.tenantId === request.tenantId &&
    statement.amountCents === request.values['amountCents'] &&
    statement.currency === request.currency &&
    statement.reason === request.values['reason'];
  const { proposedBy } = statement;
  const { approvedBy } = approval.statement;
  if (!genuine || !same || isExpired({ statement }, now) || samePerson(proposedBy, approvedBy)) return null;
  return { proposal: proposed, proposedBy, approvedBy };
}
