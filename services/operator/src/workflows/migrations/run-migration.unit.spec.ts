/** A plan migration from request to end: the captured list, one outcome each, what is skipped, refused, stopped and never repeated. */
import { createSequentialIds } from '@platform/kernel';
import { providerFaults } from '@platform/payment-provider/testing';
import { checkHistory, createGate, formatViolations } from '@platform/testing';
import { beginCapture, beginRun, emptyTally, finish, newMigration, type PlanMigration } from '../../domain/migration';
import type { Subscription } from '../../domain/subscription';
import {
  bootMigrations,
  createMigrationWorld,
  migrationEvidence,
  request,
  type MigrationWorld,
} from '../../testing/migration-world';
import { stopInterruptedMigrations } from './stop-migration';

const at = new Date('2025-06-01T00:00:00.000Z');
const statuses = (world: MigrationWorld) =>
  Object.fromEntries(world.items().map(({ tenantId, status }) => [tenantId, status]));
const job = (world: MigrationWorld) => world.migrations()[0]!;
const violations = (world: MigrationWorld) => formatViolations(checkHistory(migrationEvidence(world)));

describe('a plan migration', () => {
  it('moves every captured workspace once, in the order of the list, and leaves the source plan', async () => {
    const world = await createMigrationWorld(60);
    const { ask, ports, sweepOutbox } = bootMigrations(world, 1);
    expect(await ask()).toMatchObject({ kind: 'accepted', migration: { status: 'pending' } });
    await sweepOutbox();
    expect(job(world)).toMatchObject({
      status: 'completed',
      captured: { count: 60 },
      tally: { succeeded: 60, failed: 0, skipped: 0, reconciliation_required: 0 },
      target: { planId: 'pro', priceId: 'price_pro' },
    });
    expect(world.provider.ledger().map(({ idempotencyKey }) => idempotencyKey)).toEqual(
      world.tenants.map((tenantId) => `mig-00000001:${tenantId}:plan`),
    );
    expect(world.subscriptions().every(({ planId, transition }) => planId === 'pro' && transition === undefined)).toBe(
      true,
    );
    expect(await ports.plans.findById('starter')).toMatchObject({ offered: true });
    expect(violations(world)).toEqual([]);
  });

  it('tells its progress and the owners of migrated workspaces, and those alone', async () => {
    const world = await createMigrationWorld(3, { 2: { status: 'past_due' } });
    const { ask, sweepOutbox } = bootMigrations(world, 1, { ports: { pulse: (_ms, work) => ({ close: work }) } });
    await ask({ ...request, notifyMembers: true });
    await sweepOutbox();
    const notices = world.published
      .filter(({ subject }) => subject === 'migration.workspace_migrated')
      .map(({ body }) => body);
    expect(notices).toMatchObject([
      { tenantId: 'ws-001', audience: 'members', fromPlanId: 'starter', toPlanId: 'pro', workspaceName: 'WS-001' },
      { tenantId: 'ws-003' },
    ]);
    const progress = world.published.filter(({ subject }) => subject === 'migration.progress').map(({ body }) => body);
    expect(progress).toMatchObject([
      { status: 'running', count: 3, done: { succeeded: 2, skipped: 1 } },
      { status: 'completed', done: { succeeded: 2, skipped: 1 } },
    ]);
  });

  it.each<[string, Partial<Subscription>]>([
    ['past_due', { status: 'past_due' }],
    ['suspended', { status: 'suspended' }],
    ['subscription_ended', { status: 'cancelled' }],
    ['transition_pending', { transition: { operationId: 'op-other-00001', kind: 'cancel', requestedAt: at } }],
    ['schedule_exists', { pendingPlan: { planId: 'pro', at, scheduleId: 'sub_sched_1' } }],
    ['no_provider_subscription', { provider: { customerId: 'cus_ws-001' } }],
    ['deletion_started', { deletion: { startedAt: at, operationId: 'op-delete-0001' } }],
  ])('skips a workspace that needs a person: %s', async (reason, change) => {
    const world = await createMigrationWorld(2, { 1: change });
    await bootMigrations(world, 1).ask();
    expect(world.items()).toMatchObject([
      { tenantId: 'ws-001', status: 'skipped', reason, providerCalls: [] },
      { status: 'succeeded' },
    ]);
    expect(world.subscription('ws-001').planId).toBe('starter');
    expect(job(world).status).toBe('completed');
    expect(violations(world)).toEqual([]);
  });

  it('skips a workspace that changed after its capture, also when it changes between reading and admission', async () => {
    const world = await createMigrationWorld(4);
    const touch = async (tenantId: string) => {
      const { subscriptions } = bootMigrations(world, 9).ports;
      const standing = (await subscriptions.findById(tenantId))!;
      await subscriptions.mutate(standing, { ...standing, workspaceName: 'renamed' });
    };
    const { ports } = bootMigrations(world, 1);
    const turns = ['ws-003', 'ws-002'];
    await bootMigrations(world, 1, {
      ports: {
        governor: {
          ...ports.governor,
          turn: async () => {
            const next = turns.pop();
            if (next) await touch(next);
          },
        },
      },
    }).ask();
    expect(statuses(world)).toEqual({
      'ws-001': 'succeeded',
      'ws-002': 'skipped',
      'ws-003': 'skipped',
      'ws-004': 'succeeded',
    });
    expect(
      world
        .items()
        .filter(({ status }) => status === 'skipped')
        .map(({ reason }) => reason),
    ).toEqual(['subscription_changed', 'subscription_changed']);
    expect(violations(world)).toEqual([]);
  });

  it('leaves a workspace alone that arrives after the capture', async () => {
    const world = await createMigrationWorld(3);
    const governor = {
      turn: async () => void (world.subscriptions().length === 3 && (await world.arrive('ws-002b'))),
      liveCall() {},
      answered() {},
      close() {},
    };
    await bootMigrations(world, 1, { ports: { governor } }).ask();
    expect(world.items()).toHaveLength(3);
    expect(world.subscription('ws-002b')).toMatchObject({ planId: 'starter' });
    expect(world.provider.ledger()).toHaveLength(3);
    expect(violations(world)).toEqual([]);
  });

  it.each(providerFaults.map(({ kind, outcome, code }) => [kind, outcome, code] as const))(
    'gives the item of %s the outcome that this answer proves (%s), and goes on',
    async (kind, outcome, code) => {
      const world = await createMigrationWorld(3);
      world.provider.failNext(kind, { path: '/v1/subscriptions/sub_ws-002' });
      const { ask, sweepOutbox } = bootMigrations(world, 1);
      await ask();
      await sweepOutbox();
      const [first, second, third] = world.items();
      expect([first?.status, third?.status]).toEqual(['succeeded', 'succeeded']);
      if (outcome === 'unknown') {
        expect(second).toMatchObject({
          status: 'reconciliation_required',
          error: { code: 'outcome_unknown' },
          providerCalls: [{ outcome: 'unknown', idempotencyKey: 'mig-00000001:ws-002:plan' }],
        });
        expect(world.subscription('ws-002').transition).toMatchObject({
          operationId: 'mig-00000001:ws-002',
          kind: 'change_plan',
          targetPlanId: 'pro',
        });
        expect(job(world)).toMatchObject({
          status: 'reconciliation_required',
          tally: { succeeded: 2, reconciliation_required: 1 },
        });
        expect(
          world.published.filter(({ subject }) => subject.startsWith('alert.')).map(({ body }) => body['id']),
        ).toEqual(['mig-00000001:ws-002', 'mig-00000001']);
      } else {
        expect(second).toMatchObject({ status: 'failed', error: { code }, providerCalls: [{ outcome: 'failed' }] });
        expect(world.subscription('ws-002')).toMatchObject({ planId: 'starter' });
        expect(world.subscription('ws-002')).not.toHaveProperty('transition');
        expect(job(world).status).toBe('completed');
      }
      expect(world.provider.sends().filter(({ path }) => path.endsWith('ws-002'))).toHaveLength(1);
      expect(violations(world)).toEqual([]);
    },
  );

  it('changes nothing at the provider between two free plans, and says so', async () => {
    const world = await createMigrationWorld(2, { 1: { planId: 'free', provider: {} }, 2: { planId: 'free' } });
    await bootMigrations(world, 1).ask({ ...request, fromPlanId: 'free', targetPlanId: 'hobby' });
    expect(world.items()).toMatchObject([
      { status: 'succeeded', providerCalls: [{ step: 'change_plan', skipped: expect.stringContaining('free') }] },
      { status: 'skipped', reason: 'provider_subscription_exists' },
    ]);
    expect(world.subscription('ws-001').planId).toBe('hobby');
    expect(world.provider.sends()).toHaveLength(0);
    expect(violations(world)).toEqual([]);
  });

  it('completes an empty list', async () => {
    const world = await createMigrationWorld(0);
    await bootMigrations(world, 1).ask();
    expect(job(world)).toMatchObject({ status: 'completed', captured: { count: 0 } });
  });
});

