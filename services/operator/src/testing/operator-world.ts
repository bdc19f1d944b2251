/**
 * What survives a crash of the operator in tests: store, provider, broker and clock, all deterministic; and how to boot
 * the workflows on them. The other side of the broker is modelled as one required consumer that receipts each lifecycle
 * message as soon as it is published. Every write is logged by the history recorder.
 */
import { lifecycleMessageSchema, lifecycleSubjects, type SettledMessage } from '@platform/contracts-lifecycle-delivery';
import { deletionSubjects } from '@platform/contracts-provisioning';
import { plainRegister } from '@platform/durable/executors';
import { createKeyedMutex, type RetryPolicy } from '@platform/durable/record';
import { createSequentialIds, signingKeyOf, silentLog, type OutboxEntry } from '@platform/kernel';
import { platformTopology, type Messaging } from '@platform/messaging';
import { createFakeBuckets, type FakeBuckets } from '@platform/messaging/testing';
import type { Store } from '@platform/mongo';
import { createFakeStore, type FakeCollection, type FakeStore } from '@platform/mongo/testing';
import type { PaymentProvider } from '@platform/payment-provider';
import { createFakeProvider, type FakeProvider } from '@platform/payment-provider/testing';
import {
  createHistoryRecorder,
  createTickingClock,
  type AnswerEvidence,
  type HistoryRecorder,
} from '@platform/testing';
import { announcingAccess } from '../access/workflows/announce-access';
import { accessPublisher } from '../access/workflows/publish-access';
import type { Operation } from '../operations/domain/operation';
import type { Subscription } from '../mirror/domain/subscription';
import type { CreditDayLimits } from '../operations/domain/credit-allowance';
import { creditAllowancesCollection } from '../operations/store/credit-allowances';
import { operationsCollection } from '../operations/store/operations';
import { creditProposalsCollection } from '../proposals/store/credit-proposals';
import { approvedCredits } from '../proposals/workflows/propose-credit';
import { mirrorRefreshesCollection } from '../mirror/store/mirror-refreshes';
import { plansCollection } from '../catalogue/store/plans';
import { differencesCollection } from '../reconciliation/store/differences';
import { lostCustomersOf } from '../reconciliation/workflows/lost-creation';
import { subscriptionsCollection } from '../mirror/store/subscriptions';
import { checkoutReceiptsCollection } from '../checkout/store/checkout-receipts';
import { endCheckoutAtOnce } from '../checkout/workflows/end-checkout-at-once';
import { endPaymentAtOnce } from '../operations/workflows/await-payment';
import { startCheckout } from '../checkout/workflows/start-checkout';
import { createOutcomeNotifier } from '../operations/workflows/await-outcome';
import { createKnownWorkspaces } from '../operations/workflows/known-workspaces';
import type { OperatorPorts } from '../operations/workflows/ports';
import { runOperation } from '../operations/workflows/run-operation';
import type { DeletionReport } from '../operations/workflows/settle-deletion';

