/** Collection `credit_allowances`: `_id` is `<day>:<currency>:<person>`. */
import type { CollectionDeclaration } from '@platform/mongo';
import type { CreditAllowance } from '../domain/credit-allowance';

export const creditAllowancesCollection: CollectionDeclaration<CreditAllowance> = {
  name: 'credit_allowances',
  indexes: [],
};
