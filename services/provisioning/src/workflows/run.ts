/**
 * One executor's hold on one attempt: the record as stored, the same with what was learnt since, and the only ways to
 * go on: write it down, call the provider, or stop. Every step answers either nothing (go on) or the end.
 */
import { alertEntry } from '@platform/kernel';
import type { CreateWorkspace, CreationRefusalCode } from '@platform/contracts-provisioning';
import { writeFenced } from '@platform/durable/record';
import type { Draft } from '@platform/mongo';
import type { PreparedCall } from '@platform/payment-provider';
import { isOpen, type Attempt, type AttemptError, type OpenAttempt } from '../domain/attempt';
import { answerCall, recordCall, stop } from '../domain/progress';
import type { ProvisioningPorts } from './ports';

export type CreationAnswer =
  | { readonly kind: 'committed'; readonly attempt: Attempt }
  /** Kept as it is: unpaid, unknown, or stopped. */
  | { readonly kind: 'unresolved'; readonly attempt: Attempt }
  | { readonly kind: 'refused'; readonly code: CreationRefusalCode; readonly message: string };

export interface Run {
  readonly ports: ProvisioningPorts;
  readonly request: CreateWorkspace;
  stored: Attempt;
  /** The stored record with what was learnt since; goes into the next write. */
  attempt: OpenAttempt;
}

export type Step = (run: Run) => Promise<CreationAnswer | undefined>;

export function refuseCreation(code: CreationRefusalCode, message: string): CreationAnswer {
  return { kind: 'refused', code, message };
}

const refusalCodes: ReadonlySet<string> = new Set<CreationRefusalCode>([
  'capacity_exhausted',
  'card_declined',
  'provider_refused',
  'provider_unavailable',
]);

/** What the record says to a caller. */
export function answerOf(attempt: Attempt): CreationAnswer {
  if (attempt.status === 'committed') return { kind: 'committed', attempt };
  if (attempt.status !== 'cancelled') return { kind: 'unresolved', attempt };
  const { code = 'provider_refused', message = 'The creation was taken back.' } = attempt.lastError ?? {};
  return refuseCreation(refusalCodes.has(code) ? (code as CreationRefusalCode) : 'provider_refused', message);
}

/** Writes the record fenced; an executor that lost the race does nothing more. */
export async function save(
  run: Run,
  next: Attempt,
  announce: Parameters<typeof writeFenced>[3] = [],
): Promise<CreationAnswer | undefined> {
  const { ports } = run;
  const written = await writeFenced(ports.attempts, run.stored, next as Draft<Attempt>, announce, ports.retryPolicy);
  if (written.kind === 'unknown')
    return refuseCreation(
      'store_unavailable',
      `The creation ${run.attempt._id} could not be written down (${written.reason}). Read its attempt.`,
    );
  if (written.kind === 'lost')
    return written.record
      ? answerOf(written.record)
      : refuseCreation('store_unavailable', 'The record of this creation has disappeared.');
  run.stored = written.record;
  if (isOpen(written.record)) run.attempt = written.record;
  return undefined;
}

/** Law 3: everything stays, people are alerted, nothing is repeated. */
export async function stopRun(run: Run, error: AttemptError): Promise<CreationAnswer> {
  const { ports, attempt } = run;
  const at = ports.clock.now();
  const alert = alertEntry(
    {
      service: ports.executor.service,
      kind: 'provisioning_attempt',
      id: attempt._id,
      tenantId: attempt.tenantId,
      reason: error.message,
      at,
    },
    error.code,
  );
  const end = await save(run, stop(attempt, error), [alert]);
  if (end) return end;
  ports.publishNow('attempts', attempt._id, [alert]);
  ports.meter.attemptReached('reconciliation_required');
  return { kind: 'unresolved', attempt: run.stored };
}

export type Called<T> =
  | { readonly kind: 'succeeded'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: AttemptError }
  | { readonly kind: 'ended'; readonly answer: CreationAnswer };

/** Law 1: the call is written down, sent once, and its evidence goes into the next write; unknown stops the run. */
export async function callProvider<T>(run: Run, call: PreparedCall<T>): Promise<Called<T>> {
  const { ports } = run;
  const { description } = call;
  const end = await save(run, recordCall(run.attempt, { ...description, sentAt: ports.clock.now() }));
  if (end) return { kind: 'ended', answer: end };
  const answer = await call.send();
  ports.meter.providerAnswered(description.step, answer.outcome);
  run.attempt = answerCall(run.attempt, { ...answer.evidence, outcome: answer.outcome });
  if (answer.outcome === 'succeeded') return { kind: 'succeeded', value: answer.value };
  if (answer.outcome === 'failed') return { kind: 'failed', error: { code: answer.code, message: answer.message } };
  return {
    kind: 'ended',
    answer: await stopRun(run, { code: 'outcome_unknown', message: `Step ${description.step}: ${answer.reason}` }),
  };
}
