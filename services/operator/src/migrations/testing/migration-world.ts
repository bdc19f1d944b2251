/**
 * What survives a crash in tests of plan migrations: workspaces on one plan, their subscriptions at the provider, store
 * and clock, all deterministic; and how to boot the executor on them. Items are watched as the records whose status
 * decides when a transition may be cleared.
 */
import { plainRegister } from '@platform/durable/executors';
import type { RetryPolicy } from '@platform/durable/record';
import { createSequentialIds, silentLog, type OutboxEntry } from '@platform/kernel';
import type { Store } from '@platform/mongo';
import { createFakeStore, type FakeCollection, type FakeStore } from '@platform/mongo/testing';
import type { PaymentProvider, ProviderReads } from '@platform/payment-provider';
import { createFakeProvider, type FakeProvider } from '@platform/payment-provider/testing';
import {
  checkHistory,
  createHistoryRecorder,
  createTickingClock,
  emptyEvidence,
  type Evidence,
  type HistoryRecorder,
  formatViolations,
} from '@platform/testing';
import type { MigrationItem } from '../domain/migration-item';
import { itemId } from '../domain/migration-item';
import type { MigrationRequest, MigrationFacts, PlanMigration } from '../domain/migration';
import type { Subscription } from '../../mirror/domain/subscription';
import { planMigrationItemsCollection } from '../store/plan-migration-items';
import { planMigrationsCollection } from '../store/plan-migrations';
import { plansCollection } from '../../catalogue/store/plans';
import { mirrorRefreshesCollection } from '../../mirror/store/mirror-refreshes';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import type { MigrationPorts } from '../workflows/ports';
import { requestMigration, type MigrationAnswer } from '../workflows/request-migration';
import { runMigration } from '../workflows/run-migration';
import type { RecordingBroker } from '../../testing/operator-world';

const retryPolicy: RetryPolicy = { tries: 3, pause: () => Promise.resolve() };

export interface MigrationWorld {
  readonly clock: ReturnType<typeof createTickingClock>;
  readonly store: FakeStore;
  readonly watched: Store;
  readonly recorder: HistoryRecorder;
  readonly provider: FakeProvider;
  readonly published: {
    readonly id: string;
    readonly subject: string;
    readonly body: Readonly<Record<string, unknown>>;
  }[];
  readonly broker: RecordingBroker;
  /** Tenants on the source plan when the world began. */
  readonly tenants: readonly string[];
  migrations(): PlanMigration[];
  items(): MigrationItem[];
  subscription(tenantId: string): Subscription;
  subscriptions(): Subscription[];
  /** A workspace on the source plan, with its subscription at the provider. */
  arrive(tenantId: string, change?: Partial<Subscription>): Promise<void>;
}

export const request: MigrationRequest = {
  migrationId: 'mig-00000001',
  fromPlanId: 'starter',
  targetPlanId: 'pro',
  notifyMembers: false,
  requestedBy: { id: 'owner' },
  reason: 'the plan is no longer sold',
};

const catalog = [
  { _id: 'free', name: 'Free', amountCents: 0, currency: 'usd', offered: true },
  { _id: 'hobby', name: 'Hobby', amountCents: 0, currency: 'usd', offered: true },
  { _id: 'starter', name: 'Starter', amountCents: 1900, currency: 'usd', priceId: 'price_starter', offered: true },
  { _id: 'pro', name: 'Pro', amountCents: 4900, currency: 'usd', priceId: 'price_pro', offered: true },
  { _id: 'euro', name: 'Euro', amountCents: 4900, currency: 'eur', priceId: 'price_euro', offered: true },
  { _id: 'legacy', name: 'Legacy', amountCents: 9900, currency: 'usd', priceId: 'price_legacy', offered: false },
] as const;

