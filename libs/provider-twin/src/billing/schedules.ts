// Subscription schedules: phases that give a subscription other items at set moments. The schedule acts before the
// renewal of the same moment, so a phase that begins with a period bills that period at its own prices.
import { clone } from '../clone';
import { errors } from '../http/errors';
import type { Customer, Price, Schedule, Subscription } from '../tables';
import type { Twin } from '../twin';
import { cancelSubscription } from './cancellation';
import { changeItems, type ProrationBehaviour } from './changes';
import { periodStart } from './periods';
import { checkItems, createSubscription, currentPeriod, newItem } from './subscriptions';

type Phase = Schedule['phases'][number];

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

export type EndBehaviour = 'release' | 'cancel';

/** Lays the phases one after another from `start`. Throws when they are out of order. */
function layPhases(fields: PhaseFields[], start: number): Phase[] {
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

function blankSchedule(
  twin: Twin,
  customer: string,
  phases: Phase[],
  end: EndBehaviour,
  metadata: Record<string, string>,
): Schedule {
  return twin.state.add('subscription_schedule', {
    id: twin.newId('sub_sched'),
    object: 'subscription_schedule',
    application: null,
    billing_mode: {
      flexible: { proration_discounts: 'included' },
      type: 'flexible',
    },
    canceled_at: null,
    completed_at: null,
    created: twin.now(),
    current_phase: null,
    customer,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      automatic_tax: { disabled_reason: null, enabled: false, liability: null },
      billing_cycle_anchor: 'automatic',
      billing_thresholds: null,
      collection_method: 'charge_automatically',
      default_payment_method: null,
      description: null,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        days_until_due: null,
        description: null,
        footer: null,
        issuer: { type: 'self' },
      },
      on_behalf_of: null,
      transfer_data: null,
    },
    end_behavior: end,
    livemode: false,
    metadata,
    pause_schedules: [],
    phases,
    released_at: null,
    released_subscription: null,
    status: 'not_started',
    subscription: null,
    test_clock: null,
  });
}

/** A schedule with one phase: what the subscription has now, until the end of its period. */
export function scheduleOf(twin: Twin, subscriptionId: string, metadata: Record<string, string>): Schedule {
  const subscription = twin.state.edit('subscription', subscriptionId);
  if (subscription.schedule)
    throw errors.invalid(
      `This subscription is already attached to a schedule: \`${subscription.schedule}\`.`,
      'from_subscription',
    );
  if (['canceled', 'incomplete', 'incomplete_expired'].includes(subscription.status))
    throw errors.invalid(
      `You cannot migrate a subscription with status ${subscription.status} to a schedule.`,
      'from_subscription',
    );
  const period = currentPeriod(subscription);
  const phases = layPhases(
    [
      {
        items: phaseItems(subscription),
        start: period.start,
        end: period.end,
        metadata: {},
        description: null,
        defaultMethod: null,
      },
    ],
    period.start,
  );
  const schedule = blankSchedule(
    twin,
    subscription.customer,
    phases,
    subscription.cancel_at_period_end ? 'cancel' : 'release',
    metadata,
  );
  Object.assign(schedule, {
    status: 'active',
    subscription: subscription.id,
    current_phase: { start_date: period.start, end_date: period.end },
  });
  subscription.schedule = schedule.id;
  twin.emit('subscription_schedule.created', schedule);
  return schedule;
}

const phaseItems = (subscription: Readonly<Subscription>): PhaseFields['items'] =>
  subscription.items.data.map((item) => ({
    price: item.price,
    quantity: item.quantity ?? 1,
    metadata: { ...item.metadata },
  }));

/** A schedule for a new subscription, which begins now or at the start date. */
export function createSchedule(
  twin: Twin,
  customer: Readonly<Customer>,
  fields: PhaseFields[],
  start: number,
  end: EndBehaviour,
  metadata: Record<string, string>,
): Schedule {
  const schedule = blankSchedule(twin, customer.id, layPhases(fields, start), end, metadata);
  twin.emit('subscription_schedule.created', schedule);
  if (start <= twin.now()) beginSchedule(twin, schedule);
  return schedule;
}

function pricesOf(twin: Twin, phase: Phase): PhaseFields['items'] {
  return phase.items.map((each) => {
    const price = twin.state.get('price', each.price);
    if (!price) throw new Error(`no price ${each.price}`);
    return { price, quantity: each.quantity ?? 1, metadata: { ...each.metadata } };
  });
}

/** Makes the subscription of a schedule that waited for its start. */
function beginSchedule(twin: Twin, schedule: Schedule): void {
  const [phase] = schedule.phases;
  const customer = twin.state.get('customer', String(schedule.customer));
  if (!phase || !customer) throw new Error(`${schedule.id} cannot begin`);
  const subscription = createSubscription(twin, {
    customer,
    items: pricesOf(twin, phase),
    metadata: { ...phase.metadata },
    deferred: true,
    defaultMethod: phase.default_payment_method,
    description: phase.description,
  });
  subscription.schedule = schedule.id;
  Object.assign(schedule, {
    status: 'active',
    subscription: subscription.id,
    current_phase: { start_date: phase.start_date, end_date: phase.end_date },
  });
  twin.emit('subscription_schedule.updated', schedule, {
    ...schedule,
    status: 'not_started',
    subscription: null,
    current_phase: null,
  });
}

