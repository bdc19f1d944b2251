/**
 * What survives a crash of the receiver in tests: store, broker and clock, all deterministic. The modelled owner admits
 * each event once and reports the outcome that `decide` returns; every run of its handler is counted.
 */
import {
  providerEventMessageIds,
  providerEventSchema,
  type ProviderAdmission,
  type ProviderEventMessage,
  type ProviderEventOutcome,
  type ProviderOutcomeMessage,
} from '@platform/contracts-provisioning';
import { createSequentialIds, silentLog, type OutboxEntry } from '@platform/kernel';
import type { Store } from '@platform/mongo';
import { createFakeStore, type FakeStore } from '@platform/mongo/testing';
import { createHistoryRecorder, createTickingClock, type HistoryRecorder } from '@platform/testing';
import type { WebhookDigest } from '../domain/webhook-digest';
import type { ReceivedEvent, WebhookEvent } from '../domain/webhook-event';
import { receiverPorts } from '../receiver';
import { webhookDigestsCollection } from '../store/webhook-digests';
import { webhookEventsCollection } from '../store/webhook-events';
import { completeEvent } from '../workflows/complete-event';
import type { Meter, WaitBudget, WebhookPorts } from '../workflows/ports';

export interface RecordingBroker {
  publish(entry: OutboxEntry): Promise<'acknowledged' | 'unknown'>;
}

export interface WebhookWorld {
  readonly clock: ReturnType<typeof createTickingClock>;
  readonly store: FakeStore;
  readonly watched: Store;
  readonly recorder: HistoryRecorder;
  readonly broker: RecordingBroker;
  readonly published: OutboxEntry[];
  /** Outcomes that the owner has reported, in order; redelivered until the receiver acknowledges them. */
  readonly outcomes: ProviderOutcomeMessage[];
  /** Runs of the owner's handler by event. */
  readonly handled: Map<string, number>;
  readonly answers: { readonly eventId: string; readonly status: number; readonly resultThen: string }[];
  decide: (event: ProviderEventMessage) => ProviderEventOutcome | 'silence';
  events(): WebhookEvent[];
  digests(): WebhookDigest[];
}

export function createWebhookWorld(): WebhookWorld {
  const clock = createTickingClock();
  const ids = createSequentialIds(3);
  const store = createFakeStore({ clock, ids });
  const recorder = createHistoryRecorder({ clock });
  const events = store.collection(webhookEventsCollection);
  const digests = store.collection(webhookDigestsCollection);
  const published: OutboxEntry[] = [];
  const outcomes: ProviderOutcomeMessage[] = [];
  const handled = new Map<string, number>();
  const world: WebhookWorld = {
    clock,
    store,
    recorder,
    published,
    outcomes,
    handled,
    watched: recorder.watchStore(store),
    answers: [],
    decide: () => 'success',
    events: () => events.all(),
    digests: () => digests.all(),
    broker: {
      publish: async (entry) => {
        await Promise.resolve();
        if (published.some(({ id }) => id === entry.id)) return 'acknowledged';
        published.push(entry);
        if (entry.subject.startsWith('provider.event.')) handle(providerEventSchema.parse(entry.body));
        return 'acknowledged';
      },
    },
  };
  const handle = (event: ProviderEventMessage) => {
    const outcome = world.decide(event);
    handled.set(event.eventId, (handled.get(event.eventId) ?? 0) + 1);
    if (outcome === 'silence') return;
    outcomes.push({
      eventId: event.eventId,
      admittedRevision: event.admittedRevision,
      outcome,
      ...(outcome !== 'success' && { error: `the handler said ${outcome}` }),
    });
  };
  return world;
}

export const dispatchId = providerEventMessageIds.event;

export function received(change: Partial<ReceivedEvent> = {}): ReceivedEvent {
  return {
    eventId: 'evt_1',
    type: 'customer.subscription.updated',
    created: new Date('2026-01-01T00:00:00.000Z'),
    object: { id: 'sub_acme', customer: 'cus_acme' },
    payloadDigest: 'a'.repeat(64),
    ...change,
  };
}

export interface WebhookLife {
  readonly ports: WebhookPorts;
  readonly counts: Record<string, number>;
  sweepOutbox(): Promise<void>;
}

/** The owner's record of an event. While the owner is `silent`, its process does not answer either. */
function recordOf({ outcomes, handled }: WebhookWorld, id: string): ProviderAdmission {
  const told = outcomes.find(({ eventId }) => eventId === id);
  if (told) return { status: told.outcome, ...(told.error !== undefined && { error: told.error }) };
  return handled.has(id) ? { status: 'pending', executor: { state: 'not_proven' } } : { status: 'not_admitted' };
}

/** Boots one incarnation. `budget` decides how long deliveries wait; by default until every message is delivered. */
export function bootReceiver(
  world: WebhookWorld,
  incarnation: number,
  change: { readonly store?: Store; readonly broker?: RecordingBroker; readonly budget?: () => WaitBudget } = {},
): WebhookLife {
  const {
    store = world.watched,
    broker = world.broker,
    budget = () => ({
      over: new Promise<'over'>((resolve) => setImmediate(() => resolve('over'))),
      look: () => new Promise<'look'>(() => undefined),
      cancel: () => undefined,
    }),
  } = change;
  const events = store.collection(webhookEventsCollection);
  const counts: Record<string, number> = {};
  const count = (name: string) => void (counts[name] = (counts[name] ?? 0) + 1);
  const meter: Meter = {
    verified: () => count('verified'),
    rejected: (reason) => count(`rejected ${reason}`),
    duplicate: (result) => count(`duplicate ${result}`),
    reached: (result) => count(`reached ${result}`),
    clockSkew: () => undefined,
  };
  const publish = async (recordId: string, entries: readonly OutboxEntry[]) => {
    for (const entry of entries) {
      if ((await broker.publish(entry)) === 'acknowledged' && entry.closesOn === 'publish_ack')
        await events.outbox.confirm(recordId, entry.id);
    }
    await deliverOutcomes(world, life);
  };
  const ports = receiverPorts({
    store,
    clock: world.clock,
    ids: createSequentialIds(100 + incarnation),
    budget,
    askOwner: async ({ _id }) => recordOf(world, _id),
    meter,
    log: silentLog,
    executor: { service: 'billing-webhook', instance: 'billing-webhook-1', incarnation: `incarnation-${incarnation}` },
    publishNow: (recordId, entries) => void publish(recordId, entries).catch(() => undefined),
  });
  const life: WebhookLife = {
    ports,
    counts,
    async sweepOutbox() {
      for (const { recordId, entry } of await events.outbox.pending(1_000)) await publish(recordId, [entry]);
    },
  };
  return life;
}

/** Delivers every outcome, as the broker does until it is acknowledged. */
export async function deliverOutcomes(world: WebhookWorld, { ports }: WebhookLife): Promise<void> {
  for (const outcome of world.outcomes) {
    for (let delivery = 0; delivery < 5; delivery += 1) {
      if ((await completeEvent(ports, outcome)) !== 'again') break;
    }
  }
}
