/** Refunds: money returned to a card, never more than was taken. */
import { clone } from '../clone';
import { errors } from '../http/errors';
import type { Refund } from '../tables';
import type { Twin } from '../twin';

export interface RefundFields {
  charge: string;
  amount?: number | undefined;
  reason?: string | null;
  metadata?: Record<string, string>;
}

/** Refunds a charge or a part of it. Throws when it was already refunded or the amount exceeds the rest. */
export function refundCharge(twin: Twin, fields: RefundFields): Refund {
  const charge = twin.state.edit('charge', fields.charge);
  if (charge.status !== 'succeeded')
    throw errors.invalid('This charge failed, so it cannot be refunded.', 'charge', 'charge_not_refundable');
  const left = charge.amount - charge.amount_refunded;
  if (left === 0)
    throw errors.invalid(`Charge ${charge.id} has already been refunded.`, undefined, 'charge_already_refunded');
  const amount = fields.amount ?? left;
  if (amount > left)
    throw errors.invalid(
      `Refund amount ($${(amount / 100).toFixed(2)}) is greater than unrefunded amount on charge ($${(left / 100).toFixed(2)})`,
      'amount',
    );
  const before = clone(charge);
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  const refund = twin.state.add('refund', {
    id: twin.newId('re'),
    object: 'refund',
    amount,
    balance_transaction: twin.newId('txn'),
    charge: charge.id,
    created: twin.now(),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata: fields.metadata ?? {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: fields.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  });
  twin.charge(-amount);
  twin.emit('refund.created', refund);
  twin.emit('charge.refunded', charge, before);
  return refund;
}

/** The charge that paid an intent. */
export function chargeOfIntent(twin: Twin, intent: string): string | undefined {
  return twin.state.where('charge', 'payment_intent', intent).find((each) => each.status === 'succeeded')?.id;
}
