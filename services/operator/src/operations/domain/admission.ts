/**
 * What a request for an operation may do, given the record under its id: the documented precedence of refusals, as one
 * pure function (contracts §2). The record is never touched by a refusal; a duplicate does not disturb a live executor.
 */
import { operatorLimits, type OperatorCode, type Refusal } from '@platform/contracts-operator';
import {
  differences,
  fingerprintOf,
  type FailedOperation,
  type Operation,
  type OperationRequest,
  type PendingOperation,
  type SucceededOperation,
} from './operation';

export type Admission =
  | { readonly kind: 'stored_success'; readonly operation: SucceededOperation }
  /** Accepted and unfinished: the answer names the record to read. */
  | { readonly kind: 'unfinished'; readonly operation: Operation }
  | { readonly kind: 'resume'; readonly operation: PendingOperation | FailedOperation }
  | { readonly kind: 'refuse'; readonly refusal: Refusal; readonly operation: Operation };

const retryWindowMs = operatorLimits.retryWindowHours * 3_600_000;

/** A repeat does not sell again what was undone. */
const finalCodes: ReadonlySet<string> = new Set<OperatorCode>(['payment_failed', 'trial_refused']);

/**
 * Whether no repeat goes on with a failed operation, at whatever age. After a wait for a payment the provider has dropped
 * the change, and the same keys would return its old answers.
 */
export function isFinal({ payment, error }: FailedOperation): boolean {
  return payment !== undefined || finalCodes.has(error.code);
}

function refusalOf({ error: { code, message } }: FailedOperation): Refusal {
  return { code: code as OperatorCode, detail: message };
}

/** `now` is the database's clock; exactly 23 h after creation is expired (specification §8). */
export function decideAdmission(stored: Operation, request: OperationRequest, now: Date): Admission {
  if (stored.fingerprint !== fingerprintOf(request)) {
    const errors = differences(stored, request);
    return { kind: 'refuse', operation: stored, refusal: { code: 'operation_id_reused', ...(errors && { errors }) } };
  }
  switch (stored.status) {
    case 'succeeded':
      return { kind: 'stored_success', operation: stored };
    case 'reconciliation_required':
      return {
        kind: 'refuse',
        operation: stored,
        refusal: { code: 'reconciliation_required', detail: stored.error.message },
      };
    case 'running':
      return { kind: 'refuse', operation: stored, refusal: { code: 'operation_running' } };
    case 'awaiting_receipts':
    case 'awaiting_payment':
      return { kind: 'unfinished', operation: stored };
    case 'pending':
    case 'failed':
      // A resolution is final: what an investigation closed is not opened again by a late repeat.
      if (stored.resolution) return { kind: 'refuse', operation: stored, refusal: { code: 'resolved_not_applied' } };
      if (stored.status === 'failed' && isFinal(stored))
        return { kind: 'refuse', operation: stored, refusal: refusalOf(stored) };
      // After the window, the provider may have forgotten the keys.
      return now.getTime() - stored.createdAt.getTime() >= retryWindowMs
        ? { kind: 'refuse', operation: stored, refusal: { code: 'retry_window_expired' } }
        : { kind: 'resume', operation: stored };
  }
}
