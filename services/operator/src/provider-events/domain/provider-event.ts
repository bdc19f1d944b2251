/**
 * The operator's record of a provider event (workflows §6): inserting it admits the one executor that may handle it, and
 * it stays for ever, so that no redelivery, however late, is handled again.
 */
import { assertStep, type Executor, type OutboxEntry, type Revisioned, type StatusSteps } from '@platform/kernel';
import {
  providerEventLimits,
  providerEventSubjects,
  providerEventTypes,
  providerEventMessageIds,
  type ProviderEventMessage,
  type ProviderEventOutcome,
} from '@platform/contracts-provisioning';
import type { HandlerOutcome } from '../../operations/domain/event-outcome';

export type AdmissionStatus = 'pending' | ProviderEventOutcome;

export interface ProviderEventAdmission extends Revisioned {
  readonly type: string;
  readonly status: AdmissionStatus;
  /** Of the receiver's admission; the outcome names it. */
  readonly admittedRevision: string;
  /** Fresh per insert, so that a lost answer can be told from another executor's record. */
  readonly token: string;
  readonly executor: Executor;
  readonly finishedAt?: Date;
  /** Why it was skipped, failed, or is not known. */
  readonly error?: string;
  readonly outbox?: readonly OutboxEntry[];
}

type Unstamped = Omit<ProviderEventAdmission, 'revision' | 'createdAt' | 'updatedAt' | 'outbox'>;

export const admissionSteps: StatusSteps<AdmissionStatus> = {
  pending: ['success', 'skipped', 'failed', 'unknown'],
  success: [],
  skipped: [],
  failed: [],
  unknown: [],
};

export function newAdmission(
  { eventId, type, admittedRevision }: ProviderEventMessage,
  executor: Executor,
  token: string,
): Unstamped {
  return { _id: eventId, type, status: 'pending', admittedRevision, token, executor };
}

export function finish(admission: ProviderEventAdmission, { outcome, error }: HandlerOutcome, now: Date): Unstamped {
  assertStep(admissionSteps, admission.status, outcome, `provider event ${admission._id}`);
  const { _id, type, admittedRevision, token, executor } = admission;
  return {
    _id,
    type,
    admittedRevision,
    token,
    executor,
    status: outcome,
    finishedAt: now,
    ...(error !== undefined && { error: error.slice(0, providerEventLimits.errorCharacters) }),
  };
}

/** The outcome on its way to the receiver, which asks again by redelivering the event until it has it. */
export function outcomeEntry(
  admission: Pick<ProviderEventAdmission, '_id' | 'status' | 'error' | 'admittedRevision'>,
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
