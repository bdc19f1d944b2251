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

/** Why a plan cannot be sold at the provider's price of it, which its subscribers will pay; null: there is none. */
export function differencesFromPrice(
  { amountCents, currency, priceId }: PlanRequest,
  price: ProviderPrice | null,
): FieldComplaint[] {
  const unsold = (message: string) => [{ pointer: '/priceId', message }];
  if (price === null) return unsold(`the provider has no price ${priceId}; make it there first`);
  if (!price.active) return unsold(`the provider's price ${priceId} is inactive there, so it refuses every buyer`);
  const { unitAmount } = price;
  if (unitAmount === null) return unsold(`the provider's price ${priceId} has no single amount`);
  const shown = formatMoney({ amountCents: unitAmount, currency: price.currency });
  const message = `the provider's price ${priceId} is ${shown}: subscribers pay it`;
  if (price.currency !== currency) return [{ pointer: '/currency', message }];
  return unitAmount === amountCents ? [] : [{ pointer: '/amountCents', message }];
}

/** How often a price is paid. At the provider it never changes, like its amount. */
export function billedEveryOf({ interval, intervalCount }: ProviderPrice): BilledEvery {
  return { interval, count: intervalCount };
}

/** Sixteenths of a day, so that a month is the twelfth part of a year and each is a whole number. */
const spans = { day: 16, week: 7 * 16, month: 487, year: 12 * 487 } as const;

/** Undefined where the plan does not say how often it is paid; nothing is paid for a free plan at any time. */
function costOverTime({
  amountCents,
  billedEvery,
}: Plan): { readonly cents: number; readonly span: number } | undefined {
  if (amountCents === 0) return { cents: 0, span: 1 };
  return billedEvery && { cents: amountCents, span: spans[billedEvery.interval] * billedEvery.count };
}

/**
 * Above zero where `one` costs more over time than `other`, in the same currency. Where the interval of either is not
 * known, the amounts of one period are all there is to compare.
 */
export function comparedCost(one: Plan, other: Plan): number {
  const [a, b] = [costOverTime(one), costOverTime(other)];
  return a && b ? a.cents * b.span - b.cents * a.span : one.amountCents - other.amountCents;
}

/**
 * Orders plans for a customer who pays in `currency`: those first, then other currencies by their codes. In each the
 * cheapest over time comes first, and plans that do not say how often they are paid come last.
 */
export function cheapestFirst(currency: string | undefined): (one: Plan, other: Plan) => number {
  const rankOf = (plan: Plan) => [
    plan.currency === currency ? '' : plan.currency,
    costOverTime(plan) ? 'known' : 'unknown',
  ];
  return (one, other) => {
    const ranks = rankOf(one).map((rank, at) => rank.localeCompare(rankOf(other)[at]!));
    return ranks.find((rank) => rank !== 0) ?? comparedCost(one, other);
  };
}
