/** The fake's customer balances: every transaction moves the balance and is kept. */
import type { Ids } from '@platform/kernel';
import type { ProviderBalanceTransaction, ProviderCustomer } from '../port';
import type { BalanceTransactionDraft } from '../requests';
import { invalid, missing, type Change } from './change';

interface Account {
  readonly customers: Map<string, ProviderCustomer>;
  readonly transactions: ProviderBalanceTransaction[];
  readonly ids: Ids;
  readonly now: () => Date;
}

export function createBalances({ customers, transactions, ids, now }: Account) {
  return {
    addBalanceTransaction(
      draft: BalanceTransactionDraft,
      metadata: Readonly<Record<string, string>>,
    ): Change<ProviderBalanceTransaction> {
      const customer = customers.get(draft.customerId);
      if (!customer || customer.deleted) return missing('customer');
      if (customer.currency !== null && customer.currency !== draft.currency) return invalid('currency');
      return {
        apply: () => {
          const balance = customer.balance + draft.amount;
          const transaction = {
            id: `cbtxn_${ids.next()}`,
            customerId: customer.id,
            amount: draft.amount,
            currency: draft.currency,
            endingBalance: balance,
            createdAt: now(),
            metadata,
          };
          customers.set(customer.id, { ...customer, balance, currency: draft.currency });
          transactions.push(transaction);
          return transaction;
        },
      };
    },
  };
}