interface PublishedMessage {
  readonly id: string;
  readonly subject: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/** The broker of one world: keeps what was published and recognises repeats by their id. */
export interface RecordingBroker {
  publish(entry: OutboxEntry): Promise<'acknowledged' | 'unknown'>;
}

/** The broker's key-value operations that publication uses. */
export type AccessBucket = Pick<Messaging, 'readKey' | 'writeKey'>;

export interface OperatorWorld {
  readonly clock: ReturnType<typeof createTickingClock>;
  readonly store: FakeStore;
  /** The same store; writes through it are recorded in the history. */
  readonly watched: Store;
  readonly recorder: HistoryRecorder;
  readonly provider: FakeProvider;
  readonly broker: RecordingBroker;
  readonly buckets: FakeBuckets;
  readonly bucket: AccessBucket;
  readonly published: PublishedMessage[];
  readonly settlements: SettledMessage[];
  /** The reports of lifecycle-delivery and provisioning about a deletion. */
  readonly reports: DeletionReport[];
  readonly answers: AnswerEvidence[];
  operations(): Operation[];
  subscription(tenantId?: string): Subscription | undefined;
}

const retryPolicy: RetryPolicy = { tries: 3, pause: () => Promise.resolve() };

export const tenant = 'acme';
/** The gateway derives its key for proposals from this. */
export const signingSecret = 'a secret of tests with enough entropy';

/** The workspace of a world after the workflows themselves have made a deferred plan change. */
export async function withPendingChange(world: OperatorWorld): Promise<void> {
  const { ports } = bootOperator(world, 0);
  const answer = await runOperation(ports, {
    operationId: 'op-before-00001',
    tenantId: tenant,
    action: 'change_plan_later',
    values: { planId: 'pro' },
    actor: { id: 'owner' },
  });
  if (answer.kind !== 'succeeded') throw new Error(`no pending change was made: ${answer.kind}`);
}
export const consumer = 'storage';

/** A world with one workspace on a paid plan, with its customer and subscription at the provider. */
export async function createOperatorWorld(change: Partial<Subscription> = {}): Promise<OperatorWorld> {
  const clock = createTickingClock();
  const ids = createSequentialIds(1);
  const store = createFakeStore({ clock, ids });
  const recorder = createHistoryRecorder({ clock });
  const provider = createFakeProvider({ clock, ids });
  const at = clock.now();
  provider.seed({
    priceIds: ['price_starter', 'price_pro'],
    customers: [{ id: 'cus_acme', currency: 'usd' }],
    subscriptions: [
      {
        id: 'sub_acme',
        customerId: 'cus_acme',
        priceId: 'price_starter',
        itemId: 'si_acme',
        currentPeriodEnd: change.currentPeriodEnd ?? new Date(at.getTime() + 30 * 86_400_000),
        collectionPaused: change.status === 'suspended',
      },
    ],
  });
  const operations: FakeCollection<Operation> = store.collection(operationsCollection);
  const subscriptions: FakeCollection<Subscription> = store.collection(subscriptionsCollection);
  const catalog = store.collection(plansCollection);
  const billedEvery = { interval: 'month', count: 1 } as const;
  await catalog.insert({ _id: 'free', name: 'Free', amountCents: 0, currency: 'usd', offered: true });
  for (const [id, amountCents, offered] of [
    ['starter', 1900, true],
    ['pro', 4900, true],
    ['legacy', 9900, false],
  ] as const) {
    const name = `${id[0]!.toUpperCase()}${id.slice(1)}`;
    const plan = { name, amountCents, currency: 'usd', priceId: `price_${id}`, billedEvery, offered };
    await catalog.insert({ _id: id, ...plan });
  }
  const seeded = await subscriptions.insert({
    _id: tenant,
    workspaceName: 'Acme',
    status: 'active',
    access: { state: 'open', since: at, operationId: null },
    planId: 'starter',
    provider: { customerId: 'cus_acme', subscriptionId: 'sub_acme', itemId: 'si_acme' },
    isComplimentary: false,
    ...change,
  });
  if (seeded.outcome === 'applied') recorder.seeded('subscriptions', seeded.record);
  const published: PublishedMessage[] = [];
  const settlements: SettledMessage[] = [];
  const reports: DeletionReport[] = [];
  const buckets = createFakeBuckets(platformTopology());
  return {
    clock,
    store,
    recorder,
    provider,
    published,
    settlements,
    reports,
    buckets,
    bucket: {
      readKey: async (bucket, key) => buckets.read(bucket, key),
      writeKey: async (bucket, key, value, over) => buckets.write(bucket, key, value, over),
    },
    watched: recorder.watchStore(store),
    answers: [],
    operations: () => operations.all(),
    subscription: (tenantId = tenant) => subscriptions.all().find(({ _id }) => _id === tenantId),
    broker: {
      publish: async ({ id, subject, body }) => {
        await Promise.resolve();
        if (published.some((message) => message.id === id)) return 'acknowledged';
        published.push({ id, subject, body, at: clock.now() });
        const report = deletionReportOf(subject, body, clock.now());
        if (report) reports.push(report);
        else if (subject.startsWith('lifecycle.message.')) settlements.push(settlementOf(body, clock.now()));
        return 'acknowledged';
      },
    },
  };
}

/** The other side's answers to the two messages of a deletion. */
function deletionReportOf(
  subject: string,
  { tenantId, operationId }: Readonly<Record<string, unknown>>,
  at: Date,
): DeletionReport | null {
  const whose = { tenantId: String(tenantId), operationId: String(operationId), at };
  if (subject === lifecycleSubjects.tenantDeleted) return { ...whose, part: 'deliveriesSkippedAt' };
  return subject === deletionSubjects.requested ? { ...whose, part: 'listenersCalledAt' } : null;
}

function settlementOf(body: Readonly<Record<string, unknown>>, at: Date): SettledMessage {
  const { tenantId, operationId, transition } = lifecycleMessageSchema.parse(body);
  const effectiveAt = at.toISOString();
  return {
    tenantId,
    operationId,
    transition,
    settledAt: effectiveAt,
    receipts: [{ consumer, receiptId: `receipt:${operationId}`, effectiveAt }],
  };
}

export interface OperatorLife {
  readonly ports: OperatorPorts;
  /** Publishes every stored outbox row, as the sweep does. */
  sweepOutbox(): Promise<void>;
}

/** Boots the workflows of one incarnation on ports that may be instrumented. */
export function bootOperator(
  world: OperatorWorld,
  incarnation: number,
  ports: {
    readonly store?: Store;
    readonly provider?: PaymentProvider;
    readonly broker?: RecordingBroker;
    readonly bucket?: AccessBucket;
    readonly creditsPerDay?: CreditDayLimits;
  } = {},
): OperatorLife {
  const {
    store = world.watched,
    provider = world.provider,
    broker = world.broker,
    bucket = world.bucket,
    creditsPerDay,
  } = ports;
  const operations = store.collection(operationsCollection);
  const publish = async (recordId: string, entries: readonly OutboxEntry[]) => {
    for (const entry of entries) {
      if ((await broker.publish(entry)) === 'acknowledged' && entry.closesOn === 'publish_ack')
        await operations.outbox.confirm(recordId, entry.id);
    }
  };
  const records = store.collection(subscriptionsCollection);
  const differences = store.collection(differencesCollection);
  const toBucket = accessPublisher(bucket);
  const publishNow = async (tenantId: string, entries: readonly OutboxEntry[]) => {
    for (const entry of entries)
      if ((await toBucket(entry)) === 'acknowledged') await records.outbox.confirm(tenantId, entry.id);
  };
  return {
    ports: {
      operations,
      subscriptions: announcingAccess(records, {
        clock: world.clock,
        publishNow: (tenantId, entries) => void publishNow(tenantId, entries).catch(() => undefined),
      }),
      plans: store.collection(plansCollection),
      refreshes: store.collection(mirrorRefreshesCollection),
      provider,
      databaseNow: () => store.now(),
      clock: world.clock,
      executor: { service: 'operator', instance: 'operator-1', incarnation: `incarnation-${incarnation}` },
      publishNow: (recordId, entries) => void publish(recordId, entries).catch(() => undefined),
      notifier: createOutcomeNotifier(),
      limits: { creditCents: 1_000_000 },
      lostCustomers: (tenantId) => lostCustomersOf({ differences, subscriptions: records }, tenantId),
      ...(creditsPerDay && {
        creditLimits: {
          allowances: store.collection(creditAllowancesCollection),
          perDay: creditsPerDay,
          approvalOf: approvedCredits(
            { creditProposals: store.collection(creditProposalsCollection), clock: world.clock },
            signingKeyOf(signingSecret),
          ),
        },
      }),
      starters: { checkout_session: startCheckout },
      followers: {
        end_of_checkout: endCheckoutAtOnce(store.collection(checkoutReceiptsCollection)),
        end_of_payment: endPaymentAtOnce,
      },
      meter: { operationReached() {}, providerAnswered() {} },
      retryPolicy,
      work: plainRegister(retryPolicy, world.clock, silentLog),
      mutex: createKeyedMutex(),
      known: createKnownWorkspaces(records),
      log: silentLog,
    },
    async sweepOutbox() {
      for (const { recordId, entry } of await operations.outbox.pending(1_000)) await publish(recordId, [entry]);
      for (const { recordId, entry } of await records.outbox.pending(1_000)) await publishNow(recordId, [entry]);
    },
  };
}
