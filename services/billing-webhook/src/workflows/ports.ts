/**
 * Ports of the receiver's workflows. The composition root supplies them, and the crash sweep injects faults into them.
 */
import type { Clock, Executor, Ids, Log, OutboxEntry } from '@platform/kernel';
import type { CheckedCollection } from '@platform/durable/record';
import type { RevisionedCollection } from '@platform/mongo';
import type { WebhookDigest } from '../domain/webhook-digest';
import type { WebhookEvent } from '../domain/webhook-event';
import type { AskOwner } from './ask-owner';

export interface EventNotifier {
  notify(event: WebhookEvent): void;
  /** Resolves with the event at its next notification; `stop` ends the listening. */
  listen(eventId: string): { readonly heard: Promise<WebhookEvent>; stop(): void };
}

/** How long a delivery waits; `over` resolves when that ends. */
export interface WaitBudget {
  readonly over: Promise<'over'>;
  /** Resolves when it is time to read the record, with growing pauses: another replica may have written the outcome. */
  look(): Promise<'look'>;
  cancel(): void;
}

/** Counts what was received; labels have few values, never an id. */
export interface Meter {
  verified(): void;
  rejected(reason: string): void;
  duplicate(result: string): void;
  reached(result: string): void;
  clockSkew(seconds: number): void;
}

export interface WebhookPorts {
  readonly events: CheckedCollection<WebhookEvent>;
  readonly digests: RevisionedCollection<WebhookDigest>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly executor: Executor;
  /** Publishes fresh outbox rows at once; the sweep covers what this misses. */
  readonly publishNow: (eventId: string, entries: readonly OutboxEntry[]) => void;
  readonly notifier: EventNotifier;
  readonly budget: () => WaitBudget;
  /** Counts redeliveries of one event, those of the same moment in one write. */
  readonly countRedelivery: (eventId: string) => Promise<void>;
  /** What the owner's durable record of an event says. */
  readonly askOwner: AskOwner;
  readonly meter: Meter;
  readonly log: Log;
}
