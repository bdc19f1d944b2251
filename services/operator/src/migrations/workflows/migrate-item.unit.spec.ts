/** One workspace of a migration: its call and its permit, and what follows when a write of it does not win. */
import { StoreUnavailableError } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { providerFaults } from '@platform/payment-provider/testing';
import { silentLog } from '@platform/kernel';
import { mirror, type Subscription } from '../../mirror/domain/subscription';
import { migrationItemSteps, type MigrationItem } from '../domain/migration-item';
import { overtaken, unanswered } from '../testing/interfered-writes';
import {
  bootMigrations,
  createMigrationWorld,
  itemStatuses,
  jobOf,
  request,
  type MigrationLife,
} from '../testing/migration-world';

type Ports = MigrationLife['ports'];

/** A governor that notes what it is asked and what it learns. */
function noting() {
  const notes: (string | boolean)[] = [];
  const acquire = async () => void notes.push('permit');
  return {
    notes,
    governor: { acquire, liveCall() {}, answered: (available: boolean) => void notes.push(available), close() {} },
  };
}

type Given = { changes?: Record<number, Partial<Subscription>>; fault?: 'card_declined' | 'lost_answer_before_effect' };

/** Submits a migration of workspaces on ports that differ from those of the world. */
async function migrated(
  differing: (honest: Ports) => Partial<Ports>,
  {
    changes = {},
    fault,
  }: { changes?: Record<number, Partial<Subscription>>; fault?: 'card_declined' | 'lost_answer_before_effect' } = {},
) {
  const world = await createMigrationWorld(2, changes);
  if (fault) world.provider.failNext(fault, { path: '/v1/subscriptions/sub_ws-001' });
  const errors: object[] = [];
  const log = { ...silentLog, error: (fields: object) => void errors.push(fields) };
  const { ports } = bootMigrations(world, 1);
  await bootMigrations(world, 1, { ports: { log, ...differing(ports) } }).submit();
  return { world, errors };
}

describe('the permits of the governor', () => {
  it.each(providerFaults.map(({ kind, code }) => [kind, code !== 'provider_unavailable'] as const))(
    'are paused by nothing but a refusal before execution: %s, available %s',
    async (kind, available) => {
      const world = await createMigrationWorld(1);
      world.provider.failNext(kind);
      const { notes, governor } = noting();
      await bootMigrations(world, 1, { ports: { governor } }).submit();
      expect(notes).toEqual(['permit', available]);
    },
  );

  it('are not taken for a change that is not sent to the provider', async () => {
    const world = await createMigrationWorld(2, {
      1: { planId: 'free', provider: {} },
      2: { planId: 'free', provider: {} },
    });
    const { notes, governor } = noting();
    await bootMigrations(world, 1, { ports: { governor } }).submit({
      ...request,
      fromPlanId: 'free',
      targetPlanId: 'hobby',
    });
    expect([notes, jobOf(world).tally.succeeded]).toEqual([[], 2]);
  });
});

