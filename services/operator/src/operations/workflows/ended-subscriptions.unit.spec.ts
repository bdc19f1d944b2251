/** Workspaces whose subscription has ended at the provider: every action that should still be possible is possible. */
import type { OperationAction } from '@platform/contracts-operator';
import { accessOf } from '../../mirror/domain/access';
import type { Subscription } from '../../mirror/domain/subscription';
import { deliverSettlements } from '../../testing/operator-history';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import type { OperationValues } from '../domain/operation';
import { runOperation } from './run-operation';

const closed = { state: 'closed', since: new Date('2025-12-31T00:00:00.000Z'), operationId: null } as const;

async function ended(workspace: Partial<Subscription> = {}): Promise<OperatorWorld> {
  const world = await createOperatorWorld(workspace);
  await world.provider.prepare({ operationId: 'outside' }, { step: 'cancel_now', subscriptionId: 'sub_acme' }).send();
  return world;
}

async function act(world: OperatorWorld, action: OperationAction, values: OperationValues = {}) {
  const life = bootOperator(world, 1);
  const operationId = `op-${action.replaceAll('_', '-')}-01`;
  await runOperation(life.ports, { operationId, tenantId: tenant, action, values, actor: { id: 'owner' } });
  await life.sweepOutbox();
  await deliverSettlements(world, life);
  return world.operations().find(({ _id }) => _id === operationId);
}

describe('a workspace whose subscription has ended', () => {
  it.each(['active', 'past_due', 'cancelled'] as const)('is suspended when the mirror says %s', async (status) => {
    const world = await ended({ status });
    expect(await act(world, 'suspend')).toMatchObject({ status: 'succeeded', lifecycle: { transition: 'suspended' } });
    expect(world.subscription()).toMatchObject({ status: 'suspended', access: { state: 'closed' } });
  });

  it('keeps the refusal of the provider in the record as it came', async () => {
    const world = await ended();
    expect((await act(world, 'suspend'))?.attempts[0]?.providerCalls).toMatchObject([
      { step: 'pause_collection', outcome: 'failed', httpStatus: 404 },
    ]);
  });

  it('is reactivated into a cancelled one: the suspension is lifted, and access stays closed', async () => {
    const world = await ended({ status: 'suspended', access: closed });
    expect(await act(world, 'reactivate')).toMatchObject({
      status: 'succeeded',
      result: { access: 'closed', status: 'cancelled' },
    });
    const subscription = world.subscription()!;
    expect(accessOf(subscription)).toMatchObject({ state: 'closed', reason: 'cancelled' });
    expect(subscription.transition).toBeUndefined();
  });

  it('buys a plan after that, or is granted one', async () => {
    const page = { successUrl: 'https://app.test/done', cancelUrl: 'https://app.test/back' };
    const bought = await ended({ status: 'suspended', access: closed });
    await act(bought, 'reactivate');
    expect(await act(bought, 'checkout', { planId: 'pro', ...page })).toMatchObject({ status: 'awaiting_receipts' });
    const granted = await ended({ status: 'suspended', access: closed });
    await act(granted, 'reactivate');
    expect(await act(granted, 'grant_free_access', { planId: 'pro' })).toMatchObject({ status: 'succeeded' });
    expect(accessOf(granted.subscription()!)).toMatchObject({ state: 'open' });
  });
});

describe('a suspended workspace that no subscription pays for', () => {
  const suspended = { status: 'suspended', access: closed, provider: { customerId: 'cus_acme' } } as const;
  it.each([
    ['a free plan', { planId: 'free' }, 'open'],
    ['free access', { planId: 'pro', isComplimentary: true }, 'open'],
    ['a paid plan', { planId: 'pro' }, 'closed'],
  ] as const)('is reactivated with %s to access %s', async (_what, plan, state) => {
    const world = await createOperatorWorld({ ...suspended, ...plan });
    expect(await act(world, 'reactivate')).toMatchObject({ status: 'succeeded', result: { access: state } });
    expect(accessOf(world.subscription()!).state).toBe(state);
  });
});
