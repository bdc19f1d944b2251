/** Admission of one provider event (workflows §6): the executor that inserts it handles the event; no other one does. */
import type { ProviderEventOutcome } from '@platform/contracts-provisioning';
import { defineSteps } from '@platform/durable/steps';
import type { Executor, OutboxEntry, Revisioned } from '@platform/kernel';

/** `_id` = the provider's event id. */
interface AdmissionBase extends Revisioned {
  readonly type: string;
  readonly admittedRevision: string;
  readonly executor: Executor;
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
}
export type EventAdmission = PendingAdmission | CompletedAdmission;

export const admissionSteps = defineSteps<EventAdmission>()({
  name: 'provider event',
  field: 'status',
  begins: ['pending'],
  table: { pending: { to: ['completed'] }, completed: { to: [] } },
  own: { pending: {}, completed: { outcome: true } },
});
