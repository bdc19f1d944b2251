/**
 * The reading half of an investigation: the proofs are checked against the record, its executors are asked, the second
 * proof is read, and the result is a plan of the write. It writes nothing, so a serving program may contain it.
 */
import { describeExecutor, ok, refused, type Clock, type Result, type Revisioned } from '@platform/kernel';
import { lastPossibleSend, type PossiblySent } from '@platform/payment-provider';
import type { AskExecutors, ExecutorQuestion } from '../executors/ask-executors';
import type { RetryPolicy } from '../record';
import { objectRefusal, overrideRefusal, proofRefusal, sentWarnings, type OutcomeProofs, type Proofs } from './proofs';
import type { Override, RecordedOverride, ResolutionEvidence } from './resolution';
import {
  evidenceOfResolution,
  evidenceRefusal,
  refusalText,
  type EvidenceRefusal,
  type SecondProof,
  type Statement,
} from './second-proof';

/** What is appended to the record: the request without the record's id, what was read, and when. */
export type ResolutionOf<Request extends Proofs> = Omit<Request, 'id' | 'override'> & {
  readonly at: Date;
  /** Absent where nothing was read. */
  readonly evidence?: ResolutionEvidence;
  readonly override?: RecordedOverride;
};

export interface Planned<Open, Request extends Proofs, Beside> {
  /** The record as read; the write names this revision. */
  readonly record: Open;
  /** The revision that another person must find unchanged to apply a proposal. */
  readonly revision: string;
  /** Other records that were judged together with it. */
  readonly beside: Beside;
  readonly resolution: ResolutionOf<Request>;
  readonly request: Request;
  /** What the provider shows and what executors and owners answered, as it was judged; null where nothing is read. */
  readonly secondProof: SecondProof | null;
  /** What the investigator should know before confirming. */
  readonly warnings: readonly string[];
}

export interface InvestigationPorts {
  readonly clock: Clock;
  /** Default: no retries. */
  readonly retryPolicy?: RetryPolicy;
  /** The clock by which the provider may still act on a request that was sent at `sentAt`; default `clock`. */
  readonly providerNow?: (sentAt: Date) => Promise<Date>;
  /** Asks the processes that the record names; the off-line programs always do. */
  readonly askExecutors?: AskExecutors;
}

/** The part of a service's declaration of an investigated kind of record that only reads. */
export interface ResolutionReading<
  Ports extends InvestigationPorts,
  T extends Revisioned,
  Open extends T,
  Request extends Proofs,
  Beside,
> {
  /** The name in texts: `operation`. */
  readonly noun: string;
  /** The field of the executor that is proven to be stopped; default `executor`. */
  readonly executor?: string;
  /** What another person must find unchanged to apply a proposal; default: the revision of the write. */
  readonly revisionOf?: (record: Open) => string;
  /** The refusal when there is no such record. */
  readonly missing: string;
  readonly records: (ports: Ports) => { findById(id: string): Promise<T | null> };
  /** Whether the record's outcome is unknown. */
  readonly isOpen: (record: T) => record is Open;
  /** The refusal when the outcome is known. */
  readonly known: (record: T) => string;
  /** Reads the records that are judged together with it; a text refuses. */
  readonly beside: (ports: Ports, record: Open) => Promise<Result<Beside, string>>;
  /** The refusals of this kind of record, after the first proof and before the second. */
  readonly refusal?: (record: Open, request: Request, beside: Beside) => string | null;
  /** The work that the record's executors may be doing; they are asked together with the second proof. */
  readonly executors?: (record: Open) => readonly ExecutorQuestion[];
  /** The calls to the provider in the record, for the second proof. */
  readonly calls?: (record: Open) => readonly PossiblySent[];
  /** The calls whose late effects matter; default all. */
  readonly open?: (record: Open) => readonly PossiblySent[];
  /**
   * Reads the second proof: for the plan and again when it is recorded. Absent where no object of the provider supports
   * the outcome. A provider that cannot be read is a finding, and refuses.
   */
  readonly secondProof?: (ports: Ports, record: Open, request: Request, beside: Beside) => Promise<SecondProof>;
  /** The warnings of this kind of record. */
  readonly warnings?: (record: Open, request: Request, beside: Beside) => readonly string[];
}

type Asked = Proofs & { readonly outcome?: OutcomeProofs['outcome']; readonly providerObject?: string | null } & {
  readonly override?: Override;
};

function resolutionOf<Request extends Proofs>(
  request: Request,
  at: Date,
  proof: SecondProof | null,
  refusal: EvidenceRefusal | null,
): ResolutionOf<Request> {
  const { id: _named, override, ...said } = request as Request & Asked;
  return {
    ...said,
    executorStopped: request.executorStopped.trim(),
    at,
    ...(proof && wasRead(proof) && { evidence: evidenceOfResolution(proof, at) }),
    ...(refusal &&
      override && {
        override: {
          reason: override.reason.trim(),
          proposedBy: request.by,
          approvedBy: override.approvedBy,
          contradiction: refusalText(refusal),
        },
      }),
  } as ResolutionOf<Request>;
}

