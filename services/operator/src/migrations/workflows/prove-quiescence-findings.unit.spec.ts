/** Each kind of writer that the proof finds, and those that it knows to be harmless. */
import { incarnationsCollection } from '@platform/durable/boot';
import { forged } from '@platform/durable/testing';
import type { IncarnationRecord } from '@platform/service-host';
import { newMigration, type PlanMigration } from '../domain/migration';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { operationsCollection } from '../../operations/store/operations';
import { planMigrationsCollection } from '../store/plan-migrations';
import { bootMigrations, createMigrationWorld, request } from '../testing/migration-world';
import { proveQuiescence, type QuiescencePorts } from './prove-quiescence';

const at = new Date('2026-03-01T00:00:00.000Z');
const kinds = [
  'the plan',
  'gateways',
  'workspaces on',
  'workspaces whose',
  'transitions',
  'migrations',
  'records',
] as const;

/** A world in which nothing prevents that the plan `legacy` is retired. */
async function quiet() {
  const world = await createMigrationWorld(0);
  const { ports } = bootMigrations(world, 1);
  const all: QuiescencePorts = {
    ...ports,
    operations: world.store.collection(operationsCollection),
    incarnations: world.store.collection(incarnationsCollection),
  };
  /** What is found of this kind. */
  const found = async (kind: (typeof kinds)[number]) => {
    const findings = (await proveQuiescence(all, 'legacy')) ?? [];
    const [finding] = findings.filter(({ what }) => what.startsWith(kind));
    if (!finding) throw new Error(`no finding of ${kind}`);
    return [finding.count, finding.named] as const;
  };
  return { world, ports: all, found };
}

/** The collection, which fails at one read more than this. */
function reading<C extends { find(...query: never[]): Promise<unknown> }>(collection: C, reads: number): C {
  let asked = 0;
  return {
    ...collection,
    find: async (...query: never[]) => {
      if ((asked += 1) > reads) throw new Error('one read too many');
      return collection.find(...query);
    },
  };
}

const starting = async ({ incarnations }: QuiescencePorts, _id: string, change: Partial<IncarnationRecord> = {}) =>
  incarnations.insert({ _id, service: 'operator', instance: 'operator-1', startedAt: new Date(0), ...change });
const migrating = async ({ migrations }: QuiescencePorts, migrationId: string, change: object = {}) =>
  migrations.insert(
    forged<PlanMigration>({ ...newMigration({ ...request, migrationId, targetPlanId: 'legacy' }), ...change } as never),
  );

describe('the proof that no writer of a plan is left', () => {
  it('names every kind of writer also where it finds none', async () => {
    const { ports } = await quiet();
    const findings = (await proveQuiescence(ports, 'legacy'))!;
    expect(findings.map(({ named, count }) => [named, count])).toEqual(kinds.map(() => [[], 0]));
    expect(findings.map(({ what }, place) => what.startsWith(kinds[place]!))).toEqual(kinds.map(() => true));
  });

  it.each([
    [499, 1],
    [500, 2],
    [501, 2],
  ])('counts %d workspaces, gateways and migrations page by page, and names the first ten', async (count, reads) => {
    const { world, ports } = await quiet();
    const name = (place: number) => String(place + 1).padStart(3, '0');
    for (let place = 0; place < count; place += 1) {
      await world.arrive(`ws-${name(place)}`, { planId: 'legacy' });
      await starting(ports, `inc-${name(place)}`);
      await migrating(ports, `mig-${name(place)}`);
    }
    const ten = Array.from({ length: 10 }, (_, place) => name(place));
    const once = {
      subscriptions: reading(ports.subscriptions, reads + 2),
      incarnations: reading(ports.incarnations, reads),
      migrations: reading(ports.migrations, reads + 3),
    };
    const findings = (await proveQuiescence({ ...ports, ...once }, 'legacy')) ?? [];
    expect(findings.filter((finding) => finding.count > 1).map(({ named, count: found }) => [found, named])).toEqual([
      [count, ten.map((each) => `operator-1 (inc-${each})`)],
      [count, ten.map((each) => `ws-${each}`)],
      [count, ten.map((each) => `mig-${each} (pending)`)],
    ]);
  });

  it('counts rows that cannot be read, because they may be any of them', async () => {
    const { world, ports, found } = await quiet();
    await world.arrive('ws-1', { planId: 'legacy' });
    await migrating(ports, 'mig-1');
    const rows = [world.store.collection(subscriptionsCollection), world.store.collection(planMigrationsCollection)];
    for (const collection of rows) {
      const row = collection.all().at(-1)!;
      collection.put({ ...row, status: 'of a newer release' });
    }
    expect(await found('records')).toEqual([2, ['subscriptions/ws-1', 'plan_migrations/mig-1']]);
  });

  it('counts gateways that started before the plan was last written and may still run, and no other process', async () => {
    const { ports, found } = await quiet();
    const { updatedAt } = (await ports.plans.findById('legacy'))!;
    await starting(ports, 'may-run', { startedAt: new Date(updatedAt.getTime() - 1) });
    await starting(ports, 'at-that-time', { startedAt: updatedAt });
    await starting(ports, 'ended', { stoppedAt: at });
    await starting(ports, 'superseded', { supersededBy: { incarnation: 'may-run', at } });
    await starting(ports, 'of-provisioning', { service: 'provisioning' });
    expect(await found('gateways')).toEqual([1, ['operator-1 (may-run)']]);
  });

  it('counts transitions that lead to the plan, and those of which the operation is missing', async () => {
    const { world, ports, found } = await quiet();
    const held = (operationId: string, targetPlanId?: string) => ({
      transition: { operationId, kind: 'change_plan', requestedAt: at, ...(targetPlanId && { targetPlanId }) } as const,
    });
    for (const [_id, planId] of [
      ['op-to-legacy', 'legacy'],
      ['op-to-pro', 'pro'],
    ] as const)
      await ports.operations.insert({
        _id,
        status: 'running',
        tenantId: 'acme',
        action: 'grant_free_access',
        actor: { id: 'x' },
        values: { planId },
        fingerprint: 'f',
        attempts: [],
      });
    await world.arrive('a', held('op-to-legacy'));
    await world.arrive('b', held('op-to-pro'));
    await world.arrive('c', held('op-missing'));
    await world.arrive('d', held('mig-1:d', 'legacy'));
    await world.arrive('e', held('mig-1:e', 'pro'));
    expect(await found('transitions')).toEqual([3, ['a by op-to-legacy', 'c by op-missing', 'd by mig-1:d']]);
  });

  it('counts migrations to the plan until they have ended, and names ten of them over all states', async () => {
    const { ports, found } = await quiet();
    const open = ['pending', 'capturing', 'running', 'reconciliation_required'];
    for (const status of [...open, 'completed', 'refused']) await migrating(ports, `mig-${status}`, { status });
    await migrating(ports, 'mig-elsewhere', { targetPlanId: 'pro' });
    expect(await found('migrations')).toEqual([4, open.map((status) => `mig-${status} (${status})`)]);
    for (let more = 0; more < 8; more += 1) await migrating(ports, `mig-more-${more}`, { status: 'running' });
    const [count, named] = await found('migrations');
    expect([count, named.length]).toEqual([12, 10]);
  });
});