describe('the call of an item', () => {
  it('changes the price of the item of the subscription, and names a quantity only where there is one', async () => {
    const effects: unknown[] = [];
    const { world } = await migrated(
      ({ provider }) => ({
        provider: Object.assign(Object.create(provider) as typeof provider, {
          prepare: (...call: Parameters<PaymentProvider['prepare']>) => {
            effects.push(call);
            return provider.prepare(...call);
          },
        }),
      }),
      {
        changes: {
          2: { provider: { customerId: 'cus_ws-002', subscriptionId: 'sub_ws-002', itemId: 'si_ws-002', quantity: 3 } },
        },
      },
    );
    const effectOf = (tenantId: string) => ({
      step: 'change_plan',
      tenantId,
      subscriptionId: `sub_${tenantId}`,
      itemId: `si_${tenantId}`,
      priceId: 'price_pro',
    });
    expect(effects).toStrictEqual([
      [{ operationId: 'mig-00000001' }, effectOf('ws-001')],
      [{ operationId: 'mig-00000001' }, { ...effectOf('ws-002'), quantity: 3 }],
    ]);
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'succeeded', 'ws-002': 'succeeded' });
  });

  it('brings the end of the paid period into the mirror, where the provider has one', async () => {
    const world = await createMigrationWorld(2);
    const currentPeriodEnd = new Date('2026-07-01T00:00:00.000Z');
    world.provider.seed({
      subscriptions: [
        { id: 'sub_ws-001', customerId: 'cus_ws-001', priceId: 'price_starter', itemId: 'si_ws-001', currentPeriodEnd },
      ],
    });
    await bootMigrations(world, 1).submit();
    expect(world.subscription('ws-001')).toMatchObject({ planId: 'pro', currentPeriodEnd });
    expect(world.subscription('ws-002')).toMatchObject({ planId: 'pro' });
    expect(world.subscription('ws-002')).not.toHaveProperty('currentPeriodEnd');
  });

  it('is recorded with its answer, and the same alert tells of an unknown one whatever process stops the item', async () => {
    const { world } = await migrated(() => ({}), { fault: 'lost_answer_before_effect' });
    await bootMigrations(world, 1).sweepOutbox();
    expect(world.items()[0]?.providerCalls).toMatchObject([
      { step: 'change_plan', idempotencyKey: 'mig-00000001:ws-001:plan', sentAt: expect.any(Date), outcome: 'unknown' },
    ]);
    expect(world.published.map(({ id }) => id)).toContain('alert:operator:migration_item:mig-00000001:ws-001:1');
    expect(world.published.find(({ id }) => id.startsWith('alert:operator:migration_item'))?.body).toMatchObject({
      tenantId: 'ws-001',
    });
  });
});

const of =
  (status: MigrationItem['status'], tenantId = 'ws-001') =>
  (next: object) =>
    'status' in next && next.status === status && '_id' in next && next._id === `mig-00000001:${tenantId}`;
const takes = (next: object) => 'transition' in next;
const mirrors = (next: object) => 'planId' in next && next.planId === 'pro';

describe('an item whose write has no answer', () => {
  it.each<[string, (honest: Ports) => Partial<Ports>, MigrationItem['status'], number, Given]>([
    ['that begins it', ({ items }) => ({ items: unanswered(items, of('running')) }), 'pending', 0, {}],
    [
      'that skips it',
      ({ items }) => ({ items: unanswered(items, of('skipped')) }),
      'pending',
      0,
      { changes: { 1: { status: 'past_due' } } },
    ],
    [
      'that takes its workspace',
      ({ subscriptions }) => ({ subscriptions: unanswered(subscriptions, takes) }),
      'reconciliation_required',
      0,
      {},
    ],
    [
      'that says it succeeded',
      ({ items }) => ({ items: unanswered(items, of('succeeded')) }),
      'reconciliation_required',
      1,
      {},
    ],
    [
      'that says it failed',
      ({ items }) => ({ items: unanswered(items, of('failed')) }),
      'reconciliation_required',
      1,
      { fault: 'card_declined' },
    ],
    [
      'that stops it',
      ({ items }) => ({ items: unanswered(items, of('reconciliation_required')) }),
      'running',
      1,
      { fault: 'lost_answer_before_effect' },
    ],
  ])('%s ends its job, which begins nothing more', async (_which, ports, status, sends, given) => {
    const { world } = await migrated(ports, given);
    expect(itemStatuses(world)).toEqual({ 'ws-001': status, 'ws-002': 'pending' });
    expect(world.provider.sends()).toHaveLength(sends);
    expect(jobOf(world)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'store_unavailable', message: expect.stringContaining('did not answer for too long') },
    });
  });

  it('is not begun while its subscription cannot be read', async () => {
    const { world } = await migrated(({ subscriptions }) => ({
      subscriptions: {
        ...subscriptions,
        findById: async () => {
          throw new StoreUnavailableError('unreachable');
        },
      },
    }));
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'pending', 'ws-002': 'pending' });
    expect(jobOf(world)).toMatchObject({ status: 'reconciliation_required', error: { code: 'store_unavailable' } });
  });

  it('to the mirror stops it alone, because its change was made', async () => {
    const { world } = await migrated(({ subscriptions }) => ({
      subscriptions: unanswered(subscriptions, (next) => mirrors(next) && next._id === 'ws-001'),
    }));
    expect(world.items()).toMatchObject([
      {
        status: 'reconciliation_required',
        error: { code: 'outcome_unknown', message: expect.stringContaining('mirror could not be written') },
        providerCalls: [{ outcome: 'succeeded' }],
      },
      { status: 'succeeded' },
    ]);
    expect(jobOf(world)).toMatchObject({ status: 'reconciliation_required', error: { code: 'outcome_unknown' } });
  });
});

