/** One workspace of a migration: what follows when a write of it has no answer, or when another writer is first. */
import { losing, losingWrites, overtaken, overtakenWrites } from '@platform/durable/testing';
import { StoreUnavailableError } from '@platform/mongo';
import { silentLog } from '@platform/kernel';
import { mirror, type Subscription } from '../../mirror/domain/subscription';
import type { MigrationItem } from '../domain/migration-item';
import {
  bootMigrations,
  createMigrationWorld,
  itemStatuses,
  jobOf,
  request,
  type MigrationLife,
} from '../testing/migration-world';

type Ports = MigrationLife['ports'];

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

const of =
  (status: MigrationItem['status'], tenantId = 'ws-001') =>
  (next: object) =>
    'status' in next && next.status === status && '_id' in next && next._id === `mig-00000001:${tenantId}`;
const takes = (next: object) => 'transition' in next;
const mirrors = (next: object) => 'planId' in next && next.planId === 'pro';

describe('an item whose write has no answer', () => {
  it.each<[string, (honest: Ports) => Partial<Ports>, MigrationItem['status'], number, Given]>([
    ['that begins it', losing('items', of('running')), 'pending', 0, {}],
    ['that skips it', losing('items', of('skipped')), 'pending', 0, { changes: { 1: { status: 'past_due' } } }],
    ['that takes its workspace', losing('subscriptions', takes), 'reconciliation_required', 0, {}],
    ['that says it succeeded', losing('items', of('succeeded')), 'reconciliation_required', 1, {}],
    ['that says it failed', losing('items', of('failed')), 'reconciliation_required', 1, { fault: 'card_declined' }],
    [
      'that stops it',
      losing('items', of('reconciliation_required')),
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

  it.each([
    ['starter', 'pro', {}],
    ['free', 'hobby', { 1: { planId: 'free', provider: {} }, 2: { planId: 'free', provider: {} } }],
  ])(
    'says that it succeeded only after the mirror shows it, from %s to %s',
    async (fromPlanId, targetPlanId, changes) => {
      const world = await createMigrationWorld(2, changes);
      const { ports } = bootMigrations(world, 1);
      const shown: string[] = [];
      const items = overtakenWrites(ports.items, of('succeeded'), ({ tenantId }) =>
        shown.push(world.subscription(tenantId).planId),
      );
      await bootMigrations(world, 1, { ports: { items } }).submit({ ...request, fromPlanId, targetPlanId });
      expect(shown).toEqual([targetPlanId]);
    },
  );

  it('to the mirror stops it alone, because its change was made', async () => {
    const { world } = await migrated(({ subscriptions }) => ({
      subscriptions: losingWrites(subscriptions, (next) => mirrors(next) && next._id === 'ws-001'),
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
  it.each<[string, MigrationItem['status'], MigrationItem['status'], number, Given]>([
    ['before it begins', 'running', 'pending', 0, {}],
    ['before it is skipped', 'skipped', 'pending', 0, { changes: { 1: { status: 'past_due' } } }],
    ['before it has succeeded', 'succeeded', 'running', 1, {}],
    ['before it has failed', 'failed', 'running', 1, { fault: 'card_declined' }],
    ['before it stops', 'reconciliation_required', 'running', 1, { fault: 'lost_answer_before_effect' }],
  ])('%s makes its executor stale: it writes nothing more', async (_when, write, status, sends, given) => {
    const { world, errors } = await migrated(overtaken('items', of(write)), given);
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
      subscriptions: overtakenWrites(
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
