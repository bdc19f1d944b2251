/**
 * The end of an investigation, recorded off-line (contracts §3): the proofs are checked and what would be written is shown
 * (`plan`), the second proof is read again, then one fenced write appends the resolution and the consequences follow (`record`). Nothing is performed. An
 * executor that wakes later loses its next write. A service hands in its record and the two consequences.
 */
import { describeExecutor, ok, refused, type Clock, type Result, type Revisioned } from '@platform/kernel';
import type { Draft } from '@platform/mongo';
import { lastPossibleSend, type PossiblySent } from '@platform/payment-provider';
import type { AskExecutors, ExecutorQuestion } from '../executors/ask-executors';
import { writeFenced, type DecidedCollection, type RetryPolicy } from '../record';
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

/** What is appended to the record: what was asked for, without the record's id, what was read, and when. */
export type ResolutionOf<Request extends Proofs> = Omit<Request, 'id' | 'override'> & {
  readonly at: Date;
  /** Absent where nothing was read. */
  readonly evidence?: ResolutionEvidence;
  readonly override?: RecordedOverride;
};

export interface Planned<Open, Request extends Proofs, Beside> {
  /** As it was read; the write names this revision. */
  readonly record: Open;
  /** Other records that were judged with it. */
  readonly beside: Beside;
  readonly resolution: ResolutionOf<Request>;
  readonly request: Request;
  /** What the provider shows and what executors and owners answer now, as it was judged; null where nothing is read. */
  readonly secondProof: SecondProof | null;
  /** What the investigator should know before saying yes. */
  readonly warnings: readonly string[];
}

export interface InvestigationPorts {
  readonly clock: Clock;
  /** Default: one try. */
  readonly retryPolicy?: RetryPolicy;
  /** The clock by which the provider may still act on a request that was sent then; default `clock`. */
  readonly providerNow?: (sentAt: Date) => Promise<Date>;
  /** Asks the processes that the record names; the off-line programs always do. */
  readonly askExecutors?: AskExecutors;
}

const once: RetryPolicy = { tries: 1, pause: () => Promise.resolve() };

/** What a service says of a kind of record of which an investigation may record the end. */
export interface InvestigationDeclaration<
  Ports extends InvestigationPorts,
  T extends Revisioned,
  Open extends T,
  Next extends Draft<T>,
  Request extends Proofs,
  Beside,
> {
  /** In texts: `operation`. */
  readonly noun: string;
  /** Who is proven to be stopped; default `executor`. */
  readonly executor?: string;
  /** The refusal when there is no such record. */
  readonly missing: string;
  /** The refusal of a lost race; default says to read the record again. */
  readonly changed?: string;
  readonly records: (ports: Ports) => DecidedCollection<T, Next>;
  /** Whether its outcome is not known. */
  readonly isOpen: (record: T) => record is Open;
  /** The refusal when the outcome is known. */
  readonly known: (record: T) => string;
  /** Reads what is judged with the record; a text refuses. */
  readonly beside: (ports: Ports, record: Open) => Promise<Result<Beside, string>>;
  /** The record's own refusals, after the first proof and before the second. */
  readonly refusal?: (record: Open, request: Request, beside: Beside) => string | null;
  /** The pieces of work that the record's executors may have under way; asked with the second proof. */
  readonly executors?: (record: Open) => readonly ExecutorQuestion[];
  /** Calls to the provider that the record holds, for the second proof. */
  readonly calls?: (record: Open) => readonly PossiblySent[];
  /** Those of them whose late effects matter; default all. */
  readonly open?: (record: Open) => readonly PossiblySent[];
  /**
   * Reads the second proof: at the plan and again at the moment of recording. Absent where no record of the provider
   * bears the outcome. A provider that cannot be read is a finding, and refuses.
   */
  readonly secondProof?: (ports: Ports, record: Open, request: Request, beside: Beside) => Promise<SecondProof>;
  /** The record's own warnings. */
  readonly warnings?: (record: Open, request: Request, beside: Beside) => readonly string[];
  /** Keeps the executor from what the fenced write alone does not keep it from; answers the record to write over. */
  readonly prepare?: (ports: Ports, planned: Planned<Open, Request, Beside>) => Promise<Result<Open, string>>;
  /** The end was decided by `prepare`, in another record; another process may let this one follow, and take it over. */
  readonly decidedBefore?: true;
  /** The two consequences: the record as it ends. */
  readonly resolve: (ports: Ports, record: Open, resolution: ResolutionOf<Request>) => Next | Promise<Next>;
  /** What follows once the end is written; each part may also be finished by a start-up sweep. */
  readonly follow?: (ports: Ports, resolved: T, planned: Planned<Open, Request, Beside>) => Promise<T | void>;
}

