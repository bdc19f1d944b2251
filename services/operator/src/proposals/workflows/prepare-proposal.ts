/**
 * Prepares a proposal: judges it exactly as the off-line program will, with the current evidence, and signs what was
 * read. A proposal that the evidence contradicts is refused here already. It writes a proposal and does not change the
 * record.
 */
import {
  judgedAnswerSchema,
  judgedRequests,
  proposalFormat,
  type ProposalStatement,
  type ProposedKind,
} from '@platform/contracts-provisioning';
import { judgeProposed, type Judged, type OutcomeProofs, type ProposedProofs } from '@platform/durable/investigation';
import type { CheckedCollection } from '@platform/durable/record';
import type { Person } from '@platform/durable/signed-proposal';
import { ok, refused, type Ids, type Result, type SigningKey } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { itemBecomes, itemReading, type ItemReadingPorts } from '../../migrations/workflows/read-item-resolution';
import {
  operationBecomes,
  operationReading,
  type OperationReadingPorts,
} from '../../operations/workflows/read-resolution';
import { newProposal, proposalHours, type Proposal } from '../domain/proposal';

export interface ProposingPorts extends OperationReadingPorts, ItemReadingPorts {
  readonly proposals: CheckedCollection<Proposal>;
  /** Asks the owners of creations and events. */
  readonly messaging: Pick<Messaging, 'request'>;
  readonly ids: Ids;
  readonly key: SigningKey;
}

export interface ProposalRequest {
  readonly kind: ProposedKind;
  readonly id: string;
  readonly executorStopped: string;
  readonly outcome: OutcomeProofs['outcome'];
  readonly providerObject: string | null;
  /** The reason to record an outcome against the evidence. */
  readonly override?: string;
}

/** The owner reads the provider before it answers, so this is longer than other waits. */
const judgementMs = 20_000;

/** The judgement by the reading half of the investigation, here or at the service that owns the record. */
async function judge(
  ports: ProposingPorts,
  kind: ProposedKind,
  proposed: ProposedProofs,
): Promise<Result<Judged, string>> {
  switch (kind) {
    case 'operation':
      return judgeProposed(
        { reading: operationReading, tenantOf: ({ tenantId }) => tenantId, becomes: operationBecomes },
        ports,
        proposed,
      );
    case 'migration_item':
      return judgeProposed(
        { reading: itemReading, tenantOf: ({ tenantId }) => tenantId, becomes: itemBecomes },
        ports,
        proposed,
      );
    case 'provisioning_attempt':
    case 'deletion':
    case 'webhook_event':
    case 'event_admission':
      return askOwner(ports, judgedRequests[kind], proposed);
  }
}

async function askOwner(
  { messaging }: ProposingPorts,
  subject: string,
  proposed: ProposedProofs,
): Promise<Result<Judged, string>> {
  const answer = await messaging.request(subject, { ...proposed }, judgementMs);
  const decoded = answer.ok ? judgedAnswerSchema.safeParse(answer.value) : null;
  if (!decoded?.success)
    return refused(
      'evidence_unavailable: The service that owns this record does not answer now. Nothing was prepared; try again when it does.',
    );
  if ('refused' in decoded.data) return refused(decoded.data.refused);
  const { contradiction, ...judged } = decoded.data.judged;
  return ok({ ...judged, ...(contradiction !== undefined && { contradiction }) });
}

/**
 * The refusal is the text of the off-line program; a refusal by evidence begins with its code. Throws
 * StoreUnavailableError.
 */
export async function prepareProposal(
  ports: ProposingPorts,
  { kind, id, override: reason, ...said }: ProposalRequest,
  proposedBy: Person,
): Promise<Result<Proposal, string>> {
  const proposed = { id, ...said, by: proposedBy.email, ...(reason !== undefined && { override: reason }) };
  const judged = await judge(ports, kind, proposed);
  if (!judged.ok) return judged;
  const { tenantId, revision, evidence, contradiction, consequences } = judged.value;
  const now = ports.clock.now();
  const statement: ProposalStatement = {
    format: proposalFormat,
    proposalId: ports.ids.next(),
    kind,
    itemId: id,
    tenantId,
    revision,
    ...said,
    ...(reason !== undefined && contradiction !== undefined && { override: { reason: reason.trim(), contradiction } }),
    evidence: {
      readAt: now.toISOString(),
      shown: evidence.shown,
      objects: [...evidence.objects],
      statements: [...evidence.statements],
    },
    consequences: [...consequences],
    proposedBy,
    proposedAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + proposalHours * 3_600_000).toISOString(),
  };
  const written = await ports.proposals.insert(newProposal({ statement, signature: ports.key.sign(statement) }));
  return written.outcome === 'applied'
    ? ok(written.record)
    : refused('It is not known whether the proposal was written. Prepare it again; a proposal changes nothing.');
}
