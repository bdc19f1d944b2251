/**
 * The operator's record of a provider event (workflows §6). Its insert admits the one executor that may handle the
 * event. It is never removed, so a redelivery is not handled again, however late it arrives.
 */
import { defineSteps, type Checked } from '@platform/durable/steps';
import type { Executor, OutboxEntry, Revisioned } from '@platform/kernel';
import {
  providerEventLimits,
  providerEventSubjects,
  providerEventTypes,
  providerEventMessageIds,
  type ProviderEventMessage,
  type ProviderEventOutcome,
} from '@platform/contracts-provisioning';
import type { HandlerOutcome } from '../../operations/domain/event-outcome';

interface AdmissionBase extends Revisioned {
  readonly type: string;
  /** The revision of the receiver's admission; the outcome names it. */
  readonly admittedRevision: string;
  /** Fresh per insert, so that a lost answer can be distinguished from another executor's record. */
  readonly token: string;
  readonly executor: Executor;
  readonly outbox?: readonly OutboxEntry[];
}

export interface PendingAdmission extends AdmissionBase {
  readonly status: 'pending';
}
interface Finished<Outcome extends ProviderEventOutcome> extends AdmissionBase {
  readonly status: Outcome;
  readonly finishedAt: Date;
  /** The reason why the event was skipped, failed or has an unknown outcome. */
  readonly error?: string;
  /** The workspace of the event, where one was found; absent in records of earlier builds. */
  readonly tenantId?: string;
}
export type FinishedAdmission = Finished<'success'> | Finished<'skipped'> | Finished<'failed'> | Finished<'unknown'>;
export type ProviderEventAdmission = PendingAdmission | FinishedAdmission;

const ended = { finishedAt: true, error: true, tenantId: true } as const;

export const admissionSteps = defineSteps<ProviderEventAdmission>()({
  name: 'provider event',
  field: 'status',
  begins: ['pending'],
  table: {
    pending: { to: ['success', 'skipped', 'failed', 'unknown'] },
    success: { to: [] },
    skipped: { to: [] },
    failed: { to: [] },
    unknown: { to: [] },
  },
  own: { pending: {}, success: ended, skipped: ended, failed: ended, unknown: ended },
});

export function newAdmission(
  { eventId, type, admittedRevision }: ProviderEventMessage,
  executor: Executor,
  token: string,
): Checked<PendingAdmission> {
  return admissionSteps.begin<PendingAdmission>({
    _id: eventId,
    type,
    status: 'pending',
    admittedRevision,
    token,
    executor,
  });
}

export function finish(
  admission: PendingAdmission,
  { outcome, error, tenantId }: HandlerOutcome,
  now: Date,
): Checked<FinishedAdmission> {
  return admissionSteps.move(admission, outcome, {
    finishedAt: now,
    ...(tenantId !== undefined && { tenantId }),
    ...(error !== undefined && { error: error.slice(0, providerEventLimits.errorCharacters) }),
  });
}

/** The outcome for the receiver, which redelivers the event until it has the outcome. */
export function outcomeEntry(
  admission: Pick<FinishedAdmission, '_id' | 'status' | 'error' | 'admittedRevision'>,
  now: Date,
): OutboxEntry {
  const { _id: eventId, status: outcome, error, admittedRevision } = admission;
  return {
    id: providerEventMessageIds.outcome(eventId),
    subject: providerEventSubjects.outcome('operator'),
    type: providerEventTypes.outcome,
    body: { eventId, admittedRevision, outcome, ...(error !== undefined && { error }) },
    closesOn: 'publish_ack',
    createdAt: now,
  };
}