/** A world with `count` workspaces on the starter plan; `changes` alters some of them, by their place. */
export async function createMigrationWorld(
  count: number,
  changes: Readonly<Record<number, Partial<Subscription>>> = {},
): Promise<MigrationWorld> {
  const clock = createTickingClock();
  const ids = createSequentialIds(1);
  const store = createFakeStore({ clock, ids });
  const recorder = createHistoryRecorder({ clock, names: { operations: 'plan_migration_items' } });
  const provider = createFakeProvider({ clock, ids });
  provider.seed({ priceIds: ['price_starter', 'price_pro'], amounts: { price_starter: 1_900, price_pro: 4_900 } });
  const subscriptions: FakeCollection<Subscription> = store.collection(subscriptionsCollection);
  const migrations: FakeCollection<PlanMigration> = store.collection(planMigrationsCollection);
  const items: FakeCollection<MigrationItem> = store.collection(planMigrationItemsCollection);
  const plans = store.collection(plansCollection);
  for (const plan of catalog) await plans.insert(plan);
  const published: { id: string; subject: string; body: Readonly<Record<string, unknown>> }[] = [];
  const tenants = Array.from({ length: count }, (_, at) => `ws-${String(at + 1).padStart(3, '0')}`);
  const world: MigrationWorld = {
    clock,
    store,
    recorder,
    provider,
    published,
    tenants,
    watched: recorder.watchStore(store),
    broker: {
      publish: async ({ id, subject, body }) => {
        await Promise.resolve();
        if (!published.some((message) => message.id === id)) published.push({ id, subject, body });
        return 'acknowledged';
      },
    },
    migrations: () => migrations.all(),
    items: () => items.all(),
    subscriptions: () => subscriptions.all(),
    subscription: (tenantId) => subscriptions.all().find(({ _id }) => _id === tenantId)!,
    async arrive(tenantId, change = {}) {
      provider.seed({
        customers: [{ id: `cus_${tenantId}`, currency: 'usd' }],
        subscriptions: [
          { id: `sub_${tenantId}`, customerId: `cus_${tenantId}`, priceId: 'price_starter', itemId: `si_${tenantId}` },
        ],
      });
      const inserted = await subscriptions.insert({
        _id: tenantId,
        workspaceName: tenantId.toUpperCase(),
        status: 'active',
        access: { state: 'open', since: clock.now(), operationId: null },
        planId: 'starter',
        provider: { customerId: `cus_${tenantId}`, subscriptionId: `sub_${tenantId}`, itemId: `si_${tenantId}` },
        isComplimentary: false,
        ...change,
      });
      if (inserted.outcome === 'applied') recorder.seeded('subscriptions', inserted.record);
    },
  };
  for (const [at, tenantId] of tenants.entries()) await world.arrive(tenantId, changes[at + 1]);
  return world;
}

/** The only migration of the world. */
export const jobOf = (world: MigrationWorld) => world.migrations()[0]!;

/** The status of each captured workspace. */
export const itemStatuses = (world: MigrationWorld) =>
  Object.fromEntries(world.items().map(({ tenantId, status }) => [tenantId, status]));

export interface MigrationLife {
  /** An investigation reads more of the provider than a migration does. */
  readonly ports: MigrationPorts & { readonly provider: ProviderReads };
  /** Requests the migration and waits until all work that it started has ended. */
  submit(request?: MigrationRequest): Promise<MigrationAnswer>;
  sweepOutbox(): Promise<void>;
  /** Ends the process in order: no further item is begun. */
  end(): void;
}

export interface MigrationBoot {
  readonly store?: Store;
  readonly provider?: PaymentProvider;
  readonly broker?: RecordingBroker;
  readonly lanes?: number;
  readonly instance?: string;
  readonly ports?: Partial<MigrationLife['ports']>;
}

