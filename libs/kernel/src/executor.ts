/**
 * The process that works on a record: the stable name of the instance and the random incarnation of its current boot.
 * Elapsed time never proves that an executor has ended (law 4); a superseded incarnation is only evidence for an
 * investigator.
 */
export interface Executor {
  readonly service: string;
  /** Configured name, unique among live replicas. */
  readonly instance: string;
  /** Random per boot. */
  readonly incarnation: string;
}

export function sameExecutor(a: Executor, b: Executor): boolean {
  return a.service === b.service && a.instance === b.instance && a.incarnation === b.incarnation;
}

/**
 * What is known of the executor that a record names, the strongest first: `alive` (that very process, asked now,
 * confirms that it is doing the work), `not_under_way` (asked now, it answers and is not doing the work), `stopped` (it
 * recorded its orderly end), `declared_gone` (a person recorded the proof), `superseded` (a later boot of its instance
 * began), `not_proven` (it does not answer; that proves nothing), `unknown` (no register has it).
 */
export const executorStates = [
  'alive',
  'not_under_way',
  'stopped',
  'declared_gone',
  'superseded',
  'not_proven',
  'unknown',
] as const;
export type ExecutorState = (typeof executorStates)[number];

/** Evidence about an executor, in the form that is shown; instants in ISO 8601. */
export interface ExecutorKnowledge {
  readonly state: ExecutorState;
  /** The executor's last sign of life: the answer, the last heartbeat in the register, or its start. */
  readonly lastHeardOf?: string | undefined;
  /** A person's recorded proof that it is gone. */
  readonly declaredGone?: { readonly by: string; readonly at: string; readonly proof: string } | undefined;
  /** The process knows the outcome of the work, but the store has not accepted it. */
  readonly unrecorded?: { readonly since: string; readonly reason: string } | undefined;
}

/** Whether no evidence shows a running process, so that people must investigate. */
export function isInterrupted({ state }: Pick<ExecutorKnowledge, 'state'>): boolean {
  return state !== 'alive';
}

/** The subject at which one boot of a service answers which work it is doing. */
export function executorSubject({ service, incarnation }: Pick<Executor, 'service' | 'incarnation'>): string {
  return `executor.work.${service}.${incarnation}`;
}

/** The subject at which a service reports how many rows of its outboxes wait. */
export function backlogSubject(service: string): string {
  return `outbox.backlog.${service}`;
}

/** Identifies a piece of work by its record. */
export function workKey(collection: string, id: string): string {
  return `${collection}/${id}`;
}

/** What is known of an executor in one sentence for people, which begins with `who`. */
export function describeExecutor(
  who: string,
  { state, lastHeardOf, declaredGone, unrecorded }: ExecutorKnowledge,
): string {
  const heard = lastHeardOf === undefined ? '' : ` It was last heard of at ${lastHeardOf}.`;
  switch (state) {
    case 'alive':
      return unrecorded
        ? `${who} answered just now: it knows the outcome, and the store has not accepted it since ${unrecorded.since} (${unrecorded.reason}). It keeps trying.`
        : `${who} answered just now: the work is under way in it.`;
    case 'not_under_way':
      return `${who} answered just now: the work is not under way in it. A call that it had sent may still be executed by the provider.`;
    case 'stopped':
      return `${who} has ended in order. A call that it had sent may still be executed by the provider.`;
    case 'declared_gone':
      return `${who} was declared gone by ${declaredGone?.by} at ${declaredGone?.at}: “${declaredGone?.proof}”. A call that it had sent may still be executed by the provider.`;
    case 'superseded':
      return `${who} was replaced by a later boot of its instance and does not answer.${heard} Prove that the old process is gone.`;
    case 'not_proven':
      return `${who} does not answer.${heard} Silence proves nothing: prove that the process is gone.`;
    case 'unknown':
      return `Nothing is known of ${who}: no register names it.`;
  }
}
