// Phases of a schedule: laid one after another, each with its items, and compared with what a subscription has.
import { errors } from '../http/errors';
import type { Price, Schedule, Subscription } from '../tables';
import type { Twin } from '../twin';
import type { ProrationBehaviour } from './changes';
import { periodStart } from './periods';
import { checkItems } from './items';

export type Phase = Schedule['phases'][number];

export interface PhaseFields {
  items: { price: Readonly<Price>; quantity: number; metadata: Record<string, string> }[];
  start?: number | undefined;
  end?: number | undefined;
  duration?: { interval: string; interval_count: number } | undefined;
  proration?: ProrationBehaviour | undefined;
  metadata: Record<string, string>;
  description: string | null;
  defaultMethod: string | null;
}

/** Lays the phases one after another from `start`. Throws when they are out of order. */
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
      collection_method: null,
      currency: first.currency,
      default_payment_method: phase.defaultMethod,
      description: phase.description,
      discounts: [],
      end_date: end,
      invoice_settings: null,
      items: phase.items.map((each) => ({
        billing_thresholds: null,
        discounts: [],
        metadata: each.metadata,
        plan: each.price.id,
        price: each.price.id,
        quantity: each.quantity,
        tax_rates: [],
      })),
      metadata: phase.metadata,
      on_behalf_of: null,
      proration_behavior: phase.proration ?? 'create_prorations',
      start_date: begin,
      transfer_data: null,
      trial_end: null,
    };
  });
}

export const phaseItems = (subscription: Readonly<Subscription>): PhaseFields['items'] =>
  subscription.items.data.map((item) => ({
    price: item.price,
    quantity: item.quantity ?? 1,
    metadata: { ...item.metadata },
  }));

export function pricesOf(twin: Twin, phase: Phase): PhaseFields['items'] {
  return phase.items.map((each) => {
    const price = twin.state.get('price', each.price);
    if (!price) throw new Error(`no price ${each.price}`);
    return { price, quantity: each.quantity ?? 1, metadata: { ...each.metadata } };
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
