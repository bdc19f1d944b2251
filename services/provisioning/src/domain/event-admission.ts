/** Admission of one provider event (workflows §6): the executor that inserts it handles the event; no other one does. */
import type { ProviderEventOutcome, ProviderObject } from '@platform/contracts-provisioning';
import type { OutcomeResolution } from '@platform/durable/journal';
import { defineSteps, type Checked } from '@platform/durable/steps';
import type { Executor, OutboxEntry, Revisioned } from '@platform/kernel';

export interface EventSubject {
  readonly invoiceId?: string;
  readonly subscriptionId?: string;
  /** The attempt that the event's metadata name. */
  readonly attemptId?: string;
}

export function subjectOf({ id, subscription, metadata }: ProviderObject): EventSubject {
  const attemptId = metadata?.provisioningAttempt;
  return {
    ...(id !== undefined && { invoiceId: id }),
    ...(subscription !== undefined && { subscriptionId: subscription }),
    ...(attemptId !== undefined && { attemptId }),
  };
}

/** `_id` = the provider's event id. */
interface AdmissionBase extends Revisioned {
  readonly type: string;
  readonly admittedRevision: string;
  readonly executor: Executor;
  /** The ids of the event's objects; absent in records of earlier builds. */
  readonly about?: EventSubject;
  readonly outbox?: readonly OutboxEntry[];
}

export interface JudgedEvent {
  readonly kind: ProviderEventOutcome;
  readonly error?: string;
}

export interface PendingAdmission extends AdmissionBase {
  readonly status: 'pending';
}
export interface CompletedAdmission extends AdmissionBase {
  readonly status: 'completed';
  readonly outcome: JudgedEvent;
  /** A person's resolution of an admission whose executor left no outcome. */
  readonly resolution?: AdmissionResolution;
}

export type AdmissionResolution = Omit<OutcomeResolution, 'providerObject'>;
export type EventAdmission = PendingAdmission | CompletedAdmission;

export const admissionSteps = defineSteps<EventAdmission>()({
  name: 'provider event',
  field: 'status',
  begins: ['pending'],
  table: { pending: { to: ['completed'], byResolution: ['completed'] }, completed: { to: [] } },
  own: { pending: {}, completed: { outcome: true, resolution: true } },
});

/**
 * The resolved record: the event's effect exists, or it does not and never will. The receiver gets the outcome when it
 * sends the event again; the event is not handled again.
 */
export function resolveAdmission(
  admission: PendingAdmission,
  resolution: AdmissionResolution,
): Checked<CompletedAdmission> {
  const { by, outcome: found } = resolution;
  const outcome: JudgedEvent =
    found === 'applied' ? { kind: 'success' } : { kind: 'skipped', error: `Resolved as not applied by ${by}.` };
  return admissionSteps.resolve(admission, 'completed', { outcome, resolution });
}
