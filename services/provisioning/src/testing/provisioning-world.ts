/**
 * What survives a crash of provisioning in tests: store, provider, listeners, broker and clock, all deterministic; and
 * how to boot the workflows on them. Every write is logged by the history recorder.
 */
import { plainRegister } from '@platform/durable/executors';
import { createKeyedMutex, type RetryPolicy } from '@platform/durable/record';
import { createSequentialIds, ok, refused, silentLog, type Log, type OutboxEntry, type Result } from '@platform/kernel';
import type { RequestRefusal } from '@platform/messaging';
import type { Store } from '@platform/mongo';
import { createFakeStore, type FakeStore } from '@platform/mongo/testing';
import type { PaymentProvider } from '@platform/payment-provider';
import { createFakeProvider, type FakeProvider } from '@platform/payment-provider/testing';
import { createHistoryRecorder, createTickingClock, type HistoryRecorder } from '@platform/testing';
import type { CreateWorkspace } from '@platform/contracts-provisioning';
import type { Attempt } from '../domain/attempt';
import type { CreationMarker } from '../domain/marker';
import type { Remains } from '../domain/remains';
import type { CapacityReservation, TrialReservation } from '../domain/reservation';
import {
  attemptsCollection,
  capacityCollection,
  listenersCollection,
  markersCollection,
  remainsCollection,
  trialsCollection,
} from '../store/collections';
import type { DeletionPorts } from '../workflows/delete-tenant';
import { collectionsOf, type Announcing, type ProvisioningLimits, type ProvisioningPorts } from '../workflows/ports';

const retryPolicy: RetryPolicy = { tries: 3, pause: () => Promise.resolve() };

interface HeardNotice {
  readonly listener: string;
  readonly event: string;
  readonly notice: Readonly<Record<string, unknown>>;
}

