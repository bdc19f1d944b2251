/** How a schedule begins: on a running subscription, or with a new one that it creates at its start. */
import { errors } from '../http/errors';
import type { Customer, Schedule } from '../tables';
import type { Twin } from '../twin';
import { contractOf, layPhases, phaseItems, pricesOf, type Phase, type PhaseFields } from './schedule-phases';
import { createSubscription } from './subscriptions';
import { currentPeriod } from './items';

export type EndBehaviour = 'release' | 'cancel';

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

/** A schedule with one phase: the subscription's current settings, until the end of its period. */
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
        defaultMethod: subscription.default_payment_method,
        contract: contractOf(subscription),
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

/** Creates the subscription of a schedule that waited for its start. */
export function beginSchedule(twin: Twin, schedule: Schedule): void {
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