/** Boots the executor of one incarnation on ports that may be instrumented. */
export function bootMigrations(
  world: Pick<MigrationWorld, 'watched' | 'provider' | 'broker' | 'clock'>,
  incarnation: number,
  {
    store = world.watched,
    provider = world.provider,
    broker = world.broker,
    lanes = 1,
    instance = 'operator-1',
    ports: other = {},
  }: MigrationBoot = {},
): MigrationLife {
  const migrations = store.collection(planMigrationsCollection);
  const items = store.collection(planMigrationItemsCollection);
  const publish = async (outbox: typeof items.outbox, recordId: string, entries: readonly OutboxEntry[]) => {
    for (const entry of entries)
      if ((await broker.publish(entry)) === 'acknowledged') await outbox.confirm(recordId, entry.id);
  };
  let stopping = false;
  const ports: MigrationPorts & { readonly provider: ProviderReads } = {
    migrations,
    items,
    subscriptions: store.collection(subscriptionsCollection),
    refreshes: store.collection(mirrorRefreshesCollection),
    plans: store.collection(plansCollection),
    provider,
    clock: world.clock,
    executor: { service: 'operator', instance, incarnation: `incarnation-${incarnation}` },
    retryPolicy,
    work: plainRegister(retryPolicy, world.clock, silentLog),
    log: silentLog,
    governor: { acquire: () => Promise.resolve(), liveCall() {}, answered() {}, close() {} },
    lanes,
    pulse: () => ({ close: () => Promise.resolve() }),
    stopping: () => stopping,
    publishMigrationNow: (id, entries) => void publish(migrations.outbox, id, entries).catch(() => undefined),
    publishItemNow: (id, entries) => void publish(items.outbox, id, entries).catch(() => undefined),
    itemEnded: () => {},
    ...other,
  };
  return {
    ports,
    async submit(operationRequest = request) {
      const started: Promise<void>[] = [];
      const answer = await requestMigration(ports, operationRequest, (pending) =>
        started.push(runMigration(ports, pending)),
      );
      await Promise.all(started);
      return answer;
    },
    async sweepOutbox() {
      for (const collection of [migrations, items]) {
        for (const { recordId, entry } of await collection.outbox.pending(1_000))
          await publish(collection.outbox, recordId, [entry]);
      }
    },
    end: () => {
      stopping = true;
    },
  };
}

/** The evidence that a history leaves for the invariant checker. */
export function migrationEvidence(world: MigrationWorld): Evidence {
  const items = world.items();
  return {
    ...emptyEvidence,
    ...world.recorder.logs,
    subscriptions: world.subscriptions(),
    ledger: world.provider.ledger(),
    sends: world.provider.sends(),
    alerts: world.published
      .filter(({ subject }) => subject.startsWith('alert.'))
      .map(({ body }) => ({ kind: String(body['kind']), id: String(body['id']) })),
    migrations: world.migrations().map(({ _id, status }) => ({
      migrationId: _id,
      status,
      captured: capturedBy(world, _id),
      items: items
        .filter(({ migrationId }) => migrationId === _id)
        .map(({ tenantId, status: end, providerCalls, resolution }) => ({
          tenantId,
          status: end,
          providerCalls,
          ...(resolution && { resolution }),
        })),
    })),
  };
}

/**
 * Item inserts in the log of writes until the list was declared complete; the invariant checker reports a later one.
 */
function capturedBy(world: MigrationWorld, migrationId: string): string[] {
  const prefix = itemId(migrationId, '');
  const job: MigrationFacts | undefined = world.migrations().find(({ _id }) => _id === migrationId);
  const wholeAt = job?.captured?.at.getTime() ?? Infinity;
  const inserted = (world.recorder.logs.writes ?? []).filter(
    ({ collection, id, expectedRevision, outcome }) =>
      collection === 'plan_migration_items' &&
      expectedRevision === null &&
      outcome !== 'not_applied' &&
      id.startsWith(prefix),
  );
  return inserted.filter(({ at }) => Number(at) <= wholeAt).map(({ id }) => id.slice(prefix.length));
}

export const violationsOf = (world: MigrationWorld) => formatViolations(checkHistory(migrationEvidence(world)));
