import { incarnationsCollection } from '@platform/durable/boot';
import { newMigration } from '../domain/migration';
import { operationsCollection } from '../../operations/store/operations';
import { bootMigrations, createMigrationWorld, request, type MigrationWorld } from '../testing/migration-world';
import { proveQuiescence, type QuiescenceFinding } from './prove-quiescence';

async function setStage(count: number) {
  const world = await createMigrationWorld(count);
  const { ports, submit } = bootMigrations(world, 1);
  const incarnations = world.store.collection(incarnationsCollection);
  await incarnations.insert({
    _id: 'incarnation-1',
    service: 'operator',
    instance: 'operator-1',
    startedAt: world.clock.now(),
  });
  const prove = async () => {
    const findings = await proveQuiescence(
      { ...ports, operations: world.store.collection(operationsCollection), incarnations },
      'starter',
    );
    if (!findings) throw new Error('no such plan');
    return standing(findings);
  };
  return { world, ports, submit, incarnations, prove };
}

function standing(findings: readonly QuiescenceFinding[]): Record<string, readonly string[]> {
  return Object.fromEntries(
    findings.filter(({ count }) => count > 0).map(({ what, named }) => [what.split(' ').slice(0, 2).join(' '), named]),
  );
}

async function closePlan(world: MigrationWorld): Promise<void> {
  const { plans } = bootMigrations(world, 9).ports;
  const plan = (await plans.findById('starter'))!;
  await plans.mutate(plan, { ...plan, offered: false });
}

describe('the proof that no writer of a plan is left', () => {
  it('fails while the plan is offered, has workspaces, or a gateway from before may still run', async () => {
    const { world, prove } = await setStage(2);
    expect(await prove()).toMatchObject({ 'the plan': ['starter'], 'workspaces on': ['ws-001', 'ws-002'] });
    await closePlan(world);
    expect(Object.keys(await prove())).toEqual(['gateways from', 'workspaces on']);
  });

  it('holds once the plan is closed, every gateway was started again and every workspace was migrated', async () => {
    const { world, submit, incarnations, prove } = await setStage(2);
    await submit();
    await closePlan(world);
    const first = (await incarnations.findById('incarnation-1'))!;
    await incarnations.mutate(first, {
      ...first,
      supersededBy: { incarnation: 'incarnation-2', at: world.clock.now() },
    });
    await incarnations.insert({
      _id: 'incarnation-2',
      service: 'operator',
      instance: 'operator-1',
      startedAt: world.clock.now(),
    });
    expect(await prove()).toEqual({});
  });

  it('names schedules, transitions of operations and of migrations, and migrations that lead to the plan', async () => {
    const { world, ports, prove } = await setStage(0);
    const operations = world.store.collection(operationsCollection);
    const at = world.clock.now();
    await operations.insert({
      _id: 'op-grant-0001',
      status: 'running',
      tenantId: 'held',
      action: 'grant_free_access',
      actor: { id: 'x' },
      values: { planId: 'starter' },
      fingerprint: 'f',
      attempts: [],
    });
    await operations.insert({
      _id: 'op-other-0001',
      status: 'running',
      tenantId: 'free',
      action: 'suspend',
      actor: { id: 'x' },
      values: {},
      fingerprint: 'f',
      attempts: [],
    });
    await world.arrive('scheduled', {
      planId: 'pro',
      pendingPlan: { planId: 'starter', at, scheduleId: 'sub_sched_1' },
    });
    await world.arrive('held', {
      planId: 'pro',
      transition: { operationId: 'op-grant-0001', kind: 'grant', requestedAt: at },
    });
    await world.arrive('free', {
      planId: 'pro',
      transition: { operationId: 'op-other-0001', kind: 'suspend', requestedAt: at },
    });
    await world.arrive('migrating', {
      planId: 'pro',
      transition: {
        operationId: 'mig-00000009:migrating',
        kind: 'change_plan',
        targetPlanId: 'starter',
        requestedAt: at,
      },
    });
    await ports.migrations.insert(
      newMigration({ ...request, migrationId: 'mig-00000009', fromPlanId: 'pro', targetPlanId: 'starter' }),
    );
    expect(await prove()).toMatchObject({
      'workspaces whose': ['scheduled'],
      'transitions that': ['held by op-grant-0001', 'migrating by mig-00000009:migrating'],
      'migrations to': ['mig-00000009 (pending)'],
    });
  });

  it('knows no plan that does not exist', async () => {
    const { world, ports, incarnations } = await setStage(0);
    expect(
      await proveQuiescence(
        { ...ports, operations: world.store.collection(operationsCollection), incarnations },
        'nowhere',
      ),
    ).toBeNull();
  });
});