describe('an item that another writer changes first', () => {
  const elsewhere =
    ({ items }: Ports) =>
    (current: MigrationItem) =>
      items.mutate(current, migrationItemSteps.keep(current, {}));

  it.each<[string, MigrationItem['status'], MigrationItem['status'], number, Given]>([
    ['before it begins', 'running', 'pending', 0, {}],
    ['before it is skipped', 'skipped', 'pending', 0, { changes: { 1: { status: 'past_due' } } }],
    ['before it has succeeded', 'succeeded', 'running', 1, {}],
    ['before it has failed', 'failed', 'running', 1, { fault: 'card_declined' }],
    ['before it stops', 'reconciliation_required', 'running', 1, { fault: 'lost_answer_before_effect' }],
  ])('%s makes its executor stale: it writes nothing more', async (_when, write, status, sends, given) => {
    const { world, errors } = await migrated(
      (honest) => ({ items: overtaken(honest.items, of(write), elsewhere(honest)) }),
      given,
    );
    expect(itemStatuses(world)).toEqual({ 'ws-001': status, 'ws-002': 'pending' });
    expect(world.provider.sends()).toHaveLength(sends);
    expect(jobOf(world).status).toBe('running');
    expect(errors).toEqual([{ migrationId: 'mig-00000001' }]);
  });

  it.each<[string, (honest: Ports) => (current: Subscription) => Promise<unknown>]>([
    [
      'deletion_started',
      ({ subscriptions }) =>
        (current) =>
          subscriptions.mutate(
            current,
            mirror(current, { deletion: { startedAt: new Date(0), operationId: 'op-delete-1' } }),
          ),
    ],
    [
      'workspace_gone',
      ({ subscriptions }) =>
        (current) =>
          subscriptions.remove(current),
    ],
    [
      'subscription_changed',
      ({ subscriptions }) =>
        (current) =>
          subscriptions.mutate(current, mirror(current, {})),
    ],
  ])('in its subscription is skipped with its reason: %s', async (reason, change) => {
    const { world } = await migrated((honest) => ({
      subscriptions: overtaken(
        honest.subscriptions,
        (next) => takes(next) && next._id === 'ws-001' && next.planId === 'starter',
        change(honest),
      ),
    }));
    expect(world.items()).toMatchObject([
      { status: 'skipped', reason, providerCalls: [{ skipped: reason }] },
      { status: 'succeeded' },
    ]);
    expect(jobOf(world)).toMatchObject({ status: 'completed', tally: { succeeded: 1, skipped: 1 } });
  });

  it('of which the workspace is gone before it begins is skipped', async () => {
    const world = await createMigrationWorld(2);
    const { subscriptions } = bootMigrations(world, 9).ports;
    const pulse = () => (void subscriptions.remove(world.subscription('ws-001')), { close: async () => {} });
    await bootMigrations(world, 1, { ports: { pulse } }).submit();
    expect(world.items()).toMatchObject([
      { status: 'skipped', reason: 'workspace_gone', providerCalls: [] },
      { status: 'succeeded' },
    ]);
  });
});
