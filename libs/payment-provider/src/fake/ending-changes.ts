/** How the fake's subscriptions end: with their period, or now. */
import type { ProviderSchedule, ProviderSubscription } from '../port';
import { invalid, missing, type Change } from './change';

interface Account {
  readonly subscriptions: ReadonlyMap<string, ProviderSubscription>;
  readonly schedules: Map<string, ProviderSchedule>;
  changeSubscription(
    id: string,
    change: Partial<ProviderSubscription>,
    metadata: Readonly<Record<string, string>>,
  ): Change<ProviderSubscription>;
}

export function createEndings({ subscriptions, schedules, changeSubscription }: Account) {
  return {
    cancelAtPeriodEnd(id: string, metadata: Readonly<Record<string, string>>): Change<ProviderSubscription> {
      if (subscriptions.get(id)?.scheduleId) return invalid('cancel_at_period_end');
      return changeSubscription(id, { cancelAtPeriodEnd: true }, metadata);
    },
    cancelNow(id: string): Change<ProviderSubscription> {
      const current = subscriptions.get(id);
      // The provider answers as if a subscription that has ended were unknown.
      if (!current || current.status === 'canceled') return missing('subscription');
      const { scheduleId } = current;
      const ended = changeSubscription(id, { status: 'canceled', scheduleId: null }, {});
      return 'refusal' in ended
        ? ended
        : {
            apply: () => {
              const schedule = scheduleId === null ? undefined : schedules.get(scheduleId);
              if (schedule) schedules.set(schedule.id, { ...schedule, status: 'canceled' });
              return ended.apply();
            },
          };
    },
  };
}
