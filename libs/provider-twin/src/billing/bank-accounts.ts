/**
 * Bank accounts, whose payments a bank answers days later: until then they are `processing`, neither a success nor a
 * refusal. The documented test names do not define the time; a person who plays the bank answers.
 */
import { hashText } from '../ids';
import type { PaymentMethod } from '../tables';

const testNames: ReadonlySet<string> = new Set(['pm_usBankAccount_success', 'pm_usBankAccount_insufficientFunds']);

/** Whether this is a documented name of a bank account. */
export const isBankAccountName = (name: string): boolean => testNames.has(name);

/** Whether payments by this method wait for a bank. */
export const isAnsweredLater = ({ type }: Pick<PaymentMethod, 'type'>): boolean => type === 'us_bank_account';

/** The fields of a stored method that replace a card. */
export function bankAccountFields(name: string): Pick<PaymentMethod, 'type' | 'us_bank_account'> {
  return {
    type: 'us_bank_account',
    us_bank_account: {
      account_holder_type: 'individual',
      account_type: 'checking',
      bank_name: 'STRIPE TEST BANK',
      financial_connections_account: null,
      fingerprint: hashText(16, 'bank', name),
      last4: '6789',
      networks: { preferred: 'ach', supported: ['ach'] },
      routing_number: '110000000',
      status_details: null,
    },
  };
}
