/** The fake's schedules: a current phase, and perhaps a price that follows. */
import { assert, type Ids } from '@platform/kernel';
import { phasesFromNow } from '../effects';
import type { ProviderSchedule, ProviderSubscription, SchedulePhase } from '../objects';
import { invalid, missing, type Behaviours } from './behaviour';

const dayMs = 86_400_000;
const periodMs = 30 * dayMs;
const intervalMs = { day: dayMs, week: 7 * dayMs, month: periodMs, year: 365 * dayMs };

interface Account {
  readonly subscriptions: Map<string, ProviderSubscription>;
  readonly schedules: Map<string, ProviderSchedule>;
  /** Customers of schedules, which are known even after the schedule has released its subscription. */
  readonly scheduleCustomers: Map<string, string>;
  readonly priceIds: ReadonlySet<string>;
  readonly ids: Ids;
  readonly now: () => Date;
}

/** One phase: the rest of the period, at the subscription's current price. */
function runningSchedule(id: string, subscription: ProviderSubscription, startDate: Date): ProviderSchedule {
  const endDate = subscription.currentPeriodEnd ?? new Date(startDate.getTime() + periodMs);
  return {
    id,
    status: 'active',
    subscriptionId: subscription.id,
    phases: [
      {
        startDate,
        endDate,
        priceId: subscription.priceId,
        settings: { items: [{ price: subscription.priceId, quantity: 1 }] },
      },
    ],
    runningSince: startDate,
    metadata: {},
  };
}

/** The next phase begins: its price is the subscription's from now on. */
export function landScheduledChange(
  { subscriptions, schedules }: Pick<Account, 'subscriptions' | 'schedules'>,
  scheduleId: string,
): void {
  const schedule = schedules.get(scheduleId);
  const follows = schedule && phasesFromNow(schedule).upcoming;
  const subscription = subscriptions.get(schedule?.subscriptionId ?? '');
  assert(schedule && follows && subscription, `schedule ${scheduleId} has no phase to come`);
  schedules.set(scheduleId, { ...schedule, runningSince: follows.startDate });
  const { priceId, endDate: currentPeriodEnd } = follows;
  subscriptions.set(subscription.id, { ...subscription, priceId, currentPeriodEnd });
}

/** The phase at the new price, which keeps the other settings of the current one. */
function phaseAfter(current: SchedulePhase, priceId: string, lengthMs: number): SchedulePhase {
  const items = current.settings.items.map((item) =>
    item.price === current.priceId ? { ...item, price: priceId } : item,
  );
  return {
    startDate: current.endDate,
    endDate: new Date(current.endDate.getTime() + lengthMs),
    priceId,
    settings: { ...current.settings, items },
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
    schedule_price: ({ scheduleId, current, priceId, interval, intervalCount }, metadata) => {
      const schedule = schedules.get(scheduleId);
      if (!schedule) return missing('schedule');
      if (schedule.status !== 'active') return invalid('schedule');
      if (!priceIds.has(priceId)) return invalid('phases[1][items][0][price]', 'resource_missing');
      if (current.startDate.getTime() !== schedule.runningSince?.getTime()) return invalid('phases[0][start_date]');
      return {
        apply: () => {
          const follows = phaseAfter(current, priceId, intervalMs[interval] * intervalCount);
          const next = {
            ...schedule,
            phases: [current, follows],
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
          const released: ProviderSchedule = {
            ...schedule,
            status: 'released',
            subscriptionId: null,
            runningSince: null,
          };
          schedules.set(scheduleId, released);
          return released;
        },
      };
    },
  };
}