export interface Investigation<Ports, T, Open, Request extends Proofs, Beside> {
  readonly noun: string;
  /** Checks the proofs against the record and says what would be written; changes nothing. Throws StoreUnavailableError. */
  readonly plan: (ports: Ports, request: Request) => Promise<Result<Planned<Open, Request, Beside>, string>>;
  /** Writes what was planned. Refused when a record changed since it was read. Throws StoreUnavailableError. */
  readonly record: (ports: Ports, planned: Planned<Open, Request, Beside>) => Promise<Result<T, string>>;
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

/** What the executors answer of the first proof; a process that is at work contradicts it, whoever says otherwise. */
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

/** What is to be written in the light of the evidence now; by two people, only what is never decided still refuses. */
async function judge<Request extends Proofs>(
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
export function defineInvestigation<
  Ports extends InvestigationPorts,
  T extends Revisioned,
  Open extends T,
  Next extends Draft<T>,
  Request extends Proofs,
  Beside,
>(
  kind: InvestigationDeclaration<Ports, T, Open, Next, Request, Beside>,
): Investigation<Ports, T, Open, Request, Beside> {
  return {
    noun: kind.noun,
    async plan(ports, request) {
      const record = await kind.records(ports).findById(request.id);
      if (!record) return refused(kind.missing);
      if (!kind.isOpen(record)) return refused(kind.known(record));
      const unproven = proofRefusal(request, kind.executor) ?? overrideRefusal(request);
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
      return ok({ record, beside, request, ...judged.value, warnings });
    },
    async record(ports, asPlanned) {
      const { request, record: read, beside } = asPlanned;
      // Read again: what the provider shows may have changed while a person made up their mind.
      const open = kind.open?.(read) ?? kind.calls?.(read) ?? [];
      const judged = await judge(ports, request, open, kind.executors?.(read) ?? [], () =>
        kind.secondProof?.(ports, read, request, beside),
      );
      if (!judged.ok) return judged;
      const planned = { ...asPlanned, ...judged.value };
      const prepared = kind.prepare ? await kind.prepare(ports, planned) : ok(planned.record);
      if (!prepared.ok) return prepared;
      // Stamped now, not when it was planned: the trail takes resolutions in by their time.
      const resolution = { ...planned.resolution, at: ports.clock.now() };
      const next = await kind.resolve(ports, prepared.value, resolution);
      const written = await writeFenced<T, Next>(
        kind.records(ports),
        prepared.value,
        next,
        [],
        ports.retryPolicy ?? once,
      );
      if (written.kind === 'unknown')
        return refused(
          `It is not known whether the resolution was written (${written.reason}). Read the ${kind.noun} again.`,
        );
      const { record } = written;
      if (!record || (written.kind === 'lost' && !(kind.decidedBefore && holds(record, resolution))))
        return refused(
          kind.changed ?? `The ${kind.noun} has changed since it was read. Read it again and judge it again.`,
        );
      return ok((await kind.follow?.(ports, record, planned)) ?? record);
    },
  };
}

function holds(record: Revisioned, resolution: Omit<Proofs, 'id'> & { readonly outcome?: string }): boolean {
  const found = 'resolution' in record ? (record.resolution as typeof resolution | undefined) : undefined;
  return (
    found?.outcome === resolution.outcome &&
    found?.by === resolution.by &&
    found.executorStopped === resolution.executorStopped
  );
}
