/** What a proposal says of a record: the resolution as the off-line program would judge it now. It writes nothing. */
import { ok, type Result, type Revisioned } from '@platform/kernel';
import { planResolution, type InvestigationPorts, type ResolutionReading } from './plan';
import type { OutcomeProofs } from './proofs';
import { digestOfShown, searchedText, type SecondProof } from './second-proof';

export interface Judged {
  readonly tenantId: string | null;
  readonly revision: string;
  readonly evidence: {
    /** SHA-256 over what the provider showed. */
    readonly shown: string;
    readonly objects: readonly string[];
    /** Searches and answers, in sentences. */
    readonly statements: readonly string[];
  };
  /** The refusal that two people would override. */
  readonly contradiction?: string;
  /** The consequences for the record, and notes for the investigator. */
  readonly consequences: readonly string[];
}

/** The proposed proofs; `override` is only the reason, because the second person is known later. */
export interface ProposedProofs extends Omit<OutcomeProofs, 'override' | 'proposal'> {
  readonly override?: string | undefined;
}

export interface ProposedReading<
  Ports extends InvestigationPorts,
  T extends Revisioned,
  Open extends T,
  Request extends OutcomeProofs,
  Beside,
> {
  readonly reading: ResolutionReading<Ports, T, Open, Request, Beside>;
  readonly tenantOf: (record: Open) => string | null;
  /** The consequence, in one sentence. */
  readonly becomes: (proofs: OutcomeProofs) => string;
}

const nothingRead: SecondProof = { findings: [] };

/** The refusal is the text of the off-line program. Throws StoreUnavailableError. */
export async function judgeProposed<
  Ports extends InvestigationPorts,
  T extends Revisioned,
  Open extends T,
  Request extends OutcomeProofs,
  Beside,
>(
  { reading, tenantOf, becomes }: ProposedReading<Ports, T, Open, Request, Beside>,
  ports: Ports,
  { override: reason, ...said }: ProposedProofs,
): Promise<Result<Judged, string>> {
  const proofs: OutcomeProofs = { ...said, ...(reason !== undefined && { override: { reason, approvedBy: '' } }) };
  const planned = await planResolution(reading, ports, proofs as Request, 'later');
  if (!planned.ok) return planned;
  const { record, revision, secondProof, warnings, resolution } = planned.value;
  const { findings, statements = [] } = secondProof ?? nothingRead;
  return ok({
    tenantId: tenantOf(record),
    revision,
    evidence: {
      shown: digestOfShown(secondProof ?? nothingRead),
      objects: [...new Set(findings.flatMap(({ objects }) => objects.map((each) => each.id)))],
      statements: [...findings.map(searchedText), ...statements.map(({ text }) => text)],
    },
    ...(resolution.override && { contradiction: resolution.override.contradiction }),
    consequences: [becomes(proofs), ...warnings],
  });
}
