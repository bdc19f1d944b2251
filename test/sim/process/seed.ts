/** The state before a history: products and customers at the provider, the catalog and the workspaces of the operator. */
import { createIds, silentLog, systemClock, type Revisioned } from '@platform/kernel';
import { connectStore, type Draft, type RevisionedCollection } from '@platform/mongo';
import {
  billedEvery,
  currency,
  customerIdOf,
  isPaid,
  ownerEmailOf,
  priceIdOf,
  seedPlans,
  subscriptionIdOf,
  twinSeed,
  type SeedWorkspace,
} from '../../../infra/local/seed-catalog';
import { subscriptionsOf } from '../../../services/operator/src/access/workflows/announce-access';
import { plansCollection } from '../../../services/operator/src/catalogue/store/plans';
import { schemaSteps } from '../../../services/operator/src/store/schema-steps';
import { providerKey, webhookEndpoint, type Infrastructure } from './infrastructure';

/** Two workspaces that pay and a free one. */
const workspaces: readonly SeedWorkspace[] = [
  { tenantId: 'acme', workspaceName: 'Acme', planId: 'starter', status: 'active' },
  { tenantId: 'globex', workspaceName: 'Globex', planId: 'starter', status: 'active' },
  { tenantId: 'hooli', workspaceName: 'Hooli', planId: 'free', status: 'active' },
];

/** Asks a server of the world; throws for a refusal. */
export async function ask<T>(url: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<T> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, { ...sent, headers: { 'content-type': 'application/json', ...headers } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

async function put<T extends Revisioned>(collection: RevisionedCollection<T>, draft: Draft<T>): Promise<void> {
  const { outcome } = await collection.insert(draft);
  if (outcome !== 'applied') throw new Error(`a seed of ${collection.name} was not taken`);
}

/** The plans and workspaces of the operator; `itemOf` gives the item of a subscription at the provider. */
async function seedOperator(url: string, itemOf: (subscriptionId: string) => Promise<string>): Promise<void> {
  const clock = systemClock;
  const store = await connectStore({
    ...{ url, database: 'operator', schemaSteps, clock, ids: createIds(clock), log: silentLog, appName: 'seed' },
  });
  const plans = store.collection(plansCollection);
  const subscriptions = subscriptionsOf(store, clock);
  await store.ensureIndexes();
  for (const { planId, ...plan } of seedPlans)
    await put(plans, { _id: planId, ...plan, currency, priceId: priceIdOf(planId), billedEvery, offered: true });
  for (const workspace of workspaces) {
    const { tenantId, ...rest } = workspace;
    const subscriptionId = subscriptionIdOf(tenantId);
    const paid = isPaid(workspace) && { subscriptionId, itemId: await itemOf(subscriptionId) };
    const email = ownerEmailOf(tenantId);
    await put(subscriptions, {
      _id: tenantId,
      ...rest,
      owner: { userId: email, email },
      access: { state: 'open', since: clock.now(), operationId: null },
      accessRevision: 1,
      provider: { customerId: customerIdOf(tenantId), ...paid },
      isComplimentary: false,
    });
  }
  await store.close();
}

export async function seedWorld({ store, twin, proxies }: Infrastructure): Promise<void> {
  await ask(`${twin.url}/_twin/seed`, twinSeed(seedPlans, workspaces));
  // The endpoint comes last, so that seeding sends no events.
  await ask(`${twin.url}/_twin/seed`, { webhookEndpoints: [webhookEndpoint(proxies.receiver)] });
  const headers = { authorization: `Bearer ${providerKey}` };
  await seedOperator(store.url, async (subscriptionId) => {
    const found = await ask<{ items: { data: { id: string }[] } }>(
      `${twin.url}/v1/subscriptions/${subscriptionId}`,
      undefined,
      headers,
    );
    return found.items.data[0]!.id;
  });
}
