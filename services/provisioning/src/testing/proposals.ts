/** Proposals as the gateway signs them for two people, and the off-line program that applies them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  approvalFormat,
  proposalFormat,
  signedProposalSchema,
  type ApprovalStatement,
  type JudgedResolution,
  type ProposalStatement,
  type ProposedKind,
} from '@platform/contracts-provisioning';
import { readAppliedProposal, type OutcomeProofs, type Planned, type Proofs } from '@platform/durable/investigation';
import { digestOfProposal } from '@platform/durable/signed-proposal';
import { signingKeyOf, type Clock, type Result, type Revisioned } from '@platform/kernel';

type Shown = Pick<Planned<Revisioned, Proofs, unknown>, 'revision' | 'secondProof'> & {
  readonly resolution: { readonly override?: { readonly contradiction: string } };
};
type Said = Pick<OutcomeProofs, 'executorStopped' | 'outcome' | 'providerObject'>;

interface Applied<Ports, T extends Revisioned, P> {
  plan(ports: Ports, request: OutcomeProofs): Promise<Result<P, string>>;
  record(ports: Ports, planned: P): Promise<Result<T, string>>;
}

export function createProposals() {
  const key = signingKeyOf('a secret of the gateway that is long enough');
  const people = {
    personOf: async ({ email = '' }: { readonly email?: string | undefined }) => ({ id: email, email }),
  };
  const ann = { id: 'ann', email: 'ann@example.com' };
  const ben = { id: 'ben', email: 'ben@example.com' };
  let folder = '';

  return {
    ann,
    ben,
    open() {
      folder = mkdtempSync(join(tmpdir(), 'proposals-'));
      process.env['CASE_VERIFYING_KEY'] = key.publicKey;
    },
    close() {
      delete process.env['CASE_VERIFYING_KEY'];
      rmSync(folder, { recursive: true });
    },
    /** Proposed by Ann, approved by Ben. */
    sign(now: Date, kind: ProposedKind, itemId: string, proofs: Said, judged: JudgedResolution) {
      const { tenantId, revision, consequences, evidence } = judged;
      const statement: ProposalStatement = {
        format: proposalFormat,
        proposalId: 'proposal-0001',
        ...{ kind, itemId, tenantId, revision, ...proofs, consequences },
        evidence: { readAt: now.toISOString(), ...evidence },
        proposedBy: ann,
        proposedAt: now.toISOString(),
        expiresAt: new Date(now.getTime() + 3_600_000).toISOString(),
      };
      const proposal = { statement, signature: key.sign(statement) };
      const approval: ApprovalStatement = {
        format: approvalFormat,
        proposalId: statement.proposalId,
        proposal: digestOfProposal(proposal),
        approvedBy: ben,
        approvedAt: now.toISOString(),
      };
      return { ...proposal, approval: { statement: approval, signature: key.sign(approval) } };
    },
    /** Applies a proposal as the off-line program does; answers the status of the record, or the refusal. */
    async apply<Ports, T extends Revisioned & { readonly status: string }, P extends Shown>(
      investigation: Applied<Ports, T, P>,
      ports: Ports,
      clock: Clock,
      kind: ProposedKind,
      id: string,
      document: unknown,
    ): Promise<string> {
      const file = join(folder, 'proposal.json');
      writeFileSync(file, JSON.stringify(document));
      const asked = { id, proposal: file, by: { email: 'cleo@example.com', tokenFile: undefined } };
      const read = await readAppliedProposal(asked, kind, { people, clock, schema: signedProposalSchema });
      if (!read.ok) return read.error;
      const planned = await investigation.plan(ports, read.value.request);
      if (!planned.ok) return planned.error;
      const difference = read.value.differs(planned.value);
      if (difference !== null) return difference;
      const recorded = await investigation.record(ports, planned.value);
      return recorded.ok ? recorded.value.status : recorded.error;
    },
  };
}
