/**
 * The state before a history begins: the catalog, two paying workspaces and a free one, cards, and a listener for
 * creations.
 */
import type { Revisioned } from '@platform/kernel';
import type { CollectionDeclaration, Draft, Store } from '@platform/mongo';
import type { FakeStore } from '@platform/mongo/testing';
import type { FakeProvider } from '@platform/payment-provider/testing';
import type { HistoryRecorder } from '@platform/testing';
import { plansCollection } from '../../../services/operator/src/catalogue/store/plans';
import { subscriptionsCollection } from '../../../services/operator/src/mirror/store/subscriptions';
import type { Subscription } from '../../../services/operator/src/mirror/domain/subscription';
import { listenersCollection } from '../../../services/provisioning/src/store/collections';
import type { Timeline } from '../engine/timeline';

export interface Database {
  readonly store: FakeStore;
  /** The same store; writes through it are recorded in the history. */
  readonly watched: Store;
  readonly recorder: HistoryRecorder;
}

/** The part of a world that is seeded. */
interface Seeded {
  readonly databases: { readonly operator: Database; readonly provisioning: Database };
  readonly provider: FakeProvider;
  readonly timeline: Timeline;
}

async function put<T extends Revisioned>(
  { store, recorder }: Database,
  declaration: CollectionDeclaration<T>,
  drafts: readonly Draft<T>[],
): Promise<void> {
  for (const draft of drafts) {
    const insertion = await store.collection(declaration).insert(draft);
    if (insertion.outcome !== 'applied') throw new Error(`a seed of ${declaration.name} was not taken`);
    recorder.seeded(declaration.name, insertion.record);
  }
}

export const seededTenants = ['acme', 'globex', 'hooli'] as const;

function workspace(tenantId: string, since: Date, paid: boolean): Draft<Subscription> {
  return {
    _id: tenantId,
    workspaceName: tenantId,
    status: 'active',
    access: { state: 'open', since, operationId: null },
    planId: paid ? 'starter' : 'free',
    isComplimentary: false,
    provider: {
      customerId: `cus_${tenantId}`,
      ...(paid && { subscriptionId: `sub_${tenantId}`, itemId: `si_${tenantId}` }),
    },
  };
}

export async function seedDatabases({ databases, provider, timeline }: Seeded): Promise<void> {
  const at = timeline.clock.now();
  provider.seed({
    priceIds: ['price_starter', 'price_pro'],
    customers: seededTenants.map((tenantId) => ({ id: `cus_${tenantId}`, currency: 'usd' })),
    subscriptions: ['acme', 'globex'].map((tenantId) => ({
      id: `sub_${tenantId}`,
      customerId: `cus_${tenantId}`,
      priceId: 'price_starter',
      itemId: `si_${tenantId}`,
    })),
  });
  await put(databases.operator, plansCollection, [
    { _id: 'free', name: 'Free', amountCents: 0, currency: 'usd', offered: true },
    { _id: 'starter', name: 'Starter', amountCents: 1900, currency: 'usd', priceId: 'price_starter', offered: true },
    { _id: 'pro', name: 'Pro', amountCents: 4900, currency: 'usd', priceId: 'price_pro', offered: true },
  ]);
  await put(databases.operator, subscriptionsCollection, [
    workspace('acme', at, true),
    workspace('globex', at, true),
    workspace('hooli', at, false),
  ]);
  await put(databases.provisioning, listenersCollection, [
    {
      _id: 'storage',
      status: 'registered',
      events: ['TENANT_BEING_PROVISIONED', 'TENANT_DELETED'],
      order: 0,
      registeredBy: 'storage-1',
    },
  ]);
}
