/** An object of the provider in evidence: its kind, its id, and the values that people and judgements compare. */

/** The kinds in the provider's terms. */
export type FoundKind =
  | 'customer'
  | 'subscription'
  | 'payment_method'
  | 'invoice'
  | 'customer_balance_transaction'
  | 'subscription_schedule'
  | 'checkout_session';

/** Amounts in minor units, instants in ISO 8601, lists joined with a blank. */
export type FoundSummary = Readonly<Record<string, string | number | boolean | null>>;

export interface FoundObject {
  readonly kind: FoundKind;
  readonly id: string;
  readonly summary: FoundSummary;
}

/** The plain values of an object without its own id and without its metadata, by which it was found. */
export function summaryOf(object: object): FoundSummary {
  const entries = Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'id' || name === 'metadata' || name === 'url' || name === 'emailDigest') return [];
    if (value instanceof Date) return [[name, value.toISOString()]];
    if (name === 'phases' && Array.isArray(value))
      return [['priceIds', value.map((phase: { readonly priceId: string }) => phase.priceId).join(' ')]];
    return value === null || ['string', 'number', 'boolean'].includes(typeof value) ? [[name, value]] : [];
  });
  return Object.fromEntries(entries) as FoundSummary;
}
