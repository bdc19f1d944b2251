/**
 * The process that works on a record: the stable name of the instance and the random incarnation of its present boot.
 * Time never proves that an executor has ended (law 4); a superseded incarnation is evidence for an investigator,
 * nothing more.
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
 * What is known of the executor that a record names, the strongest first: `alive` (that very process, asked now, says
 * that the work is under way in it), `not_under_way` (asked now, it answers and is not at work on it), `stopped` (it
 * wrote its orderly end), `declared_gone` (a person recorded the proof), `superseded` (a later boot of its instance
 * began), `not_proven` (it does not answer; that proves nothing), `unknown` (no register names it).
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

/** Evidence about an executor, as it is shown; instants in ISO 8601. */
export interface ExecutorKnowledge {
  readonly state: ExecutorState;
  /** Its last sign of life: the answer, the last heartbeat in the register, or its start. */
  readonly lastHeardOf?: string | undefined;
  /** The recorded proof of a person that it is gone. */
  readonly declaredGone?: { readonly by: string; readonly at: string; readonly proof: string } | undefined;
  /** The process knows the outcome of the work, but the store has not accepted it. */
  readonly unrecorded?: { readonly since: string; readonly reason: string } | undefined;
}

/** Whether no evidence shows a running process: people must investigate. */
export function isInterrupted({ state }: Pick<ExecutorKnowledge, 'state'>): boolean {
  return state !== 'alive';
}

/** Where one boot of a service answers which work is under way in it. */
export function executorSubject({ service, incarnation }: Pick<Executor, 'service' | 'incarnation'>): string {
  return `executor.work.${service}.${incarnation}`;
}

/** Where a service tells how many rows of its outboxes wait. */
export function backlogSubject(service: string): string {
  return `outbox.backlog.${service}`;
}

/** Names a piece of work by its record. */
export function workKey(collection: string, id: string): string {
  return `${collection}/${id}`;
}

/** What is known of an executor in one sentence for people; `who` begins it. */
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
