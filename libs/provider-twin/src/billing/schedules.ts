/**
 * A running schedule: it applies its phases, follows its subscription, and ends. It acts before the renewal of the same
 * moment, so a phase that begins with a period bills that period at its own prices.
 */
import { clone } from '../clone';
import { errors } from '../http/errors';
import type { Schedule, Subscription } from '../tables';
import type { Twin } from '../twin';
import { cancelSubscription } from './cancellation';
import { changeItems, type ProrationBehaviour } from './changes';
import { beginSchedule } from './schedule-beginning';
import {
  applyContract,
  discountsOf,
  layPhases,
  phaseItems,
  pricesOf,
  sameItems,
  type Phase,
  type PhaseFields,
} from './schedule-phases';
import { currentPeriod, newItem } from './items';
import { endTrial } from './trials';

/** Gives the subscription of a schedule the items of a phase. */
function applyPhase(twin: Twin, schedule: Readonly<Schedule>, phase: Phase): void {
  const id = String(schedule.subscription);
  const before = clone(twin.state.get('subscription', id));
  const subscription = twin.state.edit('subscription', id);
  if (phase.metadata && Object.keys(phase.metadata).length > 0)
    subscription.metadata = { ...subscription.metadata, ...phase.metadata };
  applyContract(subscription, phase);
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
  // A trial lasts as long as the phase says; a trial that ends at this moment is a separate task.
  if (subscription.status === 'trialing' && (subscription.trial_end ?? 0) > twin.now()) {
    if (phase.trial_end === null || phase.trial_end <= twin.now()) endTrial(twin, subscription);
    else subscription.trial_end = phase.trial_end;
  }
  twin.emit('customer.subscription.updated', subscription, before);
}

/** Lets the subscription continue without its schedule. */
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

/** The time of a schedule has come: it begins, changes phase, or ends according to its end behaviour. */
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

/** Replaces the phases of a schedule; the current phase must stay first, and the past cannot be changed. */
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

/** Keeps the current phase in step with a subscription that was changed directly. */
export function followSubscription(twin: Twin, subscription: Readonly<Subscription>): void {
  if (!subscription.schedule) return;
  const schedule = twin.state.edit('subscription_schedule', subscription.schedule);
  const running = schedule.phases.find((phase) => phase.start_date === schedule.current_phase?.start_date);
  if (!running || sameItems(subscription, running)) return;
  running.items = phaseItems(subscription).map((item) => ({
    billing_thresholds: null,
    discounts: discountsOf(item.discounts),
    metadata: item.metadata,
    plan: item.price.id,
    price: item.price.id,
    quantity: item.quantity,
    tax_rates: item.taxRates as unknown as NonNullable<Phase['items'][number]['tax_rates']>,
  }));
}
