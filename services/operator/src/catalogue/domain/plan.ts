/** A plan of the catalog. Amounts are integers in the currency's minor unit, for one billing period. */
import type { Revisioned } from '@platform/kernel';
import { formatMoney, type BilledEvery, type PlanRequest } from '@platform/contracts-operator';
import type { ProviderPrice } from '@platform/payment-provider/effects';

export interface Plan extends Revisioned {
  readonly name: string;
  readonly amountCents: number;
  /** Lower-case ISO 4217 code. */
  readonly currency: string;
  /** The provider's price; absent for a free plan. */
  readonly priceId?: string;
  /**
   * How often the price is paid, as the provider said when the plan was written. Absent for a free plan, in records of
   * releases that did not keep it, and while the provider has not said it.
   */
  readonly billedEvery?: BilledEvery;
  readonly offered: boolean;
}

export interface FieldComplaint {
  readonly pointer: string;
  readonly message: string;
}

/**
 * What is wrong with writing this plan over the stored one, if any. Money of a stored plan never changes: its
 * subscribers pay it.
 */
export function complaintsAbout(request: PlanRequest, standing: Plan | null): FieldComplaint[] {
  const complaints: FieldComplaint[] = [];
  if (request.amountCents > 0 && request.priceId === undefined)
    complaints.push({ pointer: '/priceId', message: "a paid plan needs the provider's price" });
  // A stored free plan may have a price, and keeps it.
  if (!standing && request.amountCents === 0 && request.priceId !== undefined)
    complaints.push({ pointer: '/priceId', message: 'a free plan has no price at the provider' });
  if (!standing) return complaints;
  for (const field of ['amountCents', 'currency', 'priceId'] as const) {
    if (standing[field] !== request[field])
      complaints.push({
        pointer: `/${field}`,
        message: `cannot change from ${standing[field] ?? 'none'}: subscribers pay it; make a new plan and migrate to it`,
      });
  }
  return complaints;
}

/** What differs between a new plan and the provider's price of it, which its subscribers will pay. */
export function differencesFromPrice(
  { amountCents, currency, priceId }: PlanRequest,
  price: ProviderPrice,
): FieldComplaint[] {
  const { unitAmount } = price;
  if (unitAmount === null)
    return [{ pointer: '/priceId', message: `the provider's price ${priceId} has no single amount` }];
  const shown = formatMoney({ amountCents: unitAmount, currency: price.currency });
  const message = `the provider's price ${priceId} is ${shown}: subscribers pay it`;
  if (price.currency !== currency) return [{ pointer: '/currency', message }];
  return unitAmount === amountCents ? [] : [{ pointer: '/amountCents', message }];
}

/** How often a price is paid. At the provider it never changes, like its amount. */
export function billedEveryOf({ interval, intervalCount }: ProviderPrice): BilledEvery {
  return { interval, count: intervalCount };
}
