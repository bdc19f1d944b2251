/**
 * A second person approves a proposal by one fenced write of the proposal; the record that it concerns does not change.
 */
import { writeFenced, type CheckedCollection, type RetryPolicy } from '@platform/durable/record';
import type { Person } from '@platform/durable/signed-proposal';
import { ok, refused, type Clock, type Result, type SigningKey } from '@platform/kernel';
import { approvalRefusal, approve, type Proposal } from '../domain/proposal';

export interface ApprovingPorts {
  readonly proposals: CheckedCollection<Proposal>;
  readonly clock: Clock;
  readonly retryPolicy: RetryPolicy;
  readonly key: SigningKey;
}

type Refused = 'not_found' | 'second_person_required' | 'proposal_outdated' | 'store_unavailable';

/** `shown`: the digest of the proposal as the person saw it. Throws StoreUnavailableError. */
export async function approveProposal(
  ports: ApprovingPorts,
  proposalId: string,
  person: Person,
  shown: string,
): Promise<Result<Proposal, Refused>> {
  const proposal = await ports.proposals.findById(proposalId);
  if (!proposal) return refused('not_found');
  const refusal = approvalRefusal(proposal, person, shown, ports.clock.now());
  if (refusal !== null || proposal.status !== 'proposed') return refused(refusal ?? 'proposal_outdated');
  const next = approve(proposal, person, ports.clock.now(), ports.key);
  const written = await writeFenced(ports.proposals, proposal as Proposal, next, [], ports.retryPolicy);
  if (written.kind === 'written') return ok(written.record);
  return refused(written.kind === 'lost' ? 'proposal_outdated' : 'store_unavailable');
}
