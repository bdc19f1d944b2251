/**
 * Prepares a proposal: judges it exactly as the off-line program will, with the evidence of this moment, and signs what was
 * read. A contradiction is refused here already. It writes a proposal, and nothing of the record.
 */
import { proposalFormat, type ProposalStatement, type ProposedKind } from '@platform/contracts-operator';
import {
  digestOfShown,
  planResolution,
  searchedText,
  type OutcomeProofs,
  type Planned,
  type SecondProof,
} from '@platform/durable/investigation';
import type { CheckedCollection } from '@platform/durable/record';
import { ok, refused, type Ids, type Result, type Revisioned, type SigningKey } from '@platform/kernel';
import { itemBecomes, itemReading, type ItemReadingPorts } from '../../migrations/workflows/read-item-resolution';
import {
  operationBecomes,
  operationReading,
  type OperationReadingPorts,
} from '../../operations/workflows/read-resolution';
import { newProposal, proposalHours, type Person, type Proposal } from '../domain/proposal';

export interface ProposingPorts extends OperationReadingPorts, ItemReadingPorts {
  readonly proposals: CheckedCollection<Proposal>;
  readonly ids: Ids;
  readonly key: SigningKey;
}

export interface ProposalRequest {
  readonly kind: ProposedKind;
  readonly id: string;
  readonly executorStopped: string;
  readonly outcome: OutcomeProofs['outcome'];
  readonly providerObject: string | null;
  /** Why it is to be recorded against the evidence. */
  readonly override?: string;
}

interface Judged {
  readonly record: Revisioned & { readonly tenantId: string };
  readonly planned: Pick<Planned<unknown, OutcomeProofs, unknown>, 'secondProof' | 'warnings' | 'resolution'>;
  readonly becomes: string;
}

async function judge(
  ports: ProposingPorts,
  kind: ProposedKind,
  proofs: OutcomeProofs,
): Promise<Result<Judged, string>> {
  if (kind === 'operation') {
    const planned = await planResolution(operationReading, ports, proofs, 'later');
    return planned.ok
      ? ok({ record: planned.value.record, planned: planned.value, becomes: operationBecomes(proofs) })
      : planned;
  }
  const planned = await planResolution(itemReading, ports, proofs, 'later');
  return planned.ok
    ? ok({ record: planned.value.record, planned: planned.value, becomes: itemBecomes(proofs) })
    : planned;
}

const nothingRead: SecondProof = { findings: [] };

/** The refusal is the text of the off-line program, which begins with its code where evidence refuses. Throws StoreUnavailableError. */
export async function prepareProposal(
  ports: ProposingPorts,
  { kind, id, override: reason, ...said }: ProposalRequest,
  proposedBy: Person,
): Promise<Result<Proposal, string>> {
  const proofs: OutcomeProofs = {
    id,
    ...said,
    by: proposedBy.email,
    // The second person is known when the proposal is approved.
    ...(reason !== undefined && { override: { reason, approvedBy: '' } }),
  };
  const judged = await judge(ports, kind, proofs);
  if (!judged.ok) return judged;
  const { record, planned, becomes } = judged.value;
  const { secondProof, warnings, resolution } = planned;
  const { findings, statements = [] } = secondProof ?? nothingRead;
  const now = ports.clock.now();
  const statement: ProposalStatement = {
    format: proposalFormat,
    proposalId: ports.ids.next(),
    kind,
    itemId: id,
    tenantId: record.tenantId,
    revision: record.revision,
    ...said,
    ...(resolution.override && {
      override: { reason: resolution.override.reason, contradiction: resolution.override.contradiction },
    }),
    evidence: {
      readAt: now.toISOString(),
      shown: digestOfShown(secondProof ?? nothingRead),
      objects: [...new Set(findings.flatMap(({ objects }) => objects.map((each) => each.id)))],
      statements: [...findings.map(searchedText), ...statements.map(({ text }) => text)],
    },
    consequences: [becomes, ...warnings],
    proposedBy,
    proposedAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + proposalHours * 3_600_000).toISOString(),
  };
  const written = await ports.proposals.insert(newProposal({ statement, signature: ports.key.sign(statement) }));
  return written.outcome === 'applied'
    ? ok(written.record)
    : refused('It is not known whether the proposal was written. Prepare it again; a proposal changes nothing.');
}
