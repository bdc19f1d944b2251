/** The fake's schedules: one phase that runs, and perhaps a price that follows. */
import type { Ids } from '@platform/kernel';
import type { ProviderSchedule, ProviderSubscription } from '../objects';
import { invalid, missing, type Behaviours } from './behaviour';

const periodMs = 30 * 86_400_000;

interface Account {
  readonly subscriptions: Map<string, ProviderSubscription>;
  readonly schedules: Map<string, ProviderSchedule>;
  /** Customers of schedules, which outlive the hold of the schedule on its subscription. */
  readonly scheduleCustomers: Map<string, string>;
  readonly priceIds: ReadonlySet<string>;
  readonly ids: Ids;
  readonly now: () => Date;
}

/** One phase: the rest of the period, at the price that the subscription has. */
function runningSchedule(id: string, subscription: ProviderSubscription, startDate: Date): ProviderSchedule {
  const endDate = subscription.currentPeriodEnd ?? new Date(startDate.getTime() + periodMs);
  return {
    id,
    status: 'active',
    subscriptionId: subscription.id,
    phases: [{ startDate, endDate, priceId: subscription.priceId }],
    metadata: {},
  };
}

type ScheduleStep = 'create_schedule' | 'schedule_price' | 'release_schedule';

export function scheduleBehaviours(account: Account): Behaviours<ScheduleStep> {
  const { subscriptions, schedules, scheduleCustomers, priceIds, ids, now } = account;
  return {
    create_schedule: ({ subscriptionId }) => {
      const current = subscriptions.get(subscriptionId);
      if (!current) return missing('from_subscription');
      if (current.scheduleId !== null || current.status === 'canceled') return invalid('from_subscription');
      return {
        apply: () => {
          const schedule = runningSchedule(`sub_sched_${ids.next()}`, current, now());
          schedules.set(schedule.id, schedule);
          scheduleCustomers.set(schedule.id, current.customerId);
          subscriptions.set(subscriptionId, { ...current, scheduleId: schedule.id });
          return schedule;
        },
      };
    },
    schedule_price: ({ scheduleId, current, priceId }, metadata) => {
      const schedule = schedules.get(scheduleId);
      if (!schedule) return missing('schedule');
      if (schedule.status !== 'active') return invalid('schedule');
      if (!priceIds.has(priceId)) return invalid('phases[1][items][0][price]', 'resource_missing');
      return {
        apply: () => {
          const next = {
            ...schedule,
            phases: [
              current,
              { startDate: current.endDate, endDate: new Date(current.endDate.getTime() + periodMs), priceId },
            ],
            metadata: { ...schedule.metadata, ...metadata },
          };
          schedules.set(scheduleId, next);
          return next;
        },
      };
    },
    release_schedule: ({ scheduleId }) => {
      const schedule = schedules.get(scheduleId);
      if (!schedule) return missing('schedule');
      if (schedule.status !== 'active') return invalid('schedule');
      return {
        apply: () => {
          const subscription =
            schedule.subscriptionId === null ? undefined : subscriptions.get(schedule.subscriptionId);
          if (subscription) subscriptions.set(subscription.id, { ...subscription, scheduleId: null });
          const released: ProviderSchedule = { ...schedule, status: 'released', subscriptionId: null };
          schedules.set(scheduleId, released);
          return released;
        },
      };
    },
  };
}
