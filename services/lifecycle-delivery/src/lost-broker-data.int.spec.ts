/** Deliveries that are sent again from the database after the broker lost its data, also by two reconcilers at once. */
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { createLatch, eventually } from '@platform/testing';
import { openWorld, type OpenWorld } from './testing/open-world';
import { retryDeliveries } from './workflows/retry-deliveries';
import { createConsumers, receipt, type Consumers } from './testing/consumers';

/** Holds each caller at its first arrival until all have arrived. */
function createMeeting(guests: number) {
  let missing = guests;
  let open: () => void = () => undefined;
  const all = new Promise<void>((resolve) => (open = resolve));
  return {
    guest() {
      let arrived = false;
      return () => {
        if (!arrived) missing -= 1;
        arrived = true;
        if (missing === 0) open();
        return all;
      };
    },
  };
}

describe('lifecycle delivery after the broker lost its data', () => {
  let world: OpenWorld;
  let consumers: Consumers;
  beforeEach(async () => {
    world = await openWorld('lost-data');
    consumers = createConsumers(world);
  });
  afterEach(async () => {
    await consumers.close();
    await world.close();
  });

  it('brings everything undelivered back', async () => {
    const running = await world.start();
    const opened = createLatch();
    const runs: string[] = [];
    consumers.register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => {
        await opened.wait();
        runs.push(operationId);
        return receipt(operationId);
      },
    });
    await (await consumers.attach()).ready();
    const operations = Array.from({ length: 20 }, (_, number) => `operation-${number}`);
    for (const operationId of operations) await world.announce(operationId);
    await eventually(async () => (await running.ports.deliveries.count({})) === 20, {
      describe: 'deliveries recorded',
    });
    await world.wipeBroker();
    opened.open();
    await retryDeliveries(running.ports, world.store, { kind: 'everything' });
    for (const operationId of operations) await world.settlementOf(operationId);
    expect(await running.ports.deliveries.count({ status: 'succeeded' })).toBe(20);
    expect(new Set(runs).size).toBe(20);
  });

  it('lets two reconcilers at once deliver each attempt once', async () => {
    const [one, two] = [await world.start(), await world.start()];
    const runs: string[] = [];
    await world.operator.request(
      lifecycleRequests.register('storage'),
      { name: 'storage', transitions: ['suspended'], registeredBy: 'storage-1' },
      60_000,
    );
    for (let number = 0; number < 10; number += 1) await world.announce(`operation-${number}`);
    await eventually(async () => (await one.ports.deliveries.count({ status: 'pending' })) === 10, {
      describe: 'deliveries recorded',
    });
    await world.wipeBroker();
    const bothHaveRead = createMeeting(2);
    const rounds = await Promise.all(
      [one, two].map(({ ports }) => {
        const arrive = bothHaveRead.guest();
        const mutate: typeof ports.deliveries.mutate = async (...call) =>
          arrive().then(() => ports.deliveries.mutate(...call));
        return retryDeliveries({ ...ports, deliveries: { ...ports.deliveries, mutate } }, world.store, {
          kind: 'everything',
        });
      }),
    );
    expect(rounds[0]!.published + rounds[1]!.published).toBe(10);
    consumers.register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => {
        runs.push(operationId);
        return receipt(operationId);
      },
    });
    await (await consumers.attach()).ready();
    for (let number = 0; number < 10; number += 1) await world.settlementOf(`operation-${number}`);
    expect([...runs].sort()).toEqual([...new Set(runs)].sort());
  });
});
