/** The records of a migration run: the operator's, as `npm run ops` reads them, and the provider's ledger. */
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectMessaging, platformTopology } from '@platform/messaging';
import { connectStore, type RevisionedCollection } from '@platform/mongo';
import { createStripeProvider, type ProviderReads } from '@platform/payment-provider';
import { eventually, type AlertEvidence } from '@platform/testing';
import { planMigrationItemsCollection } from '../../services/operator/src/migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../services/operator/src/migrations/store/plan-migrations';
import type { MirrorRefresh } from '../../services/operator/src/mirror/domain/mirror-refresh';
import { mirrorRefreshesCollection } from '../../services/operator/src/mirror/store/mirror-refreshes';
import { subscriptionsCollection } from '../../services/operator/src/mirror/store/subscriptions';
import type { MigrationItem } from '../../services/operator/src/migrations/domain/migration-item';
import type { PlanMigration } from '../../services/operator/src/migrations/domain/migration';
import type { Subscription } from '../../services/operator/src/mirror/domain/subscription';
import type { TestPlatform } from '../support/platform';

export interface LedgerEffect {
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly objectId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Books {
  readonly migrations: RevisionedCollection<PlanMigration>;
  readonly items: RevisionedCollection<MigrationItem>;
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly refreshes: RevisionedCollection<MirrorRefresh>;
  /** Only the reads of this provider are used. */
  readonly provider: ProviderReads;
  /** Effects of one job, from the provider's ledger. */
  effects(migrationId: string): Promise<readonly LedgerEffect[]>;
  /** Every item of a job in the order of the list, or those with one status. */
  itemsOf(migrationId: string, status?: MigrationItem['status']): Promise<MigrationItem[]>;
  close(): Promise<void>;
}

const pageSize = 1_000;

export async function openBooks(platform: TestPlatform): Promise<Books> {
  const store = await connectStore({
    url: platform.mongodbUrl,
    database: 'operator',
    clock: systemClock,
    ids: createIds(),
    log: silentLog,
    appName: 'migration-books',
  });
  const items = store.collection(planMigrationItemsCollection);
  const provider = createStripeProvider({
    secretKey: 'sk_test_books',
    apiBase: platform.twinUrl,
    timeoutMs: 10_000,
  });
  return {
    provider,
    migrations: store.collection(planMigrationsCollection),
    items,
    subscriptions: store.collection(subscriptionsCollection),
    refreshes: store.collection(mirrorRefreshesCollection),
    effects: async (migrationId) => {
      const response = await fetch(`${platform.twinUrl}/_twin/ledger?operationId=${migrationId}`);
      if (!response.ok) throw new Error(`the twin's ledger answered ${response.status}`);
      return ((await response.json()) as { entries: LedgerEffect[] }).entries;
    },
    itemsOf: async (migrationId, status) => {
      const found: MigrationItem[] = [];
      for (;;) {
        const last = found.at(-1);
        const page = await items.find(
          { migrationId, ...(status && { status }) },
          { sort: { ordinal: 1, _id: 1 }, limit: pageSize, ...(last && { after: [last.ordinal, last._id] }) },
        );
        found.push(...page);
        if (page.length < pageSize) return found;
      }
    },
    close: async () => {
      provider.close();
      await store.close();
    },
  };
}

/** Every alert so far; waits until all of `wanted` have arrived, and leaves missing ones to the judgement. */
export async function readAlerts(platform: TestPlatform, wanted: readonly string[]): Promise<AlertEvidence[]> {
  const alerts = new Map<string, AlertEvidence>();
  const messaging = await connectMessaging({
    url: platform.natsUrl,
    name: 'migration-books',
    topology: platformTopology(),
    log: silentLog,
  });
  try {
    await messaging.ensureDurable({
      stream: 'ALERTS',
      durable: 'migration-books',
      filterSubjects: ['alert.>'],
      ackWaitMs: 5_000,
      maxAckPending: 500,
    });
    const reading = await messaging.consume(
      { stream: 'ALERTS', durable: 'migration-books', concurrency: 64 },
      async ({ body }) => {
        const alert = body as AlertEvidence;
        alerts.set(alert.id, alert);
        return { kind: 'ack' };
      },
    );
    await eventually(() => wanted.every((id) => alerts.has(id)), {
      describe: 'an alert for every stop',
      deadlineMs: 30_000,
    }).catch(() => undefined);
    await reading.close();
  } finally {
    await messaging.close();
  }
  return [...alerts.values()];
}
