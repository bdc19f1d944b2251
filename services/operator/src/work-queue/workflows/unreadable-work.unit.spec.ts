/** An unreadable operation is in the queue as such, and hides no other work. */
import { refused } from '@platform/kernel';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../migrations/store/plan-migrations';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { operationsCollection } from '../../operations/store/operations';
import { credit, post, setStage } from '../../testing/stage';
import { workItemsCollection } from '../store/work-items';
import { operationOwner } from './owners';
import type { WorkQueuePorts } from './ports';
import { createPrices } from './prices';
import { refreshItem } from './refresh-item';
import { walkOwner } from './walk-owner';

/** Two stopped operations; the first has lost its revision. */
async function setQueue() {
  const stage = await setStage();
  const { world, life } = stage;
  for (const operationId of ['op-stop-0001', 'op-stop-0002']) {
    world.provider.failNext('lost_answer_after_effect');
    await post(stage, 'balance-credit', { ...credit, operationId });
  }
  const { revision: _gone, ...bare } = world.operations()[0]!;
  world.store.collection(operationsCollection).put({ ...bare });
  const owned = {
    ...life.ports,
    askExecutors: async (questions: readonly unknown[]) => questions.map(() => ({ state: 'alive' as const })),
    migrations: world.store.collection(planMigrationsCollection),
    migrationItems: world.store.collection(planMigrationItemsCollection),
    messaging: {
      request: async () => refused({ code: 'no_responders' as const, message: 'no service answers' }),
    } as never,
  };
  const owner = operationOwner(owned, createPrices(owned, world.clock));
  const items = world.store.collection(workItemsCollection);
  const { log } = life.ports;
  const ports: WorkQueuePorts = { items, owners: [owner], clock: world.clock, log, announce: () => undefined };
  const titles = () => items.all().map(({ itemId, title }) => [itemId, title]);
  return { ...stage, ports, owner, items, titles };
}

describe('an operation without a revision', () => {
  it('is listed as unreadable when it is looked at, and stays so through walks', async () => {
    const { ports, owner, titles, world } = await setQueue();
    expect(await refreshItem(ports, 'operation', 'op-stop-0001')).toBe('changed');
    expect(await walkOwner(ports, owner)).toMatchObject({ seen: 1 });
    expect(await walkOwner(ports, owner)).toMatchObject({ seen: 1, repaired: 0 });
    expect(titles().sort()).toEqual([
      ['op-stop-0001', 'unreadable record'],
      ['op-stop-0002', 'credit_customer'],
    ]);
    const collection = world.store.collection(operationsCollection);
    collection.put({ ...world.operations()[0]!, revision: 'repaired' });
    await walkOwner(ports, owner);
    expect(titles()).toContainEqual(['op-stop-0001', 'credit_customer']);
  });

  it('of which the workspace cannot be read is listed all the same', async () => {
    const { ports, owner, titles, world } = await setQueue();
    const { revision: _gone, ...bare } = world.subscription()!;
    world.store.collection(subscriptionsCollection).put({ ...bare });
    expect(await walkOwner(ports, owner)).toMatchObject({ seen: 1, repaired: 1 });
    expect(titles()).toEqual([['op-stop-0002', 'credit_customer']]);
  });
});
