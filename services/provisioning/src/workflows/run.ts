/**
 * One executor's work on one attempt: the stored record, the same record with later answers, and the only ways to
 * continue: write, call the provider, or stop. Every step returns either undefined (continue) or the end.
 */
import type { CreateWorkspace, CreationRefusalCode } from '@platform/contracts-provisioning';
import { callProvider as callHeld, stopHeld, writeHeld, type EffectPorts, type Hold } from '@platform/durable/effects';
import type { Written } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import type { PreparedCall } from '@platform/payment-provider';
import { attemptSteps, isOpen, type Attempt, type AttemptError, type OpenAttempt } from '../domain/attempt';
import { answerCall, recordCall, stop } from '../domain/progress';
import type { ProvisioningPorts } from './ports';

export type CreationAnswer =
  | { readonly kind: 'committed'; readonly attempt: Attempt }
  /** All records are kept: unpaid, unknown, or stopped. */
  | { readonly kind: 'unresolved'; readonly attempt: Attempt }
  | { readonly kind: 'refused'; readonly code: CreationRefusalCode; readonly message: string };

type AttemptHold = Hold<Attempt, OpenAttempt>;

/** Creations as the shared effect runner sees them. */
function effectsOf(ports: ProvisioningPorts): EffectPorts<Attempt, OpenAttempt, Checked<Attempt>> {
  return {
    records: ports.attempts,
    retryPolicy: ports.retryPolicy,
    clock: ports.clock,
    log: ports.log,
    service: ports.executor.service,
    publishNow: (attemptId, entries) => ports.publishNow('attempts', attemptId, entries),
    answered: (step, outcome) => ports.meter.providerAnswered(step, outcome),
    journal: {
      kind: 'provisioning_attempt',
      withCall: recordCall,
      withAnswer: answerCall,
      draft: (attempt) => attemptSteps.keep<OpenAttempt>(attempt, {}),
      stopped: stop,
      tenantOf: ({ tenantId }) => tenantId,
      alertTurn: (_attempt, { code }) => code,
    },
  };
}

/** The run of a creation, or of a later rollback, which has no request because requests are not stored. */
export interface Run {
  readonly ports: ProvisioningPorts;
  /** The provider has shown that the subscription has ended, so that there is none to cancel. */
  readonly subscriptionEnded?: true;
  /** The first invoice, where a person could still pay it: it is voided before anything is removed. */
  readonly payableInvoice?: string;
  stored: Attempt;
  /** The stored record with what was learnt since; the next write stores it. */
  attempt: OpenAttempt;
}

export interface CreationRun extends Run {
  readonly request: CreateWorkspace;
}

function holdOf({ stored, attempt }: Run): AttemptHold {
  return { stored, working: attempt };
}

export type Step = (run: CreationRun) => Promise<CreationAnswer | undefined>;

export function refuseCreation(code: CreationRefusalCode, message: string): CreationAnswer {
  return { kind: 'refused', code, message };
}

const refusalCodes: ReadonlySet<string | undefined> = new Set<CreationRefusalCode>([
  'capacity_exhausted',
  'card_declined',
  'authentication_required',
  'confirmation_expired',
  'provider_refused',
  'provider_unavailable',
]);

/** The answer to a caller, from the record. */
export function answerOf(attempt: Attempt): CreationAnswer {
  if (attempt.status === 'committed') return { kind: 'committed', attempt };
  if (attempt.status !== 'cancelled') return { kind: 'unresolved', attempt };
  const { code, message = 'The creation was taken back.' } = attempt.lastError ?? {};
  return refuseCreation(refusalCodes.has(code) ? (code as CreationRefusalCode) : 'provider_refused', message);
}

/** Writes the answers received, or another draft; an executor that lost the race stops. */
export async function save(
  run: Run,
  next: Checked<Attempt> = attemptSteps.keep<OpenAttempt>(run.attempt, {}),
): Promise<CreationAnswer | undefined> {
  return taken(run, await writeHeld(effectsOf(run.ports), holdOf(run), next));
}

/** Continues after a write, or ends the run when the write did not win. */
function taken(run: Run, written: Written<Attempt>): CreationAnswer | undefined {
  if (written.kind === 'unknown') return open(run);
  if (written.kind === 'lost') return lost(run, written.record);
  run.stored = written.record;
  if (isOpen(written.record)) run.attempt = written.record;
  return undefined;
}

/**
 * The record cannot be written, or has disappeared. What was sent before stays at the provider, so this is no refusal:
 * a person who asked again would pay a second time.
 */
const open = ({ stored }: Run): CreationAnswer => ({ kind: 'unresolved', attempt: stored });

function lost(run: Run, record: Attempt | null): CreationAnswer {
  return record ? answerOf(record) : open(run);
}

/** Law 3: all records stay, people are alerted, no call is repeated. */
export async function stopRun(run: Run, error: AttemptError): Promise<CreationAnswer> {
  const { ports } = run;
  const end = taken(run, await stopHeld(effectsOf(ports), holdOf(run), error));
  if (end) return end;
  ports.meter.attemptReached('reconciliation_required');
  return { kind: 'unresolved', attempt: run.stored };
}

export type Called<T> =
  | { readonly kind: 'succeeded'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: AttemptError }
  | { readonly kind: 'ended'; readonly answer: CreationAnswer };

/**
 * Sends a call with the shared effect runner until the provider accepts it. After an answer which proves that the
 * provider did not execute the call (a rate limit, a refused connection), the same call is sent again, at most `tries`
 * times. Each send is recorded. An unknown outcome stops the run.
 */
export async function callProvider<T>(run: Run, prepare: () => PreparedCall<T>, tries: number): Promise<Called<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const called = await callOnce(run, prepare());
    const again = called.kind === 'failed' && called.error.code === 'provider_unavailable' && attempt < tries;
    if (!again) return called;
    await run.ports.retryPolicy.pause(attempt);
  }
}

async function callOnce<T>(run: Run, call: PreparedCall<T>): Promise<Called<T>> {
  const called = await callHeld(effectsOf(run.ports), holdOf(run), call);
  const ended = (answer: CreationAnswer): Called<T> => ({ kind: 'ended', answer });
  if (called.kind === 'not_sent') return ended(open(run));
  if (called.kind === 'lost') return ended(lost(run, called.record));
  run.stored = called.hold.stored;
  run.attempt = called.hold.working;
  if (called.kind === 'succeeded') return { kind: 'succeeded', value: called.value };
  const { code, message } = called.error;
  return called.kind === 'failed'
    ? { kind: 'failed', error: { code, message } }
    : ended(await stopRun(run, { code, message }));
}
