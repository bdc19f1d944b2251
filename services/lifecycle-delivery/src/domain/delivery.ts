/**
 * One delivery is one required consumer's obligation for one lifecycle message. At every instant it is exactly one of
 * {receipt, due, visibly failed, waived by a person} (invariant I8): a union by status whose steps are in one table.
 */
import { defineSteps, type Checked, type Facts } from '@platform/durable/steps';
import { sha256, type Revisioned } from '@platform/kernel';
import {
  lifecycleSubjects,
  lifecycleTypes,
  lifecycleMessageIds,
  type LifecycleMessage,
  type LifecycleTransition,
  type ReceiptMessage,
} from '@platform/contracts-lifecycle-delivery';
import { withAnswer, withAttempt, type Attempt } from './attempts';

interface DeliveryFields extends Revisioned {
  readonly operationId: string;
  readonly tenantId: string;
  readonly transition: LifecycleTransition;
  readonly requestedAt: Date;
  readonly consumer: string;
  /** Publications begun; the number is part of the message id, see {@link deliveryIdOf}. */
  readonly attemptCount: number;
  /** Failed runs that the consumer reported. */
  readonly failureCount: number;
  /** The last attempts, oldest first; absent on records that were written before attempts were kept. */
  readonly attempts?: readonly Attempt[];
  /** W3C trace context of the message, passed on to the consumer. */
  readonly traceparent?: string;
}

/** Without a receipt: the last attempt began at `attemptedAt`, it is due again at `nextAttemptAt`. */
interface OpenFields extends DeliveryFields {
  readonly attemptedAt: Date;
  readonly nextAttemptAt: Date;
}

export interface PendingDelivery extends OpenFields {
  readonly status: 'pending';
}

/** The consumer's last run failed; it stays due, and the failure stays visible until a receipt comes. */
interface FailedDelivery extends OpenFields {
  readonly status: 'failed';
  readonly lastError: string;
  readonly failedAt: Date;
  /** Message id of the last report, so that its redelivery is not counted again. */
  readonly lastReportId: string;
}

export interface AcceptedReceipt {
  readonly receiptId: string;
  readonly effectiveAt: Date;
  readonly acceptedAt: Date;
}

interface SucceededDelivery extends DeliveryFields {
  readonly status: 'succeeded';
  readonly receipt: AcceptedReceipt;
}

/** The tenant was already deleted when an attempt started (specification §6 rule 5). */
export interface SkippedDelivery extends DeliveryFields {
  readonly status: 'skipped_deleted';
  readonly skippedAt: Date;
}

/** A person recorded that the message proceeds without this consumer's receipt. No delivery is waived automatically. */
export interface WaivedDelivery extends DeliveryFields {
  readonly status: 'waived';
  readonly resolution: Waiver;
  /** A receipt that arrived after the waiver, kept as evidence; it changes nothing. */
  readonly lateReceipt?: AcceptedReceipt;
}

export interface Waiver {
  readonly outcome: 'waived';
  /** How the person knows that the consumer gives no receipt. */
  readonly executorStopped: string;
  /** Why the message may proceed without the consumer's effect. */
  readonly reason: string;
  /** The consumer was registered at the time of the waiver, and the person confirmed that. */
  readonly stillRegistered: boolean;
  /** E-mail address of the person who answers for the waiver. */
  readonly by: string;
  readonly at: Date;
}

export type OpenDelivery = PendingDelivery | FailedDelivery;
type SettledDelivery = SucceededDelivery | SkippedDelivery | WaivedDelivery;
export type Delivery = OpenDelivery | SettledDelivery;

/** A receipt or a waiver is final. */
const open = { attemptedAt: true, nextAttemptAt: true } as const;

