/** What the end of a checkout needs beyond the operations' ports. */
import type { RevisionedCollection } from '@platform/mongo';
import type { OperatorPorts } from '../../operations/workflows/ports';
import type { CheckoutReceipt } from '../domain/checkout-receipt';

export interface CheckoutPorts extends OperatorPorts {
  readonly receipts: RevisionedCollection<CheckoutReceipt>;
}
