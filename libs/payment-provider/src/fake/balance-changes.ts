/** The fake's customer balances: every transaction changes the balance and is kept. */
import type { Ids } from '@platform/kernel';
import type { ProviderBalanceTransaction, ProviderCustomer } from '../objects';
import { invalid, missing, type Behaviours } from './behaviour';

interface Account {
  readonly customers: Map<string, ProviderCustomer>;
  readonly transactions: ProviderBalanceTransaction[];
  readonly ids: Ids;
  readonly now: () => Date;
}

export function balanceBehaviours({ customers, transactions, ids, now }: Account): Behaviours<'balance_credit'> {
  return {
    balance_credit: ({ customerId, amountCents, currency }, metadata) => {
      const customer = customers.get(customerId);
      if (!customer || customer.deleted) return missing('customer');
      if (customer.currency !== null && customer.currency !== currency) return invalid('currency');
      return {
        apply: () => {
          const balance = customer.balance - amountCents;
          const transaction = {
            id: `cbtxn_${ids.next()}`,
            customerId,
            amount: -amountCents,
            currency,
            endingBalance: balance,
            createdAt: now(),
            type: 'adjustment',
            metadata,
          };
          customers.set(customerId, { ...customer, balance, currency });
          transactions.push(transaction);
          return transaction;
        },
      };
    },
  };
}
