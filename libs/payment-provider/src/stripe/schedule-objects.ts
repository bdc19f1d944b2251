/**
 * Decodes schedules and recurring prices. A phase is read completely, in the notation of a request, because an update
 * unsets every omitted setting.
 */
import { z } from 'zod';
import type { PhaseSettings, ProviderPrice, ProviderSchedule, SchedulePhase } from '../objects';
import { id, metadata, reference, unixSeconds } from './provider-objects';

/** Values that a request leaves out: nothing, an empty list and an empty hash have the same meaning. */
function given(entries: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entries).filter(
      ([, value]) =>
        value !== null && value !== undefined && !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  );
}

const references = z
  .array(reference)
  .nullish()
  .transform((found) => found ?? []);
/** An existing discount is sent as itself; redeeming its coupon again would start it again. */
const discounts = z
  .array(
    z
      .object({ coupon: reference.nullish(), discount: reference.nullish(), promotion_code: reference.nullish() })
      .transform(({ coupon, discount, promotion_code }) =>
        discount ? { discount } : promotion_code ? { promotion_code } : { coupon: coupon ?? '' },
      ),
  )
  .nullish();
const liability = z.object({ type: z.string(), account: reference.nullish() }).nullish();
const thresholds = z
  .object({ amount_gte: z.number().nullish(), reset_billing_cycle_anchor: z.boolean().nullish() })
  .nullish();

const item = z.object({
  price: reference,
  quantity: z.number().int().nullish(),
  tax_rates: references,
  discounts,
  metadata,
  billing_thresholds: z.object({ usage_gte: z.number() }).nullish(),
});

/** Metadata and extra items of the phase were applied when it began; they are still sent so that they are not unset. */
const phase = z
  .object({
    start_date: unixSeconds,
    end_date: unixSeconds,
    items: z.array(item).min(1),
    application_fee_percent: z.number().nullish(),
    automatic_tax: z.object({ enabled: z.boolean(), liability }).nullish(),
    billing_cycle_anchor: z.string().nullish(),
    billing_thresholds: thresholds,
    collection_method: z.string().nullish(),
    default_payment_method: reference.nullish(),
    default_tax_rates: references,
    description: z.string().nullish(),
    discounts,
    invoice_settings: z
      .object({
        account_tax_ids: references,
        custom_fields: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
        days_until_due: z.number().int().nullish(),
        description: z.string().nullish(),
        footer: z.string().nullish(),
        issuer: liability,
      })
      .nullish(),
    metadata,
    on_behalf_of: reference.nullish(),
    proration_behavior: z.string().nullish(),
    transfer_data: z.object({ amount_percent: z.number().nullish(), destination: reference }).nullish(),
    trial_end: z.number().int().nullish(),
  })
  .transform(({ start_date: startDate, end_date: endDate, items, ...kept }): SchedulePhase => {
    const { automatic_tax: tax, invoice_settings: invoicing, ...plain } = kept;
    const settings = {
      items: items.map((each) => given(each)),
      ...given({
        ...plain,
        ...(tax && { automatic_tax: given({ ...tax, liability: tax.liability && given(tax.liability) }) }),
        ...(invoicing && {
          invoice_settings: given({ ...invoicing, issuer: invoicing.issuer && given(invoicing.issuer) }),
        }),
        ...(plain.billing_thresholds && { billing_thresholds: given(plain.billing_thresholds) }),
        ...(plain.transfer_data && { transfer_data: given(plain.transfer_data) }),
      }),
    };
    return { startDate, endDate, priceId: items[0]!.price, settings: settings as unknown as PhaseSettings };
  });

const schedule = z.object({
  id,
  status: z.enum(['not_started', 'active', 'completed', 'released', 'canceled']),
  subscription: reference.nullish().transform((found) => found ?? null),
  current_phase: z.object({ start_date: unixSeconds }).nullish(),
  phases: z.array(phase),
  metadata,
});

/** Undefined when the answer is not a schedule whose phases have a price. */
export function decodeSchedule(answer: unknown): ProviderSchedule | undefined {
  const { success, data } = schedule.safeParse(answer);
  if (!success) return undefined;
  return {
    id: data.id,
    status: data.status,
    subscriptionId: data.subscription,
    phases: data.phases,
    runningSince: data.current_phase?.start_date ?? null,
    metadata: data.metadata,
  };
}

const price = z.object({
  id,
  currency: z.string(),
  unit_amount: z.number().int().nullish(),
  active: z.boolean(),
  recurring: z.object({ interval: z.enum(['day', 'week', 'month', 'year']), interval_count: z.number().int().min(1) }),
});

/** Undefined when the answer is not a recurring price. */
export function decodePrice(answer: unknown): ProviderPrice | undefined {
  const { success, data } = price.safeParse(answer);
  if (!success) return undefined;
  return {
    id: data.id,
    unitAmount: data.unit_amount ?? null,
    currency: data.currency,
    interval: data.recurring.interval,
    intervalCount: data.recurring.interval_count,
    active: data.active,
  };
}
