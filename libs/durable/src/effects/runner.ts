/**
 * Provider calls on behalf of a record, by the one executor that holds it. A call is recorded before it is sent (law
 * 1), sent once, classified by the adapter (law 2), and its evidence goes into the next write. An unknown outcome stops
 * the record, with an alert in the same write (law 3). An executor that lost the record stops.
 */
import { alertEntry, type Clock, type Log, type OutboxEntry, type Revisioned } from '@platform/kernel';
import type { Draft } from '@platform/mongo';
import type { PreparedCall } from '@platform/payment-provider';
import type { DecidedCollection } from '../record/collections';
import { writeFenced, type RetryPolicy, type Written } from '../record/write-fenced';
import type { AnswerRecord, SentCall } from './journal';

/** An executor's hold on one record: the record as stored, and with what the executor has learnt since. */
export interface Hold<T extends Revisioned, Working extends T> {
  readonly stored: T;
  readonly working: Working;
}

/** Why an attempt ends; `detail` contains values for a caller. */
export interface EffectError {
  readonly code: string;
  readonly message: string;
  readonly detail?: Readonly<Record<string, string>>;
}

/** How one kind of record stores the answers to its recorded calls, and stops. Pure. */
interface AnswerJournal<T extends Revisioned, Working extends T, Next extends Draft<T>> {
  /** Kind of the record in its alerts. */
  readonly kind: string;
  withAnswer(working: Working, evidence: AnswerRecord): Working;
  stopped(working: Working, error: EffectError, now: Date): Next;
  tenantOf(working: Working): string;
  /** Distinguishes the alerts of one record; the same value for the same stop. */
  alertTurn(working: Working, error: EffectError): string;
}

/** How it also records a call by a write of its own. Pure. */
interface EffectJournal<T extends Revisioned, Working extends T, Next extends Draft<T>> extends AnswerJournal<
  T,
  Working,
  Next
> {
  withCall(working: Working, call: SentCall): Working;
  draft(working: Working): Next;
}

/** For records whose calls are all recorded by the writes that admit their executors. */
export interface AnswerPorts<T extends Revisioned, Working extends T, Next extends Draft<T>> {
  readonly records: DecidedCollection<T, Next>;
  readonly journal: AnswerJournal<T, Working, Next>;
  readonly retryPolicy: RetryPolicy;
  readonly clock: Clock;
  /** Name of this service, in alerts. */
  readonly service: string;
  /** Publishes fresh outbox entries at once; the relay's sweep covers what this misses. */
  readonly publishNow: (recordId: string, entries: readonly OutboxEntry[]) => void;
  /** Logs one line for each step of a record's life; absent: nothing is logged. */
  readonly log?: Log;
  /** Counts the answers of the provider. */
  readonly answered: (step: string, outcome: string) => void;
}

export interface EffectPorts<T extends Revisioned, Working extends T, Next extends Draft<T>> extends AnswerPorts<
  T,
  Working,
  Next
> {
  readonly journal: EffectJournal<T, Working, Next>;
}

type Answered<T extends Revisioned, Working extends T, Value> =
  | { readonly kind: 'succeeded'; readonly hold: Hold<T, Working>; readonly value: Value }
  /** Proven: the effect did not and will not happen. */
  | { readonly kind: 'failed'; readonly hold: Hold<T, Working>; readonly error: EffectError }
  /** The outcome is unknown. The record must be stopped. */
  | { readonly kind: 'unknown'; readonly hold: Hold<T, Working>; readonly error: EffectError };

export type Called<T extends Revisioned, Working extends T, Value> =
  | Answered<T, Working, Value>
  /** Another writer holds the record; nothing was sent. */
  | { readonly kind: 'lost'; readonly record: T | null }
  /** The call could not be recorded, so it was not sent. */
  | { readonly kind: 'not_sent'; readonly reason: string };

/** The record of a call before it is sent. */
export function callRecord(call: PreparedCall<unknown>, now: Date): SentCall {
  return { ...call.description, sentAt: now };
}

