/** Connects the receiver's workflows to their ports. The composition root and the tests both build it here. */
import type { Clock, Executor, Ids, Log, OutboxEntry } from '@platform/kernel';
import type { Store } from '@platform/mongo';
import { webhookDigestsCollection } from './store/webhook-digests';
import { webhookEventsCollection } from './store/webhook-events';
import type { AskOwner } from './workflows/ask-owner';
import { createEventNotifier } from './workflows/await-outcome';
import { createRedeliveryCounter } from './workflows/count-redeliveries';
import type { Meter, WaitBudget, WebhookPorts } from './workflows/ports';

export interface ReceiverDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly executor: Executor;
  readonly publishNow: (eventId: string, entries: readonly OutboxEntry[]) => void;
  readonly budget: () => WaitBudget;
  readonly askOwner: AskOwner;
  readonly meter: Meter;
  readonly log: Log;
}

export function receiverPorts({ store, ...dependencies }: ReceiverDependencies): WebhookPorts {
  const events = store.collection(webhookEventsCollection);
  return {
    ...dependencies,
    events,
    digests: store.collection(webhookDigestsCollection),
    notifier: createEventNotifier(),
    countRedelivery: createRedeliveryCounter({ events, log: dependencies.log }),
  };
}
