/** Writes that do not end as the executor expects: the store gives another answer, or another writer is faster. */
import { forged } from '@platform/durable/testing';
import type { EventPorts } from '../../provider-events/workflows/event-ports';

type Answer = Exclude<
  Awaited<ReturnType<EventPorts['subscriptions']['mutate']>>,
  { readonly outcome: 'applied' | 'refused' }
>;

export const unanswered = { outcome: 'unknown', reason: 'unreachable' } as const;
export const overtaken = { outcome: 'not_applied' } as const;

/** The operations; their writes get this answer from the nth on, and are not stored. */
export function operationsAnswering({ operations }: EventPorts, nth: number, answer: Answer): Partial<EventPorts> {
  let writes = 0;
  return {
    operations: {
      ...operations,
      mutate: async (...write) => ((writes += 1) < nth ? operations.mutate(...write) : answer),
    },
  };
}

/** The subscriptions; their writes get this answer from the nth on, and are not stored. */
export function subscriptionsAnswering(
  { subscriptions }: EventPorts,
  nth: number,
  answer: Answer,
): Partial<EventPorts> {
  let writes = 0;
  return {
    subscriptions: {
      ...subscriptions,
      mutate: async (...write) => ((writes += 1) < nth ? subscriptions.mutate(...write) : answer),
    },
  };
}

/** The operations; another writer changes the record just before the nth write. */
export function operationsOvertaken({ operations }: EventPorts, nth: number): Partial<EventPorts> {
  let writes = 0;
  return {
    operations: {
      ...operations,
      mutate: async (current, ...write) => {
        if ((writes += 1) === nth)
          await operations.mutate(current, forged({ ...current, values: { ...current.values, by: 'another writer' } }));
        return operations.mutate(current, ...write);
      },
    },
  };
}
