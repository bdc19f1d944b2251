/**
 * One attempt to take money from a card: it ends as a charge that succeeded or failed. All money that moves is recorded
 * in the ledger only here and in refunds.
 */
import { clone } from '../clone';
import type { Charge, PaymentIntent, PaymentMethod } from '../tables';
import { documentOrigin, type Twin } from '../twin';
import { declineMessage } from './cards';

export interface Decline {
  code: string;
  declineCode: string;
}

function cardDetails(
  method: Readonly<PaymentMethod>,
  amount: number,
  paid: boolean,
): NonNullable<Charge['payment_method_details']> {
  const card = method.card;
  return {
    card: {
      amount_authorized: paid ? amount : null,
      authorization_code: null,
      brand: card?.brand ?? null,
      checks: {
        address_line1_check: null,
        address_postal_code_check: null,
        cvc_check: card?.checks?.cvc_check ?? null,
      },
      country: card?.country ?? null,
      electronic_commerce_indicator: null,
      exp_month: card?.exp_month ?? 1,
      exp_year: card?.exp_year ?? 2030,
      fingerprint: card?.fingerprint ?? null,
      funding: card?.funding ?? null,
      installments: null,
      last4: card?.last4 ?? null,
      mandate: null,
      network: card?.brand ?? null,
      network_transaction_id: null,
      regulated_status: 'unregulated',
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
    type: 'card',
  };
}

function outcomeOf(decline: Decline | undefined): NonNullable<Charge['outcome']> {
  if (!decline)
    return {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: 'approved_by_network',
      reason: null,
      risk_level: 'normal',
      risk_score: 20,
      seller_message: 'Payment complete.',
      type: 'authorized',
    };
  const blocked = decline.declineCode === 'fraudulent';
  return {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: null,
    network_status: blocked ? 'not_sent_to_network' : 'declined_by_network',
    reason: blocked ? 'highest_risk_level' : decline.declineCode,
    risk_level: blocked ? 'highest' : 'normal',
    risk_score: blocked ? 90 : 20,
    seller_message: 'The bank did not return any further details with this decline.',
    type: blocked ? 'blocked' : 'issuer_declined',
  };
}

/** Records the attempt of an intent on a method: paid when there is no decline. */
export function newCharge(
  twin: Twin,
  intent: PaymentIntent,
  method: Readonly<PaymentMethod>,
  decline?: Decline,
): Charge {
  const paid = !decline;
  const charge = twin.state.add('charge', {
    id: twin.newId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: paid ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: paid ? twin.newId('txn') : null,
    billing_details: clone(method.billing_details),
    calculated_statement_descriptor: 'PROVIDER TWIN',
    captured: paid,
    created: twin.now(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline ? declineMessage(decline.declineCode) : null,
    fraud_details: {},
    livemode: false,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: outcomeOf(decline),
    paid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: cardDetails(method, intent.amount, paid),
    receipt_email: null,
    receipt_number: null,
    receipt_url: paid ? `${documentOrigin}/receipts/${intent.id}` : null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: paid ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
  });
  if (paid) twin.charge(intent.amount);
  twin.emit(paid ? 'charge.succeeded' : 'charge.failed', charge);
  return charge;
}
