/**
 * A rolling deployment of a consumer and of the platform, in every order of its steps: a transition that the new
 * release requires is never removed again, and every accepted transition is delivered and settled.
 */
import { lifecycleRequests, type LifecycleTransition } from '@platform/contracts-lifecycle-delivery';
import type { InboundMessage } from '@platform/messaging';
import type { RunningDelivery } from './delivery';
import { createFakeWorld, type FakeWorld } from './testing/fake-world';

const releases: Readonly<Record<number, readonly LifecycleTransition[]>> = {
  1: ['created'],
  2: ['created', 'suspended'],
};

function orders<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]];
  return all.flatMap((first, at) => orders(all.filter((_, other) => other !== at)).map((rest) => [first, ...rest]));
}

async function ask(world: FakeWorld, version: 1 | 2, renew: boolean): Promise<void> {
  const body = {
    name: 'storage',
    transitions: releases[version]!,
    registeredBy: `storage-v${version}`,
    version,
    renew,
  };
  const answer = await world.consumers.request(lifecycleRequests.register('storage'), body, 1_000);
  if (!answer.ok) throw new Error(answer.error.message);
}

interface Deploy {
  readonly world: FakeWorld;
  running: RunningDelivery;
}

/** Steps that happen once each, in any order; the old release renews between them as long as it runs. */
const steps = {
  'the new release starts': ({ world }: Deploy) => ask(world, 2, false),
  'the new release renews': ({ world }: Deploy) => ask(world, 2, true),
  'the old release renews': ({ world }: Deploy) => ask(world, 1, true),
  'the old release is started once more': ({ world }: Deploy) => ask(world, 1, false),
  'the platform is replaced': async (deploy: Deploy) => {
    await deploy.running.close();
    deploy.running = await deploy.world.boot();
  },
};
type Step = keyof typeof steps;

/** Plays an order; returns the suspensions that had to be delivered and those that were. */
async function play(order: readonly Step[]): Promise<{ readonly wanted: string[]; readonly seen: string[] }> {
  const world = createFakeWorld();
  const deploy: Deploy = { world, running: await world.boot() };
  await ask(world, 1, false);
  const wanted: string[] = [];
  let known = false;
  for (const [at, step] of order.entries()) {
    await steps[step](deploy);
    known ||= step.startsWith('the new release');
    const operationId = `suspension-${at}`;
    await world.announce(operationId);
    await world.broker.settle();
    if (known) wanted.push(operationId);
  }
  const seen: InboundMessage[] = [];
  await world.consumeAll('storage', seen);
  await world.broker.settle();
  const open = await deploy.running.ports.messages.count({ status: 'awaiting_receipts' });
  await deploy.running.close();
  if (open > 0) throw new Error(`${open} messages wait for ever`);
  return { wanted, seen: [...new Set(seen.map(({ body }) => (body as { operationId: string }).operationId))].sort() };
}

describe('a rolling deployment of a consumer and of the platform', () => {
  const all = orders(Object.keys(steps) as Step[]);

  it(`takes no transition away from the new release, in each of ${all.length} orders`, async () => {
    expect(all).toHaveLength(120);
    for (const order of all) {
      const { wanted, seen } = await play(order);
      expect([order, seen]).toEqual([order, wanted]);
    }
  });
});