export const deliverySteps = defineSteps<Delivery>()({
  name: 'delivery',
  field: 'status',
  begins: ['pending', 'skipped_deleted'],
  table: {
    pending: { to: ['pending', 'failed', 'succeeded', 'skipped_deleted'], byResolution: ['waived'] },
    failed: { to: ['failed', 'succeeded', 'skipped_deleted'], byResolution: ['waived'] },
    succeeded: { to: [] },
    skipped_deleted: { to: [] },
    waived: { to: [] },
  },
  own: {
    pending: open,
    failed: { ...open, lastError: true, failedAt: true, lastReportId: true },
    succeeded: { receipt: true },
    skipped_deleted: { skippedAt: true },
    waived: { resolution: true, lateReceipt: true },
  },
});

/**
 * One delivery per operation and consumer, whichever process inserts it: SHA-256 over both with a NUL between
 * (contracts §4.6).
 */
export function deliveryIdOf(operationId: string, consumer: string): string {
  return sha256(`${operationId}\0${consumer}`);
}

export function isOpen(delivery: Delivery): delivery is OpenDelivery {
  return delivery.status === 'pending' || delivery.status === 'failed';
}

/** The receipt that the consumer gave, also after a waiver; null for a delivery without one. */
export function receiptOf({ receipt, lateReceipt }: Facts<Delivery>): AcceptedReceipt | null {
  return receipt ?? lateReceipt ?? null;
}

/** Earlier than every attempt: the broker cannot hold the message. */
const never = new Date(0);

/**
 * The first record of a delivery: it begins with the first publication, waits without one for a paused consumer, or
 * ends at once for a deleted tenant.
 */
export function newDelivery(
  message: MessageOfDelivery,
  consumer: string,
  times: { readonly now: Date; readonly nextAttemptAt: Date },
  { tenantDeleted, paused }: { readonly tenantDeleted: boolean; readonly paused: boolean },
): NewDelivery {
  const { _id: operationId, tenantId, transition, requestedAt, traceparent } = message;
  const fields = {
    _id: deliveryIdOf(operationId, consumer),
    operationId,
    tenantId,
    transition,
    requestedAt,
    consumer,
    failureCount: 0,
    ...(traceparent !== undefined && { traceparent }),
  };
  const { now, nextAttemptAt } = times;
  return tenantDeleted
    ? deliverySteps.begin<SkippedDelivery>({ ...fields, status: 'skipped_deleted', attemptCount: 0, skippedAt: now })
    : deliverySteps.begin<PendingDelivery>({
        ...fields,
        status: 'pending',
        ...(paused
          ? { attemptCount: 0, attemptedAt: never, nextAttemptAt: now }
          : { attemptCount: 1, attempts: withAttempt(undefined, 1, now), attemptedAt: now, nextAttemptAt }),
      });
}

export type MessageOfDelivery = Pick<DeliveryFields, '_id' | 'tenantId' | 'transition' | 'requestedAt' | 'traceparent'>;
export type NewDelivery = Checked<PendingDelivery> | Checked<SkippedDelivery>;

/**
 * The publication that the record shows as begun. Its id contains the attempt number: within an attempt the broker
 * recognises a repeat, and a further attempt is delivered even inside the broker's duplicate window.
 */
export function publicationOf(delivery: OpenDelivery): Publication {
  const { _id, tenantId, operationId, transition, consumer, attemptCount, traceparent } = delivery;
  const body: LifecycleMessage = { tenantId, operationId, transition, requestedAt: delivery.requestedAt.toISOString() };
  const publication = {
    subject: lifecycleSubjects.delivery(transition, consumer),
    id: lifecycleMessageIds.delivery(_id, attemptCount),
    type: lifecycleTypes.delivery,
    body,
  };
  return traceparent === undefined ? publication : { ...publication, traceparent };
}

export interface Publication {
  readonly subject: string;
  readonly id: string;
  readonly type: string;
  readonly body: LifecycleMessage;
  readonly traceparent?: string;
}

