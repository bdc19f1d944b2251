/** What an operator finds by an exact identifier, and what is said where an owner does not answer. */
import { refused } from '@platform/kernel';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../migrations/store/plan-migrations';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { credit, post, setStage } from '../../testing/stage';
import { workFacts } from '../testing/work-queue-world';
import { workItemsCollection } from '../store/work-items';
import { searchWork, type SearchPorts } from './search-work';

/** The workspace acme with one credit, at a gateway whose peers do not answer. */
async function setSearch() {
  const stage = await setStage();
  const { world, life } = stage;
  await post(stage, 'balance-credit', { ...credit, operationId: 'op-credit-0001' });
  const items = world.store.collection(workItemsCollection);
  const ports: SearchPorts = {
    ...life.ports,
    items,
    askExecutors: async (questions) => questions.map(() => ({ state: 'alive' as const })),
    migrations: world.store.collection(planMigrationsCollection),
    migrationItems: world.store.collection(planMigrationItemsCollection),
    messaging: { request: async () => refused({ code: 'no_responders', message: 'no service answers' }) },
  };
  const acme = world.subscription()!;
  const found = async (text: string) => {
    const { matches } = await searchWork(ports, text);
    return matches.map(({ kind, id, matched }) => [kind, id, matched]);
  };
  return { ports, items, acme, found, subscriptions: world.store.collection(subscriptionsCollection) };
}

describe('the search for an identifier', () => {
  it('finds a workspace by its id, its customer, the customers before it, and its subscription', async () => {
    const { acme, found, subscriptions } = await setSearch();
    const { customerId, subscriptionId } = acme.provider;
    subscriptions.put({ ...acme, provider: { ...acme.provider, formerCustomerIds: ['cus_before'] } });
    expect(await found('acme')).toContainEqual(['workspace', 'acme', 'workspace id']);
    expect(await found(customerId!)).toEqual([['workspace', 'acme', 'customer']]);
    expect(await found('cus_before')).toEqual([['workspace', 'acme', 'former customer']]);
    expect(await found(subscriptionId!)).toEqual([['workspace', 'acme', 'subscription']]);
    expect(await found('cus_none')).toEqual([]);
  });

  it('lists the record with the id before records that name it', async () => {
    const { found, items } = await setSearch();
    const { kind, itemId, ...facts } = workFacts('op-stopped-0001', { ids: ['op-stopped-0001', 'op-credit-0001'] });
    await items.insert({ _id: `${kind}:${itemId}`, kind, itemId, ...facts } as never);
    expect(await found('op-credit-0001')).toEqual([
      ['operation', 'op-credit-0001', 'operation id'],
      ['operation', 'op-stopped-0001', 'named in the record'],
    ]);
  });

  it('names the owners that do not answer', async () => {
    const { ports } = await setSearch();
    expect((await searchWork(ports, 'evt_1')).unavailable).toEqual(['webhook events', 'provisioning attempts']);
    expect((await searchWork(ports, 'acme')).unavailable).toEqual(['provisioning attempts']);
  });
});
