/**
 * The record of one creation (contracts §4.5): a union by status. It never contains billing profiles or extras. One
 * table defines the allowed steps, and `docs/states.md` is generated from it.
 */
import type { ProvisioningEvent } from '@platform/contracts-provisioning';
import type { OutcomeResolution, SentCall } from '@platform/durable/journal';
import { defineSteps } from '@platform/durable/steps';
import type { Executor, OutboxEntry, Revisioned } from '@platform/kernel';

/** One call of a listener, recorded before it is made; without an outcome, it is unknown what the listener did. */
export interface ListenerCallRecord {
  readonly listener: string;
  readonly event: ProvisioningEvent;
  readonly calledAt: Date;
  readonly outcome?: 'done' | 'failed';
}

export interface AttemptError {
  readonly code: string;
  readonly message: string;
}

/** Ids at the provider, stored separately from the billing profile (specification §2). */
interface Handles {
  readonly customerId?: string;
  readonly paymentMethodId?: string;
  readonly subscriptionId?: string;
  readonly itemId?: string;
  readonly currentPeriodEnd?: Date;
  readonly invoiceId?: string;
}

/** The reservations of this attempt; `settled` when the reservations know the attempt's outcome. */
export interface ReservationNames {
  readonly state: 'held' | 'settled';
  readonly capacityKey?: string;
  readonly trialKeys: readonly string[];
}

export type Resolution = OutcomeResolution;

/** Why the first payment waits, and the provider's page where the person completes it. */
export interface AwaitedConfirmation {
  readonly reason: 'authentication_required' | 'payment_processing';
  readonly since: Date;
  /** Absent while the provider has not answered. */
  readonly url?: string;
}

interface AttemptBase extends Revisioned {
  readonly tenantId: string;
  readonly userId: string;
  /**
   * The address of the person who requested the workspace; erased when the creation is cancelled. Absent in records of
   * earlier builds.
   */
  readonly userEmail?: string;
  readonly workspaceName: string;
  readonly plan: { readonly planId: string; readonly priceId?: string };
  readonly executor: Executor;
  readonly handles: Handles;
  readonly reservations: ReservationNames;
  /** Days of the trial that this creation got; absent while that is undecided, 0 for none. */
  readonly trialDays?: number;
  /** The first invoice needs no payment: there is none, or its total is zero and it is paid. */
  readonly paymentFree?: boolean;
  readonly providerCalls: readonly SentCall[];
  readonly listenerCalls: readonly ListenerCallRecord[];
  /** Rows exist and every listener succeeded: from here on a paid invoice commits. */
  readonly preparedAt?: Date;
  /**
   * The provider holds the first payment open. The executor of the attempt has ended: an event or the reconciliation
   * continues.
   */
  readonly confirmation?: AwaitedConfirmation;
  /** The rollback began: from here on no running code commits this attempt. */
  readonly rollback?: { readonly code: string; readonly startedAt: Date };
  readonly lastError?: AttemptError;
  readonly resolution?: Resolution;
  readonly outbox?: readonly OutboxEntry[];
}

export interface PreparingAttempt extends AttemptBase {
  readonly status: 'preparing';
}
export interface AwaitingPaymentAttempt extends AttemptBase {
  readonly status: 'awaiting_payment';
  readonly preparedAt: Date;
}
export interface CommittedAttempt extends AttemptBase {
  readonly status: 'committed';
  readonly committedAt: Date;
  /** The evidence of the payment, when it was not the answer to our own call. */
  readonly provenBy?: CommitProof;
}
export interface CancelledAttempt extends AttemptBase {
  readonly status: 'cancelled';
  readonly cancelledAt: Date;
}
export interface StoppedAttempt extends AttemptBase {
  readonly status: 'reconciliation_required';
  readonly lastError: AttemptError;
}

export type CommitProof = 'executor' | 'provider_event' | 'reconciliation' | 'resolution';
export type Attempt = PreparingAttempt | AwaitingPaymentAttempt | CommittedAttempt | CancelledAttempt | StoppedAttempt;
export type EndedAttempt = CommittedAttempt | CancelledAttempt;
export type OpenAttempt = PreparingAttempt | AwaitingPaymentAttempt | StoppedAttempt;

/** A stopped attempt ends when the provider proves that the first invoice is paid, or by a recorded resolution. */
export const attemptSteps = defineSteps<Attempt>()({
  name: 'attempt',
  field: 'status',
  begins: ['preparing'],
  table: {
    preparing: { to: ['awaiting_payment', 'cancelled', 'reconciliation_required'], byResolution: ['cancelled'] },
    awaiting_payment: {
      to: ['committed', 'cancelled', 'reconciliation_required'],
      byResolution: ['committed', 'cancelled'],
    },
    committed: { to: [] },
    cancelled: { to: [] },
    reconciliation_required: { to: ['committed', 'cancelled'], byResolution: ['committed', 'cancelled'] },
  },
  own: {
    preparing: {},
    awaiting_payment: {},
    committed: { committedAt: true, provenBy: true },
    cancelled: { cancelledAt: true },
    reconciliation_required: {},
  },
});

export const unresolvedStatuses = ['preparing', 'awaiting_payment', 'reconciliation_required'] as const;

export function isOpen(attempt: Attempt): attempt is OpenAttempt {
  return attempt.status !== 'committed' && attempt.status !== 'cancelled';
}
