/**
 * A credit above the limit of its person: one person proposes it, a second one approves it, each by one fenced write of
 * the proposal. Neither step credits anything; they allow the credit's own request with the same operation id and
 * values.
 */
import { writeFenced, type CheckedCollection, type RetryPolicy } from '@platform/durable/record';
import { isExpired, type Person } from '@platform/durable/signed-proposal';
import { ok, refused, type Clock, type Result, type SigningKey, type VerifyingKey } from '@platform/kernel';
import type { OperatorPorts } from '../../operations/workflows/ports';
import {
  approvalOf,
  approveCreditProposal,
  creditApprovalRefusal,
  newCreditProposal,
  type CreditProposal,
  type ProposedCredit,
} from '../domain/credit-proposal';

export interface CreditProposalPorts extends Pick<OperatorPorts, 'operations' | 'subscriptions' | 'plans' | 'limits'> {
  readonly creditProposals: CheckedCollection<CreditProposal>;
  readonly clock: Clock;
  readonly retryPolicy: RetryPolicy;
  readonly key: SigningKey;
}

type ProposeRefusal =
  'not_found' | 'plan_not_available' | 'credit_too_large' | 'operation_id_reused' | 'store_unavailable';

/** A repeat of a proposal returns the stored one. Throws StoreUnavailableError. */
export async function proposeCredit(
  ports: CreditProposalPorts,
  asked: Omit<ProposedCredit, 'currency'>,
  proposedBy: Person,
): Promise<Result<CreditProposal, ProposeRefusal>> {
  const subscription = await ports.subscriptions.findById(asked.tenantId);
  if (!subscription) return refused('not_found');
  if (asked.amountCents > ports.limits.creditCents) return refused('credit_too_large');
  const plan = await ports.plans.findById(subscription.planId);
  if (!plan) return refused('plan_not_available');
  if (await ports.operations.findById(asked.operationId)) return refused('operation_id_reused');
  const draft = newCreditProposal({ ...asked, currency: plan.currency }, proposedBy, ports.clock.now(), ports.key);
  const written = await ports.creditProposals.insert(draft);
  if (written.outcome === 'applied') return ok(written.record);
  if (written.outcome === 'unknown' || !written.existing) return refused('store_unavailable');
  const { statement } = written.existing;
  const same =
    statement.tenantId === asked.tenantId &&
    statement.amountCents === asked.amountCents &&
    statement.reason === asked.reason &&
    !isExpired({ statement }, ports.clock.now());
  return same ? ok(written.existing) : refused('operation_id_reused');
}

type ApproveRefusal = 'not_found' | 'second_person_required' | 'proposal_outdated' | 'store_unavailable';

/** `shown`: the digest of the proposal as the person saw it. Throws StoreUnavailableError. */
export async function approveCredit(
  ports: Pick<CreditProposalPorts, 'creditProposals' | 'clock' | 'retryPolicy' | 'key'>,
  operationId: string,
  person: Person,
  shown: string,
): Promise<Result<CreditProposal, ApproveRefusal>> {
  const proposal = await ports.creditProposals.findById(operationId);
  if (!proposal) return refused('not_found');
  const refusal = creditApprovalRefusal(proposal, person, shown, ports.clock.now());
  if (refusal !== null || proposal.status !== 'proposed') return refused(refusal ?? 'proposal_outdated');
  const next = approveCreditProposal(proposal, person, ports.clock.now(), ports.key);
  const written = await writeFenced(ports.creditProposals, proposal as CreditProposal, next, [], ports.retryPolicy);
  if (written.kind === 'written') return ok(written.record);
  return refused(written.kind === 'lost' ? 'proposal_outdated' : 'store_unavailable');
}

/** The check of the credit limit: whether two people signed this same request. */
export function approvedCredits(
  { creditProposals, clock }: Pick<CreditProposalPorts, 'creditProposals' | 'clock'>,
  key: VerifyingKey,
): NonNullable<NonNullable<OperatorPorts['creditLimits']>['approvalOf']> {
  return async (request, currency) =>
    approvalOf(await creditProposals.findById(request.operationId), { ...request, currency }, clock.now(), key);
}
