/** A plan migration from request to end: the captured list, one outcome each, what is skipped, refused and never repeated. */
import type { Checked } from '@platform/durable/steps';
import type { ItemFacts } from '../domain/migration-item';
import { providerFaults } from '@platform/payment-provider/testing';
import {
  beginCapture,
  beginRun,
  emptyTally,
  finish,
  newMigration,
  stop,
  type PlanMigration,
} from '../domain/migration';
import type { Subscription } from '../../mirror/domain/subscription';
import {
  bootMigrations,
  createMigrationWorld,
  request,
  itemStatuses,
  jobOf,
  violationsOf,
} from '../testing/migration-world';

const at = new Date('2025-06-01T00:00:00.000Z');

describe('a plan migration', () => {
  it('moves every captured workspace once, in the order of the list, and leaves the source plan', async () => {
    const world = await createMigrationWorld(60);
    const { submit, ports, sweepOutbox } = bootMigrations(world, 1);
    expect(await submit()).toMatchObject({ kind: 'accepted', migration: { status: 'pending' } });
    await sweepOutbox();
    expect(jobOf(world)).toMatchObject({
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
    expect(violationsOf(world)).toEqual([]);
  });

  it('tells its progress and the owners of migrated workspaces, and those alone', async () => {
    const world = await createMigrationWorld(3, { 2: { status: 'past_due' } });
    const { submit, sweepOutbox } = bootMigrations(world, 1, { ports: { pulse: (_ms, work) => ({ close: work }) } });
    await submit({ ...request, notifyMembers: true });
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
    ['subscription_ending', { cancelsAt: at }],
    ['schedule_exists', { pendingPlan: { planId: 'pro', at, scheduleId: 'sub_sched_1' } }],
    ['no_provider_subscription', { provider: { customerId: 'cus_ws-001' } }],
    ['deletion_started', { deletion: { startedAt: at, operationId: 'op-delete-0001' } }],
  ])('skips a workspace that needs a person: %s', async (reason, change) => {
    const world = await createMigrationWorld(2, { 1: change });
    await bootMigrations(world, 1).submit();
    expect(world.items()).toMatchObject([
      { tenantId: 'ws-001', status: 'skipped', reason, providerCalls: [] },
      { status: 'succeeded' },
    ]);
    expect(world.subscription('ws-001').planId).toBe('starter');
    expect(jobOf(world).status).toBe('completed');
    expect(violationsOf(world)).toEqual([]);
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
          acquire: async () => {
            const next = turns.pop();
            if (next) await touch(next);
          },
        },
      },
    }).submit();
    expect(itemStatuses(world)).toEqual({
      'ws-001': 'succeeded',
      'ws-002': 'skipped',
      'ws-003': 'skipped',
      'ws-004': 'succeeded',
    });
    expect(
      world
        .items()
        .filter(({ status }) => status === 'skipped')
        .map((item: ItemFacts) => item.reason),
    ).toEqual(['subscription_changed', 'subscription_changed']);
    expect(violationsOf(world)).toEqual([]);
  });

  it('begins nothing more once another process has stopped it, where its reservation ends', async () => {
    const world = await createMigrationWorld(60);
    const { ports } = bootMigrations(world, 1);
    const standing = async () => (await ports.migrations.findById(request.migrationId))!;
    let ended = 0;
    await bootMigrations(world, 1, {
      ports: {
        itemEnded: () => void (ended += 1),
        migrations: {
          ...ports.migrations,
          // A successor stops the job in the instant before this executor reserves its second batch.
          mutate: async (current, next, ...more) => {
            const reserves = (record: object) => ('admittedThrough' in record ? Number(record.admittedThrough) : 0);
            if (ended > 0 && reserves(next) > reserves(current)) {
              const job = await standing();
              if (job.status === 'running')
                await ports.migrations.mutate(
                  job,
                  stop(job, emptyTally, { code: 'interrupted', message: 'stopped' }, at),
                );
            }
            return ports.migrations.mutate(current, next, ...more);
          },
        },
      },
    }).submit();
    expect(jobOf(world).status).toBe('reconciliation_required');
    expect(ended).toBeGreaterThan(0);
    expect(world.provider.sends()).toHaveLength(ended);
    expect(ended).toBeLessThan(60);
  });

  it.each(['before the first item', 'before an item'] as const)(
    'leaves a workspace alone that arrives after the capture, %s',
    async (moment) => {
      const world = await createMigrationWorld(3);
      const arrival = async () => void (world.subscriptions().length === 3 && (await world.arrive('ws-002b')));
      const governor = { acquire: arrival, liveCall() {}, answered() {}, close() {} };
      const pulse = () => (void arrival(), { close: async () => {} });
      const ports = moment === 'before an item' ? { governor } : { pulse };
      await bootMigrations(world, 1, { ports }).submit();
      expect(world.items()).toHaveLength(3);
      expect(world.subscription('ws-002b')).toMatchObject({ planId: 'starter' });
      expect(world.provider.ledger()).toHaveLength(3);
      expect(violationsOf(world)).toEqual([]);
    },
  );

  it.each(providerFaults.map(({ kind, outcome, code }) => [kind, outcome, code] as const))(
    'gives the item of %s the outcome that this answer proves (%s), and goes on',
    async (kind, outcome, code) => {
      const world = await createMigrationWorld(3);
      world.provider.failNext(kind, { path: '/v1/subscriptions/sub_ws-002' });
      const { submit, sweepOutbox } = bootMigrations(world, 1);
      await submit();
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
        expect(jobOf(world)).toMatchObject({
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
        expect(jobOf(world).status).toBe('completed');
      }
      expect(world.provider.sends().filter(({ path }) => path.endsWith('ws-002'))).toHaveLength(1);
      expect(violationsOf(world)).toEqual([]);
    },
  );

  it('changes nothing at the provider between two free plans, and says so', async () => {
    const world = await createMigrationWorld(2, { 1: { planId: 'free', provider: {} }, 2: { planId: 'free' } });
    await bootMigrations(world, 1).submit({ ...request, fromPlanId: 'free', targetPlanId: 'hobby' });
    expect(world.items()).toMatchObject([
      { status: 'succeeded', providerCalls: [{ step: 'change_plan', skipped: expect.stringContaining('free') }] },
      { status: 'skipped', reason: 'provider_subscription_exists' },
    ]);
    expect(world.subscription('ws-001').planId).toBe('hobby');
    expect(world.provider.sends()).toHaveLength(0);
    expect(violationsOf(world)).toEqual([]);
  });

  it('completes an empty list', async () => {
    const world = await createMigrationWorld(0);
    await bootMigrations(world, 1).submit();
    expect(jobOf(world)).toMatchObject({ status: 'completed', captured: { count: 0 } });
  });

  it.each([
    ['every workspace has its outcome', { succeeded: 2, skipped: 1 }, 'completed'],
    ['one outcome is not known', { succeeded: 2, reconciliation_required: 1 }, 'reconciliation_required'],
    ['one workspace has none', { succeeded: 2 }, 'reconciliation_required'],
  ] as const)('ends by the sum of its outcomes: %s', (_when, tally, status) => {
    const stamped = <M extends PlanMigration>(draft: Checked<M>) =>
      ({ ...draft, revision: 'r', createdAt: at, updatedAt: at }) as unknown as M;
    const capturing = stamped(
      beginCapture(
        stamped(newMigration(request)),
        { service: 'operator', instance: 'operator-1', incarnation: 'one' },
        { planId: 'pro', name: 'Pro', amountCents: 4_900, currency: 'usd' },
      ),
    );
    expect(finish(stamped(beginRun(capturing, 3, 'digest', at)), { ...emptyTally, ...tally }, 1, at).status).toBe(
      status,
    );
  });
});
