/**
 * The customer balance: every change is a transaction that contains the balance after it. Finalised invoices use the
 * credit.
 */
import { errors } from '../http/errors';
import type { BalanceTransaction, Customer } from '../tables';
import type { Twin } from '../twin';

export interface BalanceChange {
  /** Cents; negative gives the customer credit. */
  amount: number;
  currency: string;
  type: BalanceTransaction['type'];
  description?: string | null;
  metadata?: Record<string, string>;
  invoice?: string | null;
  creditNote?: string | null;
}

/** Changes a customer draft's balance and records the transaction. Throws when the currency differs. */
export function balanceChange(twin: Twin, customer: Customer, change: BalanceChange): BalanceTransaction {
  if (customer.currency && customer.currency !== change.currency)
    throw errors.invalid(
      `The customer's balance is in ${customer.currency}; a transaction in ${change.currency} cannot be added.`,
      'currency',
    );
  customer.currency = change.currency;
  customer.balance += change.amount;
  return twin.state.add('customer_balance_transaction', {
    id: twin.newId('cbtxn'),
    object: 'customer_balance_transaction',
    amount: change.amount,
    checkout_session: null,
    created: twin.now(),
    credit_note: change.creditNote ?? null,
    currency: change.currency,
    customer: customer.id,
    customer_account: null,
    description: change.description ?? null,
    ending_balance: customer.balance,
    invoice: change.invoice ?? null,
    livemode: false,
    metadata: change.metadata ?? {},
    type: change.type,
  });
}
