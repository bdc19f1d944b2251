/**
 * The operator's durable record (contracts §4.1): a union by status whose members hold only what is true in that
 * status. One table defines the allowed steps, and `docs/states.md` is generated from it.
 */
import { digestOf, type Executor, type OutboxEntry, type Revisioned } from '@platform/kernel';
import type { OutcomeResolution, ProviderCallRecord } from '@platform/durable/journal';
import { defineSteps } from '@platform/durable/steps';
import { contractOf, type OperationAction } from '@platform/contracts-operator';
import type { LifecycleTransition } from '@platform/contracts-lifecycle-delivery';

export interface OperationError {
  readonly code: string;
  readonly message: string;
  readonly detail?: Readonly<Record<string, string>>;
  /** For `partial_effect`: the steps that have changed something at the provider, and those that have not. */
  readonly changed?: readonly string[];
  readonly unchanged?: readonly string[];
}

interface Actor {
  readonly id: string;
  readonly email?: string;
}

export interface Attempt {
  readonly number: number;
  /** The requester of this attempt; absent for the attempt that ends an operation after its receipts or its session. */
  readonly actor?: Actor;
  /** The reason in the words of that request. */
  readonly reason?: string;
  readonly executor: Executor;
  readonly startedAt: Date;
  readonly finishedAt?: Date;
  readonly outcome?: 'succeeded' | 'failed' | 'unknown' | 'awaiting_receipts' | 'awaiting_payment';
  readonly error?: OperationError;
  readonly providerCalls: readonly ProviderCallRecord[];
}

interface ReceiptRecord {
  readonly consumer: string;
  readonly receiptId: string;
  readonly effectiveAt: string;
}

/** A consumer whose receipt a person waived, as the settlement named it. */
interface WaivedConsumer {
  readonly consumer: string;
  readonly by: string;
  readonly reason: string;
  readonly waivedAt: string;
}

/** The lifecycle message of this operation and the answers to it. */
interface LifecycleProgress {
  readonly transition: LifecycleTransition;
  readonly announcedAt: Date;
  readonly settledAt?: Date;
  readonly receipts?: readonly ReceiptRecord[];
  readonly waived?: readonly WaivedConsumer[];
  /**
   * The numbers of receipts and waivers that did not fit into the settlement; lifecycle-delivery has them on record.
   */
  readonly omitted?: { readonly receipts: number; readonly waived: number };
}

/** The requests of a deletion to other services, and their answers. */
export interface DeletionProgress {
  readonly announcedAt: Date;
  /** Deliveries of the workspace are skipped from here on. */
  readonly deliveriesSkippedAt?: Date;
  /** Every registered deletion listener has succeeded. */
  readonly listenersCalledAt?: Date;
}

export type Resolution = OutcomeResolution;

/** The session on which an operation waits (workflows §4). */
export interface CheckoutSession {
  readonly sessionId: string;
  readonly url: string;
  readonly expiresAt: Date;
  /** 0: no trial. */
  readonly trialDays: number;
  /**
   * What a finished session waits for: the answer of a bank, or the decision about its trial. Absent while the session
   * is open.
   */
  readonly waitsFor?: 'payment' | 'provider' | 'trial_decision';
}

/** The approval of a credit above one person's limit, by two people. */
export interface CreditApproval {
  /** Digest of the signed proposal. */
  readonly proposal: string;
  readonly proposedBy: Actor;
  readonly approvedBy: Actor;
}

/** A change that the provider holds until a person has confirmed its payment, and the address for the confirmation. */
export interface AwaitedPayment {
  readonly invoiceId: string;
  readonly subscriptionId: string;
  readonly confirmUrl: string;
  /** When the provider drops the change and voids its invoice. */
  readonly expiresAt: Date;
}

export type OperationValues = Readonly<Record<string, string | number | boolean>>;

interface OperationBase extends Revisioned {
  readonly tenantId: string;
  readonly action: OperationAction;
  /** The actor of the first request; not part of the fingerprint. */
  readonly actor: Actor;
  /** The reason in the words of the first request; not part of the fingerprint. */
  readonly reason?: string;
  /** The approval under which the credit exceeded its person's limit. */
  readonly approval?: CreditApproval;
  /** The preview on which the first request is based; the request is refused when the preview no longer holds. */
  readonly previewDigest?: string;
  readonly values: OperationValues;
  readonly fingerprint: string;
  readonly attempts: readonly Attempt[];
  /** Provider identities fixed by the first attempt and reused by every retry. */
  readonly checkpoint?: Readonly<Record<string, string>>;
  readonly lifecycle?: LifecycleProgress;
  readonly deletion?: DeletionProgress;
  readonly checkout?: CheckoutSession;
  readonly payment?: AwaitedPayment;
  readonly resolution?: Resolution;
  readonly outbox?: readonly OutboxEntry[];
}

