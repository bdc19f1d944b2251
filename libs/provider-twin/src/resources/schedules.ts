/**
 * Subscription schedules: deferred changes of a subscription, which the platform uses for plan changes at the end of a
 * period.
 */
import { clone } from '../clone';
import { cancelSubscription } from '../billing/cancellation';
import { createSchedule, scheduleOf } from '../billing/schedule-beginning';
import { releaseSchedule, replacePhases } from '../billing/schedules';
import type { PhaseContract, PhaseFields } from '../billing/schedule-phases';
import { created, endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
import {
  changedMetadata,
  currency,
  either,
  flag,
  hash,
  integer,
  list,
  metadata,
  notOffered,
  oneOf,
  only,
  required,
  text,
  timestamp,
  unsettable,
  type Read,
} from '../http/params';
import type { Schedule } from '../tables';
import type { Twin } from '../twin';
import { selected } from './listing';
import { customerNamed, found, newestFirst, referenced } from './lookup';
import { ownMethod } from './payment-methods';
import { inlinePriceParam } from './price-params';
import { priceNamed } from './requested-price';

/** Discounts that the subscription already has; the twin redeems no coupons. */
const heldDiscounts = list(
  hash({
    discount: required(text()),
    coupon: notOffered('coupons; name an existing discount'),
    promotion_code: notOffered('promotion codes; name an existing discount'),
  }),
  20,
);
const rates = list(text(), 10);
const moment = either(timestamp, oneOf('now'));
const automatic = only(
  oneOf('automatic', 'phase_start'),
  (each) => each === 'automatic',
  'other anchors than the automatic one',
);
const proration = oneOf('create_prorations', 'none', 'always_invoice');
const phase = hash({
  items: required(
    list(
      hash({
        price: text(),
        price_data: inlinePriceParam,
        quantity: integer(0, 1_000_000),
        metadata,
        tax_rates: rates,
        discounts: heldDiscounts,
      }),
      20,
    ),
  ),
  start_date: moment,
  end_date: moment,
  duration: hash({
    interval: required(oneOf('day', 'week', 'month', 'year')),
    interval_count: integer(1, 1095),
  }),
  currency,
  proration_behavior: proration,
  metadata,
  description: unsettable(text(500)),
  default_payment_method: text(),
  collection_method: oneOf('charge_automatically', 'send_invoice'),
  billing_cycle_anchor: automatic,
  trial: notOffered('trials of whole phases; use trial_end'),
  trial_end: timestamp,
  discounts: heldDiscounts,
  add_invoice_items: notOffered('additional invoice items'),
  automatic_tax: hash({ enabled: required(flag) }),
  default_tax_rates: rates,
  invoice_settings: hash({ days_until_due: integer(0, 365) }),
});
const shared = {
  metadata,
  end_behavior: oneOf('release', 'cancel', 'none', 'renew'),
  phases: list(phase, 10),
  default_settings: hash({
    collection_method: oneOf('charge_automatically'),
    billing_cycle_anchor: automatic,
    default_payment_method: notOffered('it here; set it on phases'),
    description: notOffered('it here; set it on phases'),
  }),
};

function contractGiven(
  each: NonNullable<Read<typeof shared>['phases']>[number],
  end: number | undefined,
  index: number,
): PhaseContract {
  if (each.trial_end !== undefined && end !== undefined && each.trial_end > end)
    throw errors.invalid('The trial of a phase must end with it or before.', `phases[${index}][trial_end]`);
  return {
    trialEnd: each.trial_end ?? null,
    discounts: (each.discounts ?? []).map(({ discount }) => discount),
    taxRates: each.default_tax_rates ?? [],
    automaticTax: each.automatic_tax?.enabled ?? false,
    collectionMethod: each.collection_method ?? null,
    daysUntilDue: each.invoice_settings?.days_until_due ?? null,
  };
}

/** A schedule has one currency, that of its first price. */
function checkCurrency(phases: readonly PhaseFields[]): PhaseFields[] {
  const expected = phases[0]?.items[0]?.price.currency;
  phases.forEach(({ items }, index) =>
    items.forEach(({ price: { currency: found } }, n) => {
      if (found !== expected)
        throw errors.invalid(
          `The price specified only supports \`${found}\`. This doesn't match the expected currency: \`${expected}\`.`,
          `phases[${index}][items][${n}][price]`,
        );
    }),
  );
  return [...phases];
}

function phases(twin: Twin, given: NonNullable<Read<typeof shared>['phases']>, customer: string): PhaseFields[] {
  const at = (value: number | 'now' | undefined): number | undefined => (value === 'now' ? twin.now() : value);
  const fields = given.map((each, index) => {
    if (each.default_payment_method)
      ownMethod(twin, customer, each.default_payment_method, `phases[${index}][default_payment_method]`);
    return {
      items: each.items.map((item, n) => {
        const price = priceNamed(twin, item, `phases[${index}][items][${n}]`);
        if (!price) throw errors.missing(`phases[${index}][items][${n}][price]`);
        return {
          price,
          quantity: item.quantity ?? 1,
          metadata: changedMetadata({}, item.metadata),
          taxRates: item.tax_rates ?? [],
          discounts: (item.discounts ?? []).map(({ discount }) => discount),
        };
      }),
      start: at(each.start_date),
      end: at(each.end_date),
      duration: each.duration && {
        interval: each.duration.interval,
        interval_count: each.duration.interval_count ?? 1,
      },
      proration: each.proration_behavior,
      metadata: changedMetadata({}, each.metadata),
      description: each.description ?? null,
      defaultMethod: each.default_payment_method ?? null,
      contract: contractGiven(each, at(each.end_date), index),
    };
  });
  return checkCurrency(fields);
}

function setShared(schedule: Schedule, given: Read<typeof shared>): void {
  if (given.end_behavior === 'none' || given.end_behavior === 'renew')
    throw errors.notOffered(`end_behavior=${given.end_behavior}`, 'end_behavior');
  if (given.end_behavior) schedule.end_behavior = given.end_behavior;
  schedule.metadata = changedMetadata(schedule.metadata, given.metadata);
}

function running(twin: Twin, id: string | undefined, verb: string): Schedule {
  const schedule = twin.state.edit('subscription_schedule', found(twin, 'subscription_schedule', id).id);
  if (!['active', 'not_started'].includes(schedule.status))
    throw errors.invalid(
      `You cannot ${verb} a subscription schedule that is currently in the \`${schedule.status}\` status.`,
    );
  return schedule;
}

export const scheduleEndpoints = [
  endpoint(
    'POST',
    '/v1/subscription_schedules',
    { ...shared, customer: text(), from_subscription: text(), start_date: moment },
    (twin, given) => {
      const source = given.from_subscription;
      if (source !== undefined) {
        const extra = (['customer', 'phases', 'start_date', 'end_behavior', 'default_settings'] as const).find(
          (name) => given[name] !== undefined,
        );
        if (extra) throw errors.invalid(`You cannot set \`${extra}\` if \`from_subscription\` is set.`, extra);
        return scheduleOf(
          twin,
          referenced(twin, 'subscription', source, 'from_subscription').id,
          changedMetadata({}, given.metadata),
        );
      }
      if (given.customer === undefined) throw errors.missing('customer');
      if (!given.phases?.length) throw errors.missing('phases');
      const customer = customerNamed(twin, given.customer);
      const start = given.start_date === undefined || given.start_date === 'now' ? twin.now() : given.start_date;
      if (start < twin.now()) throw errors.notOffered('backdating', 'start_date');
      const schedule = createSchedule(
        twin,
        customer,
        phases(twin, given.phases, customer.id),
        start,
        'release',
        changedMetadata({}, given.metadata),
      );
      const { metadata: _metadata, ...rest } = given;
      setShared(schedule, rest);
      return schedule;
    },
  ),
  endpoint('GET', '/v1/subscription_schedules/:schedule', {}, (twin, _given, { schedule }) =>
    found(twin, 'subscription_schedule', schedule),
  ),
  endpoint(
    'POST',
    '/v1/subscription_schedules/:schedule',
    { ...shared, proration_behavior: proration },
    (twin, given, { schedule: id }) => {
      const before = clone(found(twin, 'subscription_schedule', id));
      const schedule = running(twin, id, 'update');
      setShared(schedule, given);
      if (given.phases)
        replacePhases(twin, schedule, phases(twin, given.phases, String(schedule.customer)), given.proration_behavior);
      twin.emit('subscription_schedule.updated', schedule, before);
      return schedule;
    },
  ),
  endpoint(
    'POST',
    '/v1/subscription_schedules/:schedule/release',
    { preserve_cancel_date: flag },
    (twin, _given, { schedule: id }) => {
      const schedule = running(twin, id, 'release');
      releaseSchedule(twin, schedule);
      return schedule;
    },
  ),
  endpoint(
    'POST',
    '/v1/subscription_schedules/:schedule/cancel',
    { invoice_now: flag, prorate: flag },
    (twin, given, { schedule: id }) => {
      const schedule = running(twin, id, 'cancel');
      if (schedule.subscription)
        cancelSubscription(twin, schedule.subscription, { invoiceNow: given.invoice_now, prorate: given.prorate });
      else {
        Object.assign(schedule, { status: 'canceled', canceled_at: twin.now() });
        twin.emit('subscription_schedule.canceled', schedule);
      }
      return schedule;
    },
  ),
  endpoint(
    'GET',
    '/v1/subscription_schedules',
    { ...page, customer: text(), created, scheduled: flag },
    (twin, given) =>
      pageOf(
        newestFirst(
          twin,
          'subscription_schedule',
          (each) =>
            selected(each, given, ['customer']) &&
            (given.scheduled === undefined || (each.status === 'not_started') === given.scheduled),
        ),
        given,
        '/v1/subscription_schedules',
        'subscription_schedule',
      ),
  ),
];
