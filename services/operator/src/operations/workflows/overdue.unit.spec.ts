/** Workspaces whose payment stays overdue: since when, and what the policy does then. */
import { adminStateView } from '../../mirror/http/admin-state-view';
import { mirrorSubscription } from '../../mirror/workflows/mirror-subscription';
import type { ProviderSubscriptionStatus } from '@platform/payment-provider';
import { settle } from '@platform/testing';
import { deliverSettlements } from '../../testing/operator-history';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import type { OperationRequest } from '../domain/operation';
import { exampleRequest } from '../testing/example-worlds';
import { runDueEnds } from './run-due-ends';
import { runOperation } from './run-operation';
import { settleDeletion } from './settle-deletion';

const dayMs = 86_400_000;
const suspending = { then: 'suspend', afterDays: 14 } as const;

async function showsAtProvider(world: OperatorWorld, status: ProviderSubscriptionStatus): Promise<void> {
  const read = await world.provider.retrieveSubscription('sub_acme');
  if (read.outcome !== 'succeeded') throw new Error('the subscription cannot be read');
  world.provider.seed({ subscriptions: [{ ...read.value, status, currentPeriodEnd: read.value.currentPeriodEnd! }] });
}

/** The provider's subscription gets this status, and the mirror follows. */
async function becomes(world: OperatorWorld, status: ProviderSubscriptionStatus): Promise<void> {
  await showsAtProvider(world, status);
  await mirrorSubscription(bootOperator(world, 1).ports, tenant);
}

async function round(world: OperatorWorld, policy: Parameters<typeof runDueEnds>[2] = suspending): Promise<number> {
  const life = bootOperator(world, 1);
  const { started } = await runDueEnds(life.ports, () => false, policy);
  await life.sweepOutbox();
  await deliverSettlements(world, life);
  return started;
}

describe('a workspace whose payment is overdue', () => {
  it('shows since when, until it is paid', async () => {
    const world = await createOperatorWorld();
    await becomes(world, 'past_due');
    const since = world.subscription()!.overdueSince;
    expect(adminStateView(world.subscription()!)).toMatchObject({
      state: 'overdue',
      access: { state: 'open' },
      overdueSince: since!.toISOString(),
    });
    world.clock.advance(dayMs);
    await becomes(world, 'unpaid');
    expect(world.subscription()!.overdueSince).toEqual(since);
    await becomes(world, 'active');
    expect(world.subscription()).not.toHaveProperty('overdueSince');
  });

  it.each<[string, OperationRequest]>([
    ['is granted free access', exampleRequest('grant_free_access')],
    ['is deleted', exampleRequest('delete_workspace')],
  ])('is overdue no more when it %s', async (_what, request) => {
    const world = await createOperatorWorld();
    await becomes(world, 'past_due');
    const life = bootOperator(world, 1);
    await runOperation(life.ports, request);
    await settle();
    for (const report of world.reports) await settleDeletion(life.ports, report);
    expect(world.operations()).toMatchObject([{ status: 'succeeded' }]);
    expect(world.subscription()).not.toHaveProperty('overdueSince');
  });

  it('is overdue no more when its subscription has ended', async () => {
    const world = await createOperatorWorld({ status: 'past_due', overdueSince: new Date('2025-12-01T00:00:00.000Z') });
    const read = await world.provider.retrieveSubscription('sub_acme');
    if (read.outcome !== 'succeeded') throw new Error('the subscription cannot be read');
    const ended = { ...read.value, status: 'canceled' as const, currentPeriodEnd: read.value.currentPeriodEnd! };
    world.provider.seed({ subscriptions: [ended] });
    await runOperation(bootOperator(world, 1).ports, exampleRequest('record_subscription_end'));
    expect(world.subscription()).toMatchObject({ status: 'cancelled' });
    expect(world.subscription()).not.toHaveProperty('overdueSince');
  });

  it.each(['none', 'warn'] as const)('is left alone by the policy %s', async (then) => {
    const world = await createOperatorWorld();
    await becomes(world, 'past_due');
    world.clock.advance(400 * dayMs);
    expect(await round(world, { then, afterDays: 14 })).toBe(0);
    expect(world.operations()).toEqual([]);
  });

  it('is suspended after the days of grace, as an operation that tells its consumers, once', async () => {
    const world = await createOperatorWorld();
    await becomes(world, 'past_due');
    world.clock.advance(13 * dayMs);
    expect(await round(world)).toBe(0);
    world.clock.advance(2 * dayMs);
    expect(await round(world)).toBe(1);
    expect(world.operations()).toMatchObject([
      { action: 'suspend', status: 'succeeded', actor: { id: 'time' }, lifecycle: { transition: 'suspended' } },
    ]);
    expect(world.subscription()).toMatchObject({ status: 'suspended', access: { state: 'closed' } });
    expect(await round(world)).toBe(0);
  });

  it('has its days of grace again after a reactivation', async () => {
    const world = await createOperatorWorld();
    await becomes(world, 'past_due');
    world.clock.advance(15 * dayMs);
    await round(world);
    const life = bootOperator(world, 1);
    const reactivation = { operationId: 'op-reactivate-01', tenantId: tenant, action: 'reactivate' } as const;
    await runOperation(life.ports, { ...reactivation, values: {}, actor: { id: 'owner' } });
    await life.sweepOutbox();
    await deliverSettlements(world, life);
    expect(world.subscription()).toMatchObject({ status: 'past_due' });
    expect(await round(world)).toBe(0);
    world.clock.advance(15 * dayMs);
    expect(await round(world)).toBe(1);
  });

  it('is not suspended when it was paid at the provider, and the event was lost', async () => {
    const world = await createOperatorWorld();
    await becomes(world, 'past_due');
    world.clock.advance(15 * dayMs);
    await showsAtProvider(world, 'active');
    expect(await round(world)).toBe(0);
    expect(world.operations()).toEqual([]);
    expect(world.subscription()).toMatchObject({ status: 'active', access: { state: 'open' } });
    expect(world.subscription()).not.toHaveProperty('overdueSince');
  });

  it('is not suspended while the provider cannot be asked whether it was paid', async () => {
    const world = await createOperatorWorld();
    await becomes(world, 'past_due');
    world.clock.advance(15 * dayMs);
    world.provider.setDown(true);
    expect(await round(world)).toBe(0);
    world.provider.setDown(false);
    expect(await round(world)).toBe(1);
  });

  it('is suspended when the provider does not know its subscription any more', async () => {
    const world = await createOperatorWorld({
      status: 'past_due',
      overdueSince: new Date('2025-12-01T00:00:00.000Z'),
      provider: { customerId: 'cus_acme', subscriptionId: 'sub_gone' },
    });
    expect(await round(world)).toBe(1);
  });

  it('is not suspended when it was paid meanwhile', async () => {
    const world = await createOperatorWorld();
    await becomes(world, 'past_due');
    world.clock.advance(15 * dayMs);
    await becomes(world, 'active');
    expect(await round(world)).toBe(0);
  });
});