interface PublishedMessage {
  readonly id: string;
  readonly subject: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/**
 * The broker of one world: keeps what was published, recognises repeats by their id, and passes requests to listeners.
 */
export interface WorldBroker {
  publish(entry: OutboxEntry): Promise<'acknowledged' | 'unknown'>;
  request(
    subject: string,
    body: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<Result<unknown, RequestRefusal>>;
}

export interface ProvisioningWorld {
  readonly clock: ReturnType<typeof createTickingClock>;
  readonly store: FakeStore;
  /** The same store; writes through it are recorded in the history. */
  readonly watched: Store;
  readonly recorder: HistoryRecorder;
  readonly provider: FakeProvider;
  readonly broker: WorldBroker;
  readonly published: PublishedMessage[];
  /** What listeners received, in order. */
  readonly heard: HeardNotice[];
  /** How a listener answers; without one it succeeds. */
  readonly listenerAnswers: Map<string, () => Result<unknown, RequestRefusal>>;
  /** Everything that was logged. */
  readonly logged: unknown[];
  readonly limits: ProvisioningLimits;
  attempts(): Attempt[];
  attempt(tenantId?: string): Attempt | undefined;
  marker(tenantId?: string): CreationMarker | undefined;
  remains(tenantId?: string): Remains | undefined;
  capacity(): CapacityReservation[];
  trials(): TrialReservation[];
}

export const tenant = 'tenant-1';

/** A request for a paid plan; `change` alters it. */
export function creationRequest(change: Partial<CreateWorkspace> = {}): CreateWorkspace {
  return {
    tenantId: tenant,
    user: { id: 'user-1', email: 'ada@example.com' },
    workspaceName: 'Ada Works',
    plan: { planId: 'starter', priceId: 'price_starter' },
    paymentMethodId: 'pm_card_visa',
    billingProfile: { name: 'Ada Lovelace', country: 'GB' },
    extras: { note: 'canary-of-extras' },
    ...change,
  };
}

export const freePlan: CreateWorkspace['plan'] = { planId: 'free' };

export interface WorldOptions {
  readonly limits?: Partial<ProvisioningLimits>;
  /** Registered for both events, in this order. Default: one, `storage`. */
  readonly listeners?: readonly string[];
}

export async function createProvisioningWorld({
  limits = {},
  listeners = ['storage'],
}: WorldOptions = {}): Promise<ProvisioningWorld> {
  const clock = createTickingClock();
  const ids = createSequentialIds(1);
  const store = createFakeStore({ clock, ids });
  const recorder = createHistoryRecorder({ clock });
  const provider = createFakeProvider({ clock, ids });
  provider.seed({ priceIds: ['price_starter', 'price_pro'] });
  const registered = store.collection(listenersCollection);
  for (const [order, name] of listeners.entries()) {
    const insertion = await registered.insert({
      _id: name,
      status: 'registered',
      events: ['TENANT_BEING_PROVISIONED', 'TENANT_DELETED'],
      order,
      registeredBy: 'test',
    });
    if (insertion.outcome === 'applied') recorder.seeded('hook_listeners', insertion.record);
  }
  const published: PublishedMessage[] = [];
  const heard: HeardNotice[] = [];
  const listenerAnswers: ProvisioningWorld['listenerAnswers'] = new Map();
  const attempts = store.collection(attemptsCollection);
  const markers = store.collection(markersCollection);
  const remains = store.collection(remainsCollection);
  return {
    clock,
    store,
    recorder,
    provider,
    published,
    heard,
    listenerAnswers,
    watched: recorder.watchStore(store),
    logged: [],
    limits: {
      freeWorkspacesPerCard: 3,
      trialDays: 0,
      creationsPerUser: 10,
      creationWindowMs: 3_600_000,
      listenerTimeoutMs: 1_000,
      ...limits,
    },
    attempts: () => attempts.all(),
    attempt: (tenantId = tenant) => attempts.all().find(({ _id }) => _id === tenantId),
    marker: (tenantId = tenant) => markers.all().find((each) => each.tenantId === tenantId),
    remains: (tenantId = tenant) => remains.all().find(({ _id }) => _id === tenantId),
    capacity: () => store.collection(capacityCollection).all(),
    trials: () => store.collection(trialsCollection).all(),
    broker: {
      publish: async ({ id, subject, body }) => {
        await Promise.resolve();
        if (!published.some((message) => message.id === id)) published.push({ id, subject, body, at: clock.now() });
        return 'acknowledged';
      },
      request: async (subject, body) => {
        await Promise.resolve();
        const listener = subject.slice(subject.lastIndexOf('.') + 1);
        if (!listeners.includes(listener)) return refused({ code: 'no_responders', message: 'no responders' });
        heard.push({ listener, event: String(body['event']), notice: body });
        return listenerAnswers.get(listener)?.() ?? ok({ done: true });
      },
    },
  };
}

export interface ProvisioningLife {
  readonly ports: ProvisioningPorts;
  /** Publishes every stored outbox row, as the sweep does. */
  sweepOutbox(): Promise<void>;
}

/** Boots the workflows of one incarnation on ports that may be instrumented. */
export function bootProvisioning(
  world: ProvisioningWorld,
  incarnation = 1,
  instead: { readonly store?: Store; readonly provider?: PaymentProvider; readonly broker?: WorldBroker } = {},
): ProvisioningLife {
  const { store = world.watched, provider = world.provider, broker = world.broker } = instead;
  const collections = collectionsOf(store);
  const sources = {
    attempts: collections.attempts,
    lifecycle_outbox: collections.markers,
    deletions: collections.deletions,
    creation_remains: collections.remains,
    provider_event_admissions: collections.admissions,
  };
  const publish = async (source: Announcing, recordId: string, entries: readonly OutboxEntry[]) => {
    for (const entry of entries) {
      if ((await broker.publish(entry)) === 'acknowledged' && entry.closesOn === 'publish_ack')
        await sources[source].outbox.confirm(recordId, entry.id);
    }
  };
  const note = (fields: unknown, message: string) => void world.logged.push(fields, message);
  const log: Log = { ...silentLog, info: note, warn: note, error: note, debug: note };
  return {
    ports: {
      ...collections,
      provider,
      messaging: {
        request: (...body) => broker.request(...body),
        publish: ({ id, subject, type, body }) =>
          broker.publish({ id, subject, type, body, closesOn: 'publish_ack', createdAt: world.clock.now() }),
      },
      clock: world.clock,
      databaseNow: () => store.now(),
      executor: { service: 'provisioning', instance: 'provisioning-1', incarnation: `incarnation-${incarnation}` },
      publishNow: (source, recordId, entries) => void publish(source, recordId, entries).catch(() => undefined),
      limits: world.limits,
      retryPolicy,
      work: plainRegister(retryPolicy, world.clock, log),
      mutex: createKeyedMutex(),
      meter: { attemptReached() {}, providerAnswered() {} },
      log,
    },
    async sweepOutbox() {
      for (const source of Object.keys(sources) as Announcing[])
        for (const { recordId, entry } of await sources[source].outbox.pending(1_000))
          await publish(source, recordId, [entry]);
    },
  };
}

/** The ports of a deletion in one incarnation; `others` is the recorded state of every other boot. */
export function bootDeletions(
  world: ProvisioningWorld,
  incarnation = 1,
  others: Awaited<ReturnType<DeletionPorts['executorState']>> = 'open',
  instead: Parameters<typeof bootProvisioning>[2] = {},
): DeletionPorts {
  const { ports } = bootProvisioning(world, incarnation, instead);
  return { ...ports, executorState: async () => others, deleting: new Set() };
}