/** The record that begins a further publication: the intent is durable before the message is sent (law 1). */
export function beginAttempt(delivery: OpenDelivery, attemptedAt: Date, nextAttemptAt: Date): Checked<OpenDelivery> {
  const attemptCount = delivery.attemptCount + 1;
  const attempts = withAttempt(delivery.attempts, attemptCount, attemptedAt);
  const attempt = { attemptCount, attemptedAt, nextAttemptAt, attempts };
  return delivery.status === 'failed'
    ? deliverySteps.move(delivery, 'failed', attempt)
    : deliverySteps.move(delivery, 'pending', attempt);
}

/** The record of a delivery whose tenant is deleted. */
export function skipDeleted(delivery: OpenDelivery, skippedAt: Date): Checked<SkippedDelivery> {
  return deliverySteps.move(delivery, 'skipped_deleted', { skippedAt });
}

/** The record of a delivery that a person waived. */
export function waive(delivery: OpenDelivery, waiver: Omit<Waiver, 'outcome'>): Checked<WaivedDelivery> {
  return deliverySteps.resolve(delivery, 'waived', { resolution: { outcome: 'waived', ...waiver } });
}

export type ReportDecision =
  | { readonly decision: 'record'; readonly next: Checked<Delivery> }
  /** Nothing to write: a receipt exists already (the first write wins), or this report is already counted. */
  | { readonly decision: 'already_recorded' }
  | { readonly decision: 'refuse'; readonly reason: string };

/**
 * Decides on a receipt: the first one wins, and a second success is accepted without a change (contracts §4.6). A
 * receipt that arrives after a waiver is recorded beside it.
 */
export function decideReceipt(delivery: Delivery, receipt: ReceiptMessage, acceptedAt: Date): ReportDecision {
  const mismatch = differenceFrom(delivery, receipt);
  if (mismatch) return { decision: 'refuse', reason: mismatch };
  const accepted = { receiptId: receipt.receiptId, effectiveAt: new Date(receipt.effectiveAt), acceptedAt };
  if (delivery.status === 'waived' && !delivery.lateReceipt)
    return { decision: 'record', next: deliverySteps.keep(delivery, { lateReceipt: accepted }) };
  if (!isOpen(delivery)) return { decision: 'already_recorded' };
  const attempts = withAnswer(delivery, { kind: 'receipt', at: acceptedAt });
  return { decision: 'record', next: deliverySteps.move(delivery, 'succeeded', { receipt: accepted, attempts }) };
}

export interface FailureReport {
  readonly kind: 'run_failed' | 'receipt_refused';
  readonly reportId: string;
  readonly tenantId: string;
  readonly transition: LifecycleTransition;
  readonly error: string;
  readonly failedAt: Date;
}

/** Decides on a reported failure: it never overwrites a receipt, and the delivery stays due as before. */
export function decideFailure(delivery: Delivery, report: FailureReport, receivedAt: Date): ReportDecision {
  const mismatch = differenceFrom(delivery, report);
  if (mismatch) return { decision: 'refuse', reason: mismatch };
  if (!isOpen(delivery)) return { decision: 'already_recorded' };
  const { lastReportId: counted }: Facts<Delivery> = delivery;
  if (counted === report.reportId) return { decision: 'already_recorded' };
  const { kind, reportId: lastReportId, error: lastError, failedAt } = report;
  return {
    decision: 'record',
    next: deliverySteps.move(delivery, 'failed', {
      failureCount: delivery.failureCount + 1,
      lastError,
      failedAt,
      lastReportId,
      attempts: withAnswer(delivery, { kind, at: receivedAt, error: lastError }),
    }),
  };
}

function differenceFrom(delivery: Delivery, report: Pick<FailureReport, 'tenantId' | 'transition'>): string | null {
  if (report.tenantId !== delivery.tenantId)
    return `tenantId ${report.tenantId} is not the delivery's ${delivery.tenantId}`;
  if (report.transition !== delivery.transition)
    return `transition ${report.transition} is not the delivery's ${delivery.transition}`;
  return null;
}
