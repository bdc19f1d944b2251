/**
 * The end of an investigation, recorded off-line (contracts §3): the write is planned, the second proof is read again,
 * then one fenced write appends the resolution and the consequences follow. No effect is performed. An executor that
 * resumes later loses its next write. A service supplies its record and the two consequences.
 */
import { ok, refused, type Result, type Revisioned } from '@platform/kernel';
import type { Draft } from '@platform/mongo';
import { writeFenced, type DecidedCollection, type RetryPolicy } from '../record';
import {
  judge,
  planResolution,
  type InvestigationPorts,
  type Planned,
  type ResolutionOf,
  type ResolutionReading,
} from './plan';
import type { Proofs } from './proofs';

export type { InvestigationPorts, Planned, ResolutionOf } from './plan';

const once: RetryPolicy = { tries: 1, pause: () => Promise.resolve() };

/** A service's declaration of a kind of record whose investigation can be ended. */
export interface InvestigationDeclaration<
  Ports extends InvestigationPorts,
  T extends Revisioned,
  Open extends T,
  Next extends Draft<T>,
  Request extends Proofs,
  Beside,
> extends ResolutionReading<Ports, T, Open, Request, Beside> {
  /** The message when the race is lost; the default asks the person to read the record again. */
  readonly changed?: string;
  readonly records: (ports: Ports) => DecidedCollection<T, Next>;
  /** Fences the executor from writes that the fenced write alone does not prevent; returns the record to write over. */
  readonly prepare?: (ports: Ports, planned: Planned<Open, Request, Beside>) => Promise<Result<Open, string>>;
  /**
   * Set when `prepare` has decided the end in another record: another process may then write the consequence here
   * first, which counts as this one's.
   */
  readonly decidedBefore?: true;
  /** The two consequences: the record after each outcome. */
  readonly resolve: (ports: Ports, record: Open, resolution: ResolutionOf<Request>) => Next | Promise<Next>;
  /** What follows after the end was written; a start-up sweep can also complete each part. */
  readonly follow?: (ports: Ports, resolved: T, planned: Planned<Open, Request, Beside>) => Promise<T | void>;
}

export interface Investigation<Ports, T, Open, Request extends Proofs, Beside> {
  readonly noun: string;
  /**
   * Checks the proofs against the record and returns the planned write; changes nothing. Throws StoreUnavailableError.
   */
  readonly plan: (ports: Ports, request: Request) => Promise<Result<Planned<Open, Request, Beside>, string>>;
  /** Writes the plan. Refused when a record has changed since it was read. Throws StoreUnavailableError. */
  readonly record: (ports: Ports, planned: Planned<Open, Request, Beside>) => Promise<Result<T, string>>;
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
    plan: (ports, request) => planResolution(kind, ports, request),
    async record(ports, asPlanned) {
      const { request, record: read, beside } = asPlanned;
      // Read again, because the provider's state may have changed while the person decided.
      const open = kind.open?.(read) ?? kind.calls?.(read) ?? [];
      const judged = await judge(ports, request, open, kind.executors?.(read) ?? [], () =>
        kind.secondProof?.(ports, read, request, beside),
      );
      if (!judged.ok) return judged;
      const planned = { ...asPlanned, ...judged.value };
      const prepared = kind.prepare ? await kind.prepare(ports, planned) : ok(planned.record);
      if (!prepared.ok) return prepared;
      // Stamped at the write and not at the plan: the trail adds resolutions by their time.
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
