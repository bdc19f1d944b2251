/** What a process that executes migrations does on its own: at its start, and as long as it lives. */
import { createManualClock, silentLog } from '@platform/kernel';
import type { Gateway } from './compose-gateway';
import { composeMigrations } from './compose-migrations';
import { itemId } from './migrations/domain/migration-item';
import type { SubscriptionTransition } from './mirror/domain/subscription';
import { planMigrationItemsCollection } from './migrations/store/plan-migration-items';
import { bootOperator, createOperatorWorld, tenant } from './testing/operator-world';

const item = itemId('migration-1', tenant);

const transition: SubscriptionTransition = {
  operationId: item,
  kind: 'change_plan',
  targetPlanId: 'pro',
  requestedAt: new Date(0),
};

/** The item of the workspace has ended. */
async function migratedWorld(left: { readonly transition?: SubscriptionTransition } = {}) {
  const world = await createOperatorWorld(left);
  const executor = { instance: 'operator-1', incarnation: 'an-earlier-one' };
  await world.store.collection(planMigrationItemsCollection).insert({
    ...{ _id: item, migrationId: 'migration-1', tenantId: tenant, ordinal: 1, providerCalls: [], status: 'succeeded' },
    ...{ subscriptionRevision: 'captured', executor, startedAt: new Date(0), finishedAt: new Date(0) },
  } as never);
  return world;
}

/** The service as its composition sees it; `rounds` are the works that it was asked to repeat. */
async function composed(
  world: Awaited<ReturnType<typeof migratedWorld>>,
  more: { readonly CONSOLE_ONLY?: boolean } = {},
) {
  const rounds = new Map<string, () => Promise<unknown>>();
  const { ports } = bootOperator(world, 1);
  const service = {
    log: silentLog,
    clock: createManualClock(),
    store: world.store,
    config: { MIGRATION_LANES: 1, ...more },
    executorState: () => ({ kind: 'another_instance' }),
    metrics: { observedGauge: () => undefined, counter: () => ({ add: () => undefined }) },
    openRelay: () => Promise.resolve({ start: () => undefined, publishNow: () => Promise.resolve() }),
    open: () => Promise.resolve(),
    audit: () => Promise.resolve(),
    work: { drained: () => Promise.resolve() },
    repeat: (name: string, _everyMs: number, work: () => Promise<unknown>) => {
      rounds.set(name, work);
      return Promise.resolve();
    },
  };
  await composeMigrations({ service, ports, reads: {}, governor: { close: () => undefined } } as unknown as Gateway);
  return rounds;
}

const cleared = { planId: 'pro', transition: undefined };

describe('a process that executes migrations', () => {
  it('clears at its start what an ended item has left', async () => {
    const world = await migratedWorld({ transition });
    await composed(world);
    expect({ transition: undefined, ...world.subscription() }).toMatchObject(cleared);
  });

  it('clears what is left later as well, without another start', async () => {
    const world = await migratedWorld();
    const rounds = await composed(world);
    const subscription = world.subscription()!;
    await bootOperator(world, 2).ports.subscriptions.mutate(subscription, { ...subscription, transition });
    expect(world.subscription()?.transition).toBeDefined();
    for (const round of rounds.values()) await round();
    expect({ transition: undefined, ...world.subscription() }).toMatchObject(cleared);
  });

  it('that only serves the console clears nothing', async () => {
    const world = await migratedWorld({ transition });
    expect((await composed(world, { CONSOLE_ONLY: true })).size).toBe(0);
    expect(world.subscription()?.transition).toMatchObject({ operationId: item });
  });
});
