/**
 * What survives a crash of the operator in tests: store, provider, broker and clock, all deterministic; and how to boot
 * the workflows on them. The other side of the broker (required consumers) is modelled by answering each lifecycle
 * message with its settlement.
 */
import { LIFECYCLE_SUBJECTS, lifecycleMessageSchema, type LifecycleMessage, type SettledMessage } from '@platform/contracts-lifecycle-delivery';
import { createManualClock, createSequentialIds, silentLog, type OutboxEntry } from '@platform/kernel';
import { createFakeStore, type FakeStore } from '@platform/mongo/testing';
import type { Store } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { createFakeProvider, type FakeProvider } from '@platform/payment-provider/testing';
import type { Operation } from '../domain/operation';
import type { Subscription } from '../domain/subscription';
import { operationsCollection } from '../store/operations';
import { plansCollection } from '../store/plans';
import { subscriptionsCollection } from '../store/subscriptions';
import { createOutcomeBell } from '../workflows/await-outcome';
import type { OperatorPorts } from '../workflows/ports';
import { settleOperation } from '../workflows/settle-operation';

export interface PublishedMessage {
  readonly id: string;
  readonly subject: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** State of access when the message left, for the invariant that it leaves only after access closed. */
  readonly accessWhenPublished: 'open' | 'closed' | undefined;
}

/** The broker of one world: keeps what was published, recognises repeats by id. */
export interface RecordingBroker {
  publish(entry: OutboxEntry): Promise<'acknowledged' | 'unknown'>;
}

export interface OperatorWorld {
  readonly clock: ReturnType<typeof createManualClock>;
  readonly store: FakeStore;
  readonly provider: FakeProvider;
  readonly broker: RecordingBroker;
  readonly published: PublishedMessage[];
  /** Every write to a subscription's access and transition, in order. */
  operations(): readonly Operation[];
  subscription(tenantId: string): Subscription | undefined;
}

export const tenant = 'acme';

/** A world with one workspace on a paid plan, with its customer and subscription at the provider. */
export async function createOperatorWorld(change: Partial<Subscription> = {}): Promise<OperatorWorld> {
  const clock = createManualClock();
  const ids = createSequentialIds(1);
  const store = createFakeStore({ clock, ids });
  const provider = createFakeProvider({ clock, ids });
  provider.seed({
    customers: [{ id: 'cus_acme', currency: 'usd' }],
    subscriptions: [{ id: 'sub_acme', customerId: 'cus_acme', priceId: 'price_starter' }],
  });
  const operations = store.collection(operationsCollection);
  const subscriptions = store.collection(subscriptionsCollection);
  const at = clock.now();
  await store.collection(plansCollection).insert({ _id: 'starter', name: 'Starter', amountCents: 1900, currency: 'usd', priceId: 'price_starter', offered: true });
  await subscriptions.insert({
    _id: tenant, workspaceName: 'Acme', status: 'active', access: { state: 'open', since: at, operationId: null }, planId: 'starter',
    provider: { customerId: 'cus_acme', subscriptionId: 'sub_acme', itemId: 'si_acme' }, isComplimentary: false, ...change,
  });
  const published: PublishedMessage[] = [];
  const current = (tenantId: string) => subscriptions.all().find(({ _id }) => _id === tenantId);
  return {
    clock,
    store,
    provider,
    published,
    operations: () => operations.all(),
    subscription: current,
    broker: {
      publish: async ({ id, subject, body }) => {
        await Promise.resolve();
        if (!published.some((message) => message.id === id)) published.push({ id, subject, body, accessWhenPublished: current(String(body['tenantId']))?.access.state });
        return 'acknowledged';
      },
    },
  };
}

export interface OperatorLife {
  readonly ports: OperatorPorts;
  /** Publishes every outbox row that stands, as the sweep does. */
  sweepOutbox(): Promise<void>;
}

/** Boots the workflows of one incarnation on ports that may be instrumented. */
export function bootOperator(world: OperatorWorld, incarnation: number, ports: { readonly store?: Store; readonly provider?: PaymentProvider; readonly broker?: RecordingBroker } = {}): OperatorLife {
  const { store = world.store, provider = world.provider, broker = world.broker } = ports;
  const operations = store.collection(operationsCollection);
  const publish = async (recordId: string, entries: readonly OutboxEntry[]) => {
    for (const entry of entries) {
      if ((await broker.publish(entry)) === 'acknowledged' && entry.closesOn === 'publish_ack') await operations.outbox.confirm(recordId, entry.id);
    }
  };
  return {
    ports: {
      operations,
      subscriptions: store.collection(subscriptionsCollection),
      plans: store.collection(plansCollection),
      provider,
      databaseNow: () => store.now(),
      clock: world.clock,
      executor: { service: 'operator', instance: 'operator-1', incarnation: `incarnation-${incarnation}` },
      nudge: (recordId, entries) => void publish(recordId, entries).catch(() => undefined),
      bell: createOutcomeBell(),
      patience: { tries: 3, pause: () => Promise.resolve() },
      log: silentLog,
    },
    async sweepOutbox() {
      for (const { recordId, entry } of await operations.outbox.pending(1_000)) await publish(recordId, [entry]);
    },
  };
}

/** The settlements that the required consumers would bring about for what was published. */
export function settlements(world: OperatorWorld): SettledMessage[] {
  const lifecycle = world.published.filter(({ subject }) => subject.startsWith('lifecycle.message.'));
  return lifecycle.map(({ body }): SettledMessage => {
    const { tenantId, operationId, transition }: LifecycleMessage = lifecycleMessageSchema.parse(body);
    const at = world.clock.now().toISOString();
    return { tenantId, operationId, transition, settledAt: at, receipts: [{ consumer: 'storage', receiptId: `receipt:${operationId}`, effectiveAt: at }] };
  });
}

/** Delivers every settlement, as the broker does until it is acknowledged. */
export async function deliverSettlements(world: OperatorWorld, life: OperatorLife): Promise<void> {
  for (const settled of settlements(world)) {
    for (let delivery = 0; delivery < 5; delivery += 1) {
      if ((await settleOperation(life.ports, settled)) !== 'again') break;
    }
  }
}

export const suspendedSubject = LIFECYCLE_SUBJECTS.message('suspended');
