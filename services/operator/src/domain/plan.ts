/** A plan of the catalog. Amounts are integers in the currency's minor unit per month. */
import type { Revisioned } from '@platform/kernel';

export interface Plan extends Revisioned {
  readonly name: string;
  readonly amountCents: number;
  /** Lower-case ISO 4217 code. */
  readonly currency: string;
  /** The provider's price; absent for a free plan. */
  readonly priceId?: string;
  readonly offered: boolean;
}