describe('a request for a migration', () => {
  it('is answered from its record when repeated, and refused with other values', async () => {
    const world = await createMigrationWorld(2);
    const { ask } = bootMigrations(world, 1);
    await ask();
    expect(await ask()).toMatchObject({ kind: 'accepted', migration: { status: 'completed' } });
    expect(await ask({ ...request, targetPlanId: 'legacy', notifyMembers: true })).toMatchObject({
      kind: 'refused',
      code: 'operation_id_reused',
      errors: [{ pointer: '/targetPlanId' }, { pointer: '/notifyMembers' }],
    });
    expect(world.provider.ledger()).toHaveLength(2);
    expect(world.migrations()).toHaveLength(1);
  });

  it('starts, when repeated, what no executor was ever admitted to', async () => {
    const world = await createMigrationWorld(2);
    const { ports } = bootMigrations(world, 1);
    await ports.migrations.insert(newMigration(request));
    await bootMigrations(world, 2).ask();
    expect(job(world)).toMatchObject({ status: 'completed', executor: { incarnation: 'incarnation-2' } });
  });

  it('is executed once however many executors ask for it at a time', async () => {
    const world = await createMigrationWorld(10);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, life) =>
        bootMigrations(world, life + 1, { instance: `operator-${life}`, lanes: 3 }).ask(),
      ),
    );
    expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => 'accepted'));
    expect(world.provider.sends()).toHaveLength(10);
    expect(job(world)).toMatchObject({ status: 'completed', tally: { succeeded: 10 } });
    expect(violations(world)).toEqual([]);
  });

  it.each([
    ['nowhere', 'pro', { kind: 'no_such_plan' }],
    ['starter', 'nowhere', { kind: 'refused', code: 'plan_not_available' }],
    ['starter', 'legacy', { kind: 'refused', code: 'plan_not_available' }],
    ['starter', 'euro', { kind: 'refused', code: 'plan_not_available' }],
    ['starter', 'starter', { kind: 'refused', code: 'plan_already_applied' }],
  ])('from %s to %s is refused and leaves nothing behind', async (fromPlanId, targetPlanId, answer) => {
    const world = await createMigrationWorld(1);
    expect(await bootMigrations(world, 1).ask({ ...request, fromPlanId, targetPlanId })).toMatchObject(answer);
    expect(world.migrations()).toEqual([]);
  });
});

