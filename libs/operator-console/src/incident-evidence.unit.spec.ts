import type { CaseView, ProposalView } from '@platform/contracts-operator';
import { nothingRead, readEvidence, toApprove } from './incident-evidence';

const view = { kind: 'answered', status: 200, body: { id: 'op-1' } as CaseView } as const;
const proposalOf = (email: string, status: string) =>
  ({ status, proposal: { statement: { proposedBy: { email } } } }) as ProposalView;
const proposals = (...all: ProposalView[]) => ({ kind: 'answered', status: 200, body: { proposals: all } }) as const;
const silent = { kind: 'no_answer', reason: 'timeout' } as const;

describe('the evidence of a record of an incident', () => {
  it('shows a proposal of another person as one to approve, and its own not', () => {
    const bens = proposalOf('ben@example.com', 'proposed');
    const read = readEvidence(nothingRead, view, proposals(proposalOf('ann@example.com', 'proposed'), bens), 'Read.');
    expect(read.result).toBe('Read.');
    expect(toApprove(read, 'ann@example.com')).toBe(bens);
    const own = readEvidence(nothingRead, view, proposals(proposalOf('ann@example.com', 'proposed')), '');
    expect(toApprove(own, 'ann@example.com')).toBe('No proposal of another person waits for you here.');
  });

  it('does not take proposals that did not come for none, and says what went wrong', () => {
    const before = readEvidence(nothingRead, view, proposals(proposalOf('ben@example.com', 'proposed')), '');
    const read = readEvidence(before, view, silent, 'Read.');
    expect(read).toMatchObject({ view: { id: 'op-1' }, proposals: null });
    expect(read.result).toContain('did not answer');
    expect(toApprove(read, 'ann@example.com')).toBe('Its proposals are not known. Read its evidence again.');
  });

  it('keeps the case that was read before when it does not come again', () => {
    const before = readEvidence(nothingRead, view, proposals(), '');
    expect(readEvidence(before, silent, proposals(), '')).toMatchObject({ view: { id: 'op-1' }, proposals: [] });
  });
});
