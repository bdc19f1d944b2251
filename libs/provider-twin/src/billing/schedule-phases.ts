/** Phases of a schedule: placed one after another, each with its items, and compared with a subscription's settings. */
import { errors } from '../http/errors';
import type { Price, Schedule, Subscription } from '../tables';
import type { Twin } from '../twin';
import type { ProrationBehaviour } from './changes';
import { periodStart } from './periods';
import { checkItems } from './items';

export type Phase = Schedule['phases'][number];

export interface PhaseFields {
  items: {
    price: Readonly<Price>;
    quantity: number;
    metadata: Record<string, string>;
    taxRates: string[];
    discounts: string[];
  }[];
  start?: number | undefined;
  end?: number | undefined;
  duration?: { interval: string; interval_count: number } | undefined;
  proration?: ProrationBehaviour | undefined;
  metadata: Record<string, string>;
  description: string | null;
  defaultMethod: string | null;
  contract: PhaseContract;
}

/** The settings of a phase besides its items. An update replaces phases as a whole, so omitted settings are unset. */
export interface PhaseContract {
  trialEnd: number | null;
  discounts: string[];
  taxRates: string[];
  automaticTax: boolean;
  collectionMethod: 'charge_automatically' | 'send_invoice' | null;
  daysUntilDue: number | null;
}

export const discountsOf = (ids: readonly string[]): Phase['discounts'] =>
  ids.map((discount) => ({ coupon: null, discount, promotion_code: null }));

const idOf = (each: string | { readonly id: string }): string => (typeof each === 'string' ? each : each.id);
const idsOf = (found: readonly (string | { readonly id: string })[] | null | undefined): string[] =>
  (found ?? []).map(idOf);

/** The current settings of a subscription, as the first phase of a schedule that is made from it. */
export function contractOf(subscription: Readonly<Subscription>): PhaseContract {
  return {
    trialEnd: subscription.status === 'trialing' ? subscription.trial_end : null,
    discounts: idsOf(subscription.discounts),
    taxRates: idsOf(subscription.default_tax_rates),
    automaticTax: subscription.automatic_tax.enabled,
    collectionMethod: subscription.collection_method === 'send_invoice' ? 'send_invoice' : null,
    daysUntilDue: subscription.days_until_due,
  };
}

/**
 * Gives a draft subscription a phase's settings besides its items. The twin stores taxes and discounts but does not
 * calculate them.
 */
export function applyContract(subscription: Subscription, phase: Phase): void {
  Object.assign(subscription, {
    discounts: phase.discounts.map(({ discount }) => discount),
    default_tax_rates: phase.default_tax_rates ?? [],
    automatic_tax: { ...subscription.automatic_tax, enabled: phase.automatic_tax?.enabled ?? false },
    collection_method: phase.collection_method ?? 'charge_automatically',
    days_until_due: phase.invoice_settings?.days_until_due ?? null,
    default_payment_method: phase.default_payment_method,
  });
}

/** Places the phases one after another from `start`. Throws when they are out of order. */
export function layPhases(fields: PhaseFields[], start: number): Phase[] {
  let at = start;
  return fields.map((phase, index) => {
    const first = checkItems(phase.items.map((each) => each.price));
    const begin = phase.start ?? at;
    if (begin !== at)
      throw errors.invalid(
        'The start date of a phase must be the end date of the phase before it.',
        `phases[${index}][start_date]`,
      );
    const every = phase.duration ?? first.recurring;
    if (!every) throw errors.missing(`phases[${index}][end_date]`);
    const end = phase.end ?? periodStart(begin, every, 1);
    if (end <= begin) throw errors.invalid('A phase must end after it starts.', `phases[${index}][end_date]`);
    at = end;
    return {
      add_invoice_items: [],
      application_fee_percent: null,
      billing_cycle_anchor: null,
      billing_thresholds: null,
      automatic_tax: { disabled_reason: null, enabled: phase.contract.automaticTax, liability: null },
      collection_method: phase.contract.collectionMethod,
      currency: first.currency,
      default_payment_method: phase.defaultMethod,
      default_tax_rates: phase.contract.taxRates as unknown as NonNullable<Phase['default_tax_rates']>,
      description: phase.description,
      discounts: discountsOf(phase.contract.discounts),
      end_date: end,
      invoice_settings:
        phase.contract.daysUntilDue === null
          ? null
          : {
              account_tax_ids: null,
              custom_fields: null,
              days_until_due: phase.contract.daysUntilDue,
              description: null,
              footer: null,
              issuer: null,
            },
      items: phase.items.map((each) => ({
        billing_thresholds: null,
        discounts: discountsOf(each.discounts),
        metadata: each.metadata,
        plan: each.price.id,
        price: each.price.id,
        quantity: each.quantity,
        tax_rates: each.taxRates as unknown as NonNullable<Phase['items'][number]['tax_rates']>,
      })),
      metadata: phase.metadata,
      on_behalf_of: null,
      proration_behavior: phase.proration ?? 'create_prorations',
      start_date: begin,
      transfer_data: null,
      trial_end: phase.contract.trialEnd,
    };
  });
}

export const phaseItems = (subscription: Readonly<Subscription>): PhaseFields['items'] =>
  subscription.items.data.map((item) => ({
    price: item.price,
    quantity: item.quantity ?? 1,
    metadata: { ...item.metadata },
    taxRates: idsOf(item.tax_rates),
    discounts: idsOf(item.discounts),
  }));

export function pricesOf(twin: Twin, phase: Phase): PhaseFields['items'] {
  return phase.items.map((each) => {
    const price = twin.state.get('price', each.price);
    if (!price) throw new Error(`no price ${each.price}`);
    return {
      price,
      quantity: each.quantity ?? 1,
      metadata: { ...each.metadata },
      taxRates: idsOf(each.tax_rates),
      discounts: each.discounts.flatMap(({ discount }) => (discount ? [idOf(discount)] : [])),
    };
  });
}

export function sameItems(subscription: Readonly<Subscription>, phase: Phase): boolean {
  const now = subscription.items.data
    .map((item) => `${item.price.id}×${item.quantity}`)
    .sort()
    .join();
  return (
    now ===
    phase.items
      .map((item) => `${item.price}×${item.quantity}`)
      .sort()
      .join()
  );
}
