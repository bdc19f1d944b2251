/** The result of a request for an operation, before it becomes an HTTP answer. */
import type { Refusal } from '@platform/contracts-operator';
import type { FirstRefusal } from '../domain/first-request';
import type {
  AwaitingPaymentOperation,
  FailedOperation,
  Operation,
  StoppedOperation,
  SucceededOperation,
} from '../domain/operation';

export type OperationAnswer =
  | { readonly kind: 'succeeded'; readonly operation: SucceededOperation }
  | { readonly kind: 'unfinished'; readonly operation: Operation }
  /** Unfinished until a person has confirmed the payment, so the caller gains nothing by waiting. */
  | { readonly kind: 'to_confirm'; readonly operation: AwaitingPaymentOperation }
  | { readonly kind: 'failed'; readonly operation: FailedOperation }
  | { readonly kind: 'stopped'; readonly operation: StoppedOperation }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly operation: Operation }
  | { readonly kind: 'no_such_workspace' }
  /**
   * A value that is checked only for a first request is refused (a date in the past, an amount above the limit); no
   * intent was written.
   */
  | { readonly kind: 'not_acceptable'; readonly refusal: FirstRefusal }
  /** The store did not answer. `detail` says what is known of the record. */
  | {
      readonly kind: 'store_unavailable';
      readonly detail: string;
      /** An executor of this process works on the operation and continues when the store answers. */
      readonly atWork?: boolean;
    };

/** The answer to a caller who may read the record, from the record as stored. */
export function answerOf(operation: Operation): OperationAnswer {
  switch (operation.status) {
    case 'succeeded':
      return { kind: 'succeeded', operation };
    case 'failed':
      return { kind: 'failed', operation };
    case 'reconciliation_required':
      return { kind: 'stopped', operation };
    case 'awaiting_payment':
      return { kind: 'to_confirm', operation };
    default:
      return { kind: 'unfinished', operation };
  }
}