/** Writes a draft over the held record by a fenced write, and publishes its announcements at once. */
export async function writeHeld<T extends Revisioned, Working extends T, Next extends Draft<T>>(
  ports: AnswerPorts<T, Working, Next>,
  { stored }: Pick<Hold<T, Working>, 'stored'>,
  next: Next,
  announce: readonly OutboxEntry[] = [],
): Promise<Written<T>> {
  const written = await writeFenced(ports.records, stored, next, announce, ports.retryPolicy);
  if (written.kind === 'written' && announce.length > 0) ports.publishNow(stored._id, announce);
  return written;
}

/**
 * Records the call, sends it once and adds its evidence. `recorded`: the write that admitted the executor already
 * contains the call.
 */
export async function callProvider<T extends Revisioned, Working extends T, Next extends Draft<T>, Value>(
  ports: EffectPorts<T, Working, Next>,
  held: Hold<T, Working>,
  call: PreparedCall<Value>,
  recorded = false,
): Promise<Called<T, Working, Value>> {
  const { journal } = ports;
  let { stored, working } = held;
  if (!recorded) {
    const next = journal.draft(journal.withCall(working, callRecord(call, ports.clock.now())));
    const written = await writeHeld(ports, held, next);
    if (written.kind === 'unknown') return { kind: 'not_sent', reason: written.reason };
    if (written.kind === 'lost') return { kind: 'lost', record: written.record };
    stored = working = written.record as Working;
  }
  return sendRecorded(ports, { stored, working }, call);
}

/** Sends a call that is recorded already, once, and adds its evidence. */
export async function sendRecorded<T extends Revisioned, Working extends T, Next extends Draft<T>, Value>(
  ports: AnswerPorts<T, Working, Next>,
  { stored, working }: Hold<T, Working>,
  call: PreparedCall<Value>,
): Promise<Answered<T, Working, Value>> {
  const { journal } = ports;
  const { step } = call.description;
  const about = { kind: journal.kind, id: stored._id, tenantId: journal.tenantOf(working), step };
  ports.log?.info(about, 'a call is sent to the provider');
  const answer = await call.send();
  ports.answered(step, answer.outcome);
  const { requestId, httpStatus } = answer.evidence;
  const known = { ...about, outcome: answer.outcome, requestId, httpStatus };
  if (answer.outcome === 'unknown') ports.log?.warn(known, 'the answer of the provider is not known');
  else ports.log?.info(known, 'the provider has answered');
  const hold = { stored, working: journal.withAnswer(working, { ...answer.evidence, outcome: answer.outcome }) };
  switch (answer.outcome) {
    case 'succeeded':
      return { kind: 'succeeded', hold, value: answer.value };
    case 'failed': {
      const { code, message, detail } = answer;
      return { kind: 'failed', hold, error: { code, message, ...(detail && { detail }) } };
    }
    case 'unknown': {
      const message = `The outcome of ${step.replaceAll('_', ' ')} is not known: ${answer.reason}`;
      return { kind: 'unknown', hold, error: { code: 'outcome_unknown', message } };
    }
  }
}

/** Law 3: the record stops with everything that is known, and the same write alerts people. */
export async function stopHeld<T extends Revisioned, Working extends T, Next extends Draft<T>>(
  ports: AnswerPorts<T, Working, Next>,
  hold: Hold<T, Working>,
  error: EffectError,
): Promise<Written<T>> {
  const { journal, service } = ports;
  const { working } = hold;
  const at = ports.clock.now();
  const alert = alertEntry(
    {
      service,
      kind: journal.kind,
      id: working._id,
      tenantId: journal.tenantOf(working),
      reason: error.message,
      at,
    },
    journal.alertTurn(working, error),
  );
  const about = { kind: journal.kind, id: working._id, tenantId: journal.tenantOf(working) };
  ports.log?.warn({ ...about, reason: error.message }, 'it stops; people must find out');
  return writeHeld(ports, hold, journal.stopped(working, error, at), [alert]);
}