const wasRead = ({ findings, statements = [] }: SecondProof): boolean => findings.length + statements.length > 0;

interface Judged<Request extends Proofs> {
  readonly secondProof: SecondProof | null;
  readonly resolution: ResolutionOf<Request>;
}

/**
 * The executors' answers about the first proof; a process that is doing the work contradicts it, whatever a person
 * states.
 */
async function hearExecutors(
  { askExecutors, clock }: InvestigationPorts,
  questions: readonly ExecutorQuestion[],
): Promise<Result<readonly Statement[], string>> {
  if (!askExecutors || questions.length === 0) return ok([]);
  const known = await askExecutors(questions);
  const readAt = clock.now();
  const statements = questions.map(({ executor: { instance, incarnation } }, at) => ({
    text: describeExecutor(`${instance} (${incarnation})`, known[at]!),
    readAt,
  }));
  const working = statements.filter((_each, at) => known[at]!.state === 'alive');
  return working.length === 0
    ? ok(statements)
    : refused(
        `resolution_contradicted: ${working.map(({ text }) => text).join(' ')} Wait for its outcome, or end that process and look again.`,
      );
}

/**
 * What may be written given the current evidence; when two people override it, only what can never be overridden still
 * refuses.
 */
export async function judge<Request extends Proofs>(
  ports: InvestigationPorts,
  request: Request,
  calls: readonly PossiblySent[],
  questions: readonly ExecutorQuestion[],
  read: () => Promise<SecondProof> | undefined,
): Promise<Result<Judged<Request>, string>> {
  const { outcome, providerObject = null, override }: Asked = request;
  const heard = await hearExecutors(ports, questions);
  if (!heard.ok) return heard;
  const shown = (await read()) ?? null;
  const proof: SecondProof | null =
    shown || heard.value.length > 0
      ? { findings: [], ...shown, statements: [...heard.value, ...(shown?.statements ?? [])] }
      : null;
  const judged = (refusal: EvidenceRefusal | null) =>
    ok({ secondProof: proof, resolution: resolutionOf(request, ports.clock.now(), proof, refusal) });
  if (!shown || outcome === undefined) return judged(null);
  const lastSentAt = lastPossibleSend(calls);
  const now = lastSentAt && ports.providerNow ? await ports.providerNow(lastSentAt) : ports.clock.now();
  const refusal = evidenceRefusal({ outcome, providerObject }, shown, calls, now);
  return refusal && !(override && refusal.overridable) ? refused(refusalText(refusal)) : judged(refusal);
}

/** The type arguments are inferred from the declaration. */
export function defineReading<
  Ports extends InvestigationPorts,
  T extends Revisioned,
  Open extends T,
  Request extends Proofs,
  Beside,
>(reading: ResolutionReading<Ports, T, Open, Request, Beside>): ResolutionReading<Ports, T, Open, Request, Beside> {
  return reading;
}

/**
 * Checks the proofs against the record and returns the planned write; changes nothing. With `later`, the second person
 * of an override is not known yet, as in a proposal. Throws StoreUnavailableError.
 */
export async function planResolution<
  Ports extends InvestigationPorts,
  T extends Revisioned,
  Open extends T,
  Request extends Proofs,
  Beside,
>(
  kind: ResolutionReading<Ports, T, Open, Request, Beside>,
  ports: Ports,
  request: Request,
  secondPerson: 'named' | 'later' = 'named',
): Promise<Result<Planned<Open, Request, Beside>, string>> {
  const record = await kind.records(ports).findById(request.id);
  if (!record) return refused(kind.missing);
  if (!kind.isOpen(record)) return refused(kind.known(record));
  const unproven = proofRefusal(request, kind.executor) ?? overrideRefusal(request, secondPerson);
  if (unproven !== null) return refused(unproven);
  const read = await kind.beside(ports, record);
  if (!read.ok) return read;
  const beside = read.value;
  const calls = kind.calls?.(record) ?? [];
  const refusal = kind.refusal?.(record, request, beside) ?? objectRefusal(request, calls);
  if (refusal !== null) return refused(refusal);
  const open = kind.open?.(record) ?? calls;
  const judged = await judge(ports, request, open, kind.executors?.(record) ?? [], () =>
    kind.secondProof?.(ports, record, request, beside),
  );
  if (!judged.ok) return judged;
  const warnings = [...sentWarnings(request, open), ...(kind.warnings?.(record, request, beside) ?? [])];
  const revision = kind.revisionOf?.(record) ?? record.revision;
  return ok({ record, revision, beside, request, ...judged.value, warnings });
}