function sameItems(subscription: Readonly<Subscription>, phase: Phase): boolean {
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

/** Gives the subscription of a schedule the items of a phase. */
function applyPhase(twin: Twin, schedule: Readonly<Schedule>, phase: Phase): void {
  const id = String(schedule.subscription);
  const before = clone(twin.state.get('subscription', id));
  const subscription = twin.state.edit('subscription', id);
  if (phase.metadata && Object.keys(phase.metadata).length > 0)
    subscription.metadata = { ...subscription.metadata, ...phase.metadata };
  if (phase.default_payment_method) subscription.default_payment_method = phase.default_payment_method;
  if (phase.description !== null) subscription.description = phase.description;
  if (!sameItems(subscription, phase)) {
    const kept = subscription.items.data;
    const after = pricesOf(twin, phase).map((fields, at) => {
      const fresh = newItem(twin, id, fields, currentPeriod(subscription));
      const old = kept[at];
      return old ? { ...fresh, id: old.id, created: old.created } : fresh;
    });
    changeItems(twin, subscription, after, { proration: phase.proration_behavior as ProrationBehaviour });
  }
  twin.emit('customer.subscription.updated', subscription, before);
}

/** Lets the subscription go on without its schedule. */
export function releaseSchedule(twin: Twin, schedule: Schedule): void {
  const subscription = schedule.subscription;
  Object.assign(schedule, {
    status: 'released',
    released_at: twin.now(),
    released_subscription: subscription,
    subscription: null,
    current_phase: null,
  });
  if (subscription) {
    const before = clone(twin.state.get('subscription', subscription));
    const draft = twin.state.edit('subscription', subscription);
    draft.schedule = null;
    twin.emit('customer.subscription.updated', draft, before);
  }
  twin.emit('subscription_schedule.released', schedule);
}

/** The moment of a schedule came: it begins, changes phase, or ends as its end behaviour says. */
export function advanceSchedule(twin: Twin, id: string): Schedule {
  const before = clone(twin.state.get('subscription_schedule', id));
  const schedule = twin.state.edit('subscription_schedule', id);
  if (schedule.status === 'not_started') {
    beginSchedule(twin, schedule);
    return schedule;
  }
  const next = schedule.phases.find((phase) => phase.start_date === schedule.current_phase?.end_date);
  if (next) {
    schedule.current_phase = { start_date: next.start_date, end_date: next.end_date };
    applyPhase(twin, schedule, next);
    twin.emit('subscription_schedule.updated', schedule, before);
  } else if (schedule.end_behavior === 'cancel') {
    Object.assign(schedule, { status: 'completed', completed_at: twin.now(), current_phase: null });
    if (schedule.subscription) cancelSubscription(twin, schedule.subscription, { reason: 'cancellation_requested' });
    twin.emit('subscription_schedule.completed', schedule);
  } else releaseSchedule(twin, schedule);
  return schedule;
}

/** The next moment of a schedule, if it has one. */
export function scheduleDue(schedule: Readonly<Schedule>): number | null {
  if (schedule.status === 'not_started') return schedule.phases[0]?.start_date ?? null;
  return schedule.status === 'active' ? (schedule.current_phase?.end_date ?? null) : null;
}

/** Replaces the phases of a schedule; the running phase must stay first, the past cannot be changed. */
export function replacePhases(
  twin: Twin,
  schedule: Schedule,
  fields: PhaseFields[],
  proration: ProrationBehaviour | undefined,
): void {
  const current = schedule.current_phase;
  const start = current?.start_date ?? schedule.phases[0]?.start_date ?? twin.now();
  const [first] = fields;
  if (!first) throw errors.missing('phases');
  if (current && first.start !== undefined && first.start !== start)
    throw errors.invalid(
      `The start date of the current phase cannot be changed; it is ${start}.`,
      'phases[0][start_date]',
    );
  const phases = layPhases([{ ...first, start }, ...fields.slice(1)], start);
  const running = phases[0];
  if (!running) throw errors.missing('phases');
  if (current && running.end_date <= twin.now() && phases.length === 1)
    throw errors.invalid('The last phase must end in the future.', 'phases[0][end_date]');
  schedule.phases = phases;
  if (!current || !schedule.subscription) return;
  schedule.current_phase = { start_date: running.start_date, end_date: running.end_date };
  applyPhase(twin, schedule, proration ? { ...running, proration_behavior: proration } : running);
}

/** Keeps the running phase in step with a subscription that was changed directly. */
export function followSubscription(twin: Twin, subscription: Readonly<Subscription>): void {
  if (!subscription.schedule) return;
  const schedule = twin.state.edit('subscription_schedule', subscription.schedule);
  const running = schedule.phases.find((phase) => phase.start_date === schedule.current_phase?.start_date);
  if (!running || sameItems(subscription, running)) return;
  running.items = subscription.items.data.map((item) => ({
    billing_thresholds: null,
    discounts: [],
    metadata: { ...item.metadata },
    plan: item.price.id,
    price: item.price.id,
    quantity: item.quantity ?? 1,
    tax_rates: [],
  }));
}