describe('an interrupted migration', () => {
  async function interrupted(lanes = 2) {
    const world = await createMigrationWorld(100);
    const gate = createGate();
    let turns = 0;
    const governor = {
      turn: () => ((turns += 1) > 10 ? gate.wait() : Promise.resolve()),
      liveCall() {},
      answered() {},
      close() {},
    };
    const first = bootMigrations(world, 1, { lanes, ports: { governor } });
    const running = first.ask();
    await gate.reached(lanes);
    return { world, first, running, gate };
  }

  it.each([
    ['every workspace has its outcome', { succeeded: 2, skipped: 1 }, 'completed'],
    ['one outcome is not known', { succeeded: 2, reconciliation_required: 1 }, 'reconciliation_required'],
    ['one workspace has none', { succeeded: 2 }, 'reconciliation_required'],
  ] as const)('ends by the sum of its outcomes: %s', (_when, tally, status) => {
    const stamped = (draft: object): PlanMigration =>
      ({ ...draft, revision: 'r', createdAt: at, updatedAt: at }) as PlanMigration;
    const capturing = stamped(
      beginCapture(
        stamped(newMigration(request)),
        { service: 'operator', instance: 'operator-1', incarnation: 'one' },
        { planId: 'pro', name: 'Pro', amountCents: 4_900, currency: 'usd' },
      ),
    );
    expect(finish(stamped(beginRun(capturing, 3, 'digest', at)), { ...emptyTally, ...tally }, at).status).toBe(status);
  });

  it('is never completed by an executor of which one lane found itself stale while another waited for an outcome', async () => {
    const world = await createMigrationWorld(2);
    const answer = createGate();
    const stale = createGate();
    const { ports } = bootMigrations(world, 1);
    const items = Object.assign(Object.create(ports.items) as typeof ports.items, {
      mutate: async (...[current, next, announce]: Parameters<typeof ports.items.mutate>) => {
        if (next._id.endsWith('ws-001') && next.status === 'succeeded') await answer.wait();
        // Somebody who stops the job gives the item that is not begun another revision.
        if (next._id.endsWith('ws-002') && next.status === 'running') {
          await ports.items.mutate(current, current);
          void stale.wait();
        }
        return ports.items.mutate(current, next, announce);
      },
    });
    const asking = bootMigrations(world, 1, { lanes: 2, ports: { items } }).ask();
    await Promise.all([answer.reached(), stale.reached()]);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    answer.open();
    await asking;
    expect(statuses(world)).toEqual({ 'ws-001': 'succeeded', 'ws-002': 'pending' });
    expect(job(world)).toMatchObject({ status: 'running' });
    await stopInterruptedMigrations(bootMigrations(world, 2).ports, async () => 'superseded');
    expect(job(world)).toMatchObject({ status: 'reconciliation_required', tally: { succeeded: 1 } });
    expect(violations(world)).toEqual([]);
  });

  it('is stopped by the next boot of its instance; nothing is replayed, and the executor that wakes later changes nothing', async () => {
    const { world, running, gate } = await interrupted();
    const second = bootMigrations(world, 2);
    expect(await stopInterruptedMigrations(second.ports, async () => 'superseded')).toEqual(['mig-00000001']);
    expect(job(world)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'interrupted' },
      tally: { succeeded: 10, reconciliation_required: 0 },
    });
    const sent = world.provider.sends().length;
    gate.open();
    await running;
    expect(world.provider.sends()).toHaveLength(sent);
    expect(Object.values(statuses(world)).filter((status) => status === 'pending')).toHaveLength(90);
    expect(job(world).status).toBe('reconciliation_required');
    expect(await second.ask()).toMatchObject({ kind: 'refused', code: 'reconciliation_required' });
    expect(world.provider.sends()).toHaveLength(sent);
    await second.sweepOutbox();
    expect(violations(world)).toEqual([]);
  });

  it('of another instance, or of a live executor, is not touched', async () => {
    const { world, running, gate } = await interrupted();
    const before = job(world);
    expect(
      await stopInterruptedMigrations(
        bootMigrations(world, 2, { instance: 'operator-2' }).ports,
        async () => 'superseded',
      ),
    ).toEqual([]);
    expect(await stopInterruptedMigrations(bootMigrations(world, 2).ports, async () => 'live')).toEqual([]);
    expect(await stopInterruptedMigrations(bootMigrations(world, 1).ports, async () => 'superseded')).toEqual([]);
    expect(job(world)).toEqual(before);
    gate.open();
    await running;
    expect(job(world)).toMatchObject({ status: 'completed', tally: { succeeded: 100 } });
  });

  it('by an orderly end finishes what is under way and says so itself', async () => {
    const { world, first, running, gate } = await interrupted();
    first.end();
    gate.open();
    await running;
    expect(job(world)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'interrupted', message: expect.stringContaining('in order') },
    });
    expect(
      Object.values(statuses(world)).some((status) => status === 'running' || status === 'reconciliation_required'),
    ).toBe(false);
  });

  it('after the plan changed and before that was written keeps the item, its evidence and its transition', async () => {
    const world = await createMigrationWorld(3);
    const { ports } = bootMigrations(world, 1);
    // The process dies at the write of the first success: that write never reaches the store, and nothing follows it.
    const death = createGate();
    const items = Object.assign(Object.create(ports.items) as typeof ports.items, {
      mutate: async (...[current, next, announce]: Parameters<typeof ports.items.mutate>) =>
        next.status === 'succeeded'
          ? death.wait().then(() => ({ outcome: 'not_applied' as const }))
          : ports.items.mutate(current, next, announce),
    });
    void bootMigrations(world, 1, { ports: { items } }).ask();
    await death.reached();
    expect(world.subscription('ws-001').planId).toBe('pro');
    const second = bootMigrations(world, 2);
    await stopInterruptedMigrations(second.ports, async () => 'superseded');
    await second.sweepOutbox();
    expect(world.items()).toMatchObject([
      {
        tenantId: 'ws-001',
        status: 'reconciliation_required',
        providerCalls: [{ idempotencyKey: 'mig-00000001:ws-001:plan' }],
      },
      { status: 'pending' },
      { status: 'pending' },
    ]);
    expect(world.subscription('ws-001')).toMatchObject({
      planId: 'pro',
      transition: { operationId: 'mig-00000001:ws-001' },
    });
    expect(job(world)).toMatchObject({ status: 'reconciliation_required', captured: { count: 3 } });
    expect(world.provider.sends()).toHaveLength(1);
    expect(violations(world)).toEqual([]);
  });
});

describe('a migration that names a dry run', () => {
  it('is refused when the list is another one, before anything is written', async () => {
    const world = await createMigrationWorld(2);
    expect(await bootMigrations(world, 1).ask({ ...request, digest: createSequentialIds(3).next() })).toMatchObject({
      kind: 'refused',
      code: 'dry_run_outdated',
    });
    expect(world.migrations()).toEqual([]);
  });
});