export interface PendingOperation extends OperationBase {
  readonly status: 'pending';
}
export interface RunningOperation extends OperationBase {
  readonly status: 'running';
}
/** Waits for the consumers' receipts; a checkout waits for the end of its session. */
export interface AwaitingReceiptsOperation extends OperationBase {
  readonly status: 'awaiting_receipts';
}
/** Waits until the person has confirmed a payment, or the provider has dropped the change. No executor is active. */
export interface AwaitingPaymentOperation extends OperationBase {
  readonly status: 'awaiting_payment';
  readonly payment: AwaitedPayment;
}
export interface SucceededOperation extends OperationBase {
  readonly status: 'succeeded';
  readonly result: Readonly<Record<string, unknown>>;
  readonly effectiveAt: Date;
}
export interface FailedOperation extends OperationBase {
  readonly status: 'failed';
  readonly error: OperationError;
}
export interface StoppedOperation extends OperationBase {
  readonly status: 'reconciliation_required';
  readonly error: OperationError;
}

export type Operation =
  | PendingOperation
  | RunningOperation
  | AwaitingReceiptsOperation
  | AwaitingPaymentOperation
  | SucceededOperation
  | FailedOperation
  | StoppedOperation;

export const operationSteps = defineSteps<Operation>()({
  name: 'operation',
  field: 'status',
  begins: ['pending', 'running', 'failed'],
  table: {
    pending: { to: ['running'] },
    running: {
      to: ['awaiting_receipts', 'awaiting_payment', 'succeeded', 'failed', 'reconciliation_required'],
      byResolution: ['succeeded', 'failed'],
    },
    // Only a checkout is resolved from this state: the event of its session may have been stopped.
    awaiting_receipts: { to: ['running', 'succeeded'], byResolution: ['succeeded', 'failed'] },
    awaiting_payment: {
      to: ['succeeded', 'failed', 'reconciliation_required'],
      byResolution: ['succeeded', 'failed'],
    },
    succeeded: { to: [] },
    failed: { to: ['running'] },
    reconciliation_required: { to: [], byResolution: ['succeeded', 'failed'] },
  },
  own: {
    pending: {},
    running: {},
    awaiting_receipts: {},
    awaiting_payment: {},
    succeeded: { result: true, effectiveAt: true },
    failed: { error: true },
    reconciliation_required: { error: true },
  },
});

/** What a caller requests, already validated. `values` contain nothing that must be redacted. */
export interface OperationRequest {
  readonly operationId: string;
  readonly tenantId: string;
  readonly action: OperationAction;
  readonly values: OperationValues;
  readonly actor: Actor;
  /**
   * The role of the person, from the token; absent for operations that a date causes. Limits depend on it, and it is
   * not recorded.
   */
  readonly role?: string;
  readonly reason?: string;
  readonly previewDigest?: string;
}

/** SHA-256 over tenant, action and values: identifies the request without the requester. */
export function fingerprintOf(request: Pick<OperationRequest, 'tenantId' | 'action' | 'values'>): string {
  return digestOf({ tenantId: request.tenantId, action: request.action, values: request.values });
}

/**
 * Whether the person who asks may read the stored record (contracts §2): platform owners read every record, workspace
 * owners those of their workspace that workspace owners started.
 */
function mayRead(stored: Operation, request: OperationRequest): boolean {
  if (contractOf(request.action).startedBy === 'platform_owner') return true;
  return stored.tenantId === request.tenantId && contractOf(stored.action).startedBy === 'workspace_owner';
}

/**
 * Names each value in which a request differs from the stored intent with the same id, as a pointer with both values;
 * undefined when the caller may not read the record.
 */
export function differences(
  stored: Operation,
  request: OperationRequest,
): { pointer: string; message: string }[] | undefined {
  if (!mayRead(stored, request)) return undefined;
  const found: { pointer: string; message: string }[] = [];
  const compare = (pointer: string, before: unknown, after: unknown) => {
    if (before !== after)
      found.push({ pointer, message: `the stored intent has ${show(before)}, this request ${show(after)}` });
  };
  compare('/path/tenantId', stored.tenantId, request.tenantId);
  compare('/action', stored.action, request.action);
  if (stored.action === request.action) {
    const keys = new Set([...Object.keys(stored.values), ...Object.keys(request.values)]);
    for (const key of [...keys].sort()) compare(`/${key}`, stored.values[key], request.values[key]);
  }
  return found;
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
