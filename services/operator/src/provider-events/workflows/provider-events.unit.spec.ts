import { misreadAnswers } from '@platform/payment-provider/testing';
import { createLatch, settle } from '@platform/testing';
import type { Subscription } from '../../mirror/domain/subscription';
import { bootEvents, outcomesOf, providerEvent } from '../testing/event-world';
import { createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { handleProviderEvent } from './handle-provider-event';
import { mirrorWorkspace } from '../../mirror/workflows/mirror-workspace';
import { refreshMirrors } from '../../mirror/workflows/refresh-mirrors';
import { runOperation } from '../../operations/workflows/run-operation';
import { stopInterruptedEvents } from './stop-interrupted-events';

const periodEnd = new Date('2026-03-01T00:00:00.000Z');

/** Four changes at the provider in one second; each puts the subscription into the named state. */
const changes = [
  { type: 'customer.subscription.updated', state: { status: 'past_due' } },
  { type: 'customer.subscription.updated', state: { status: 'active', priceId: 'price_pro' } },
  {
    type: 'customer.subscription.updated',
    state: { status: 'active', priceId: 'price_pro', cancelAtPeriodEnd: true, currentPeriodEnd: periodEnd },
  },
  {
    type: 'customer.subscription.resumed',
    state: { status: 'active', priceId: 'price_starter', cancelAtPeriodEnd: false, currentPeriodEnd: periodEnd },
  },
] as const;

function change(world: OperatorWorld, at: number): void {
  world.provider.seed({
    subscriptions: [
      { id: 'sub_acme', customerId: 'cus_acme', itemId: 'si_acme', priceId: 'price_starter', ...changes[at]!.state },
    ],
  });
}

const eventAt = (at: number) => providerEvent(`evt_${at}`, changes[at]!.type, { id: 'sub_acme', customer: 'cus_acme' });

function permutations<T>(items: readonly T[]): T[][] {
  return items.length <= 1
    ? [[...items]]
    : items.flatMap((item, at) =>
        permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
      );
}

const orders = permutations([0, 1, 2, 3]);

/** The mirror against the provider's own state, member by member. */
async function expectMirrorEqualsProvider(world: OperatorWorld): Promise<void> {
  const read = await world.provider.retrieveSubscription('sub_acme');
  if (read.outcome !== 'succeeded') throw new Error('the provider has no subscription');
  const { status, priceId, cancelAtPeriodEnd, currentPeriodEnd } = read.value;
  const mirror = world.subscription()!;
  expect({
    status: mirror.status,
    planId: mirror.planId,
    currentPeriodEnd: mirror.currentPeriodEnd ?? null,
    cancelsAt: mirror.cancelsAt ?? null,
    transition: mirror.transition,
  }).toEqual({
    status,
    planId: priceId === 'price_pro' ? 'pro' : 'starter',
    currentPeriodEnd,
    cancelsAt: cancelAtPeriodEnd ? currentPeriodEnd : null,
    transition: undefined,
  });
}

describe('four subscription events of one second', () => {
  it('are 24 orders', () => expect(new Set(orders.map(String)).size).toBe(24));

  it.each(orders.map((order) => [order.join(' ')]))(
    'in the order %s, all changes done before, end with the mirror equal to the provider',
    async (text) => {
      const world = await createOperatorWorld();
      const { events } = bootEvents(world, 1);
      changes.forEach((_change, at) => change(world, at));
      for (const at of text.split(' ').map(Number)) expect(await handleProviderEvent(events, eventAt(at))).toBe('done');
      await expectMirrorEqualsProvider(world);
      expect(outcomesOf(world)).toEqual({ evt_0: 'success', evt_1: 'success', evt_2: 'success', evt_3: 'success' });
    },
  );

  it.each(orders.map((order) => [order.join(' ')]))(
    'handled at once in the order %s while the changes go on, end with the mirror equal to the provider',
    async (text) => {
      const world = await createOperatorWorld();
      const { events } = bootEvents(world, 1);
      const running: Promise<unknown>[] = [];
      for (const [turn, at] of text.split(' ').map(Number).entries()) {
        change(world, turn);
        running.push(handleProviderEvent(events, eventAt(at)));
        await Promise.resolve();
      }
      await Promise.all(running);
      await expectMirrorEqualsProvider(world);
    },
  );

  it.each(orders.map((order) => [order.join(' ')]))(
    'in the order %s, half of them during a transition, end with the mirror equal to the provider',
    async (text) => {
      const world = await createOperatorWorld();
      const { events, ports } = bootEvents(world, 1);
      const latch = createLatch();
      const held = {
        ...ports,
        provider: {
          ...ports.provider,
          prepare: misreadAnswers(ports.provider, 'change_price', async (answer) => {
            await latch.wait();
            return answer;
          }),
        },
      };
      const upgrade = runOperation(held, {
        operationId: 'op-upgrade-001',
        tenantId: tenant,
        action: 'upgrade_plan',
        values: { planId: 'pro' },
        actor: { id: 'owner' },
      });
      await latch.reached();
      expect(world.subscription()?.transition).toBeDefined();
      const order = text.split(' ').map(Number);
      changes.forEach((_change, at) => change(world, at));
      for (const at of order.slice(0, 2)) await handleProviderEvent(events, eventAt(at));
      expect(world.subscription()).toMatchObject({ status: 'active', planId: 'starter' });
      latch.open();
      expect((await upgrade).kind).toBe('succeeded');
      for (const at of order.slice(2)) await handleProviderEvent(events, eventAt(at));
      expect(await refreshMirrors(events)).toBe(0);
      await expectMirrorEqualsProvider(world);
    },
  );

  it('that all arrive during a transition are written by the refresh after it, and by nothing before', async () => {
    const world = await createOperatorWorld({
      transition: { operationId: 'op-other-00001', kind: 'suspend', requestedAt: new Date(0) },
    });
    const { events } = bootEvents(world, 1);
    const before = world.subscription();
    for (const at of [3, 2, 1, 0]) {
      change(world, at);
      await handleProviderEvent(events, eventAt(at));
    }
    expect(world.subscription()).toEqual(before);
    expect(await refreshMirrors(events)).toBe(1);
    expect(world.subscription()).toEqual(before);
    const { transition: _ended, ...rest } = before as Subscription;
    await events.subscriptions.mutate(before as Subscription, rest);
    expect(await refreshMirrors(events)).toBe(0);
    await expectMirrorEqualsProvider(world);
    expect(Object.values(outcomesOf(world))).toEqual(['success', 'success', 'success', 'success']);
  });
});

describe('a provider event', () => {
  it('is handled once, however often it is delivered, and its outcome is sent again', async () => {
    const world = await createOperatorWorld();
    const { events } = bootEvents(world, 1);
    change(world, 0);
    const event = eventAt(0);
    await Promise.all(Array.from({ length: 16 }, () => handleProviderEvent(events, event)));
    change(world, 1);
    world.published.length = 0;
    expect(await handleProviderEvent(events, event)).toBe('done');
    expect(world.subscription()).toMatchObject({ status: 'past_due', planId: 'starter' });
    expect(outcomesOf(world)).toEqual({ evt_0: 'success' });
  });

  it.each([
    ['invoice.paid', { id: 'in_unknown', subscription: 'sub_acme' }, 'success'],
    ['customer.updated', { id: 'cus_acme' }, 'success'],
    ['credit_note.created', { id: 'cn_1', customer: 'cus_acme', invoice: 'in_unknown' }, 'success'],
    ['charge.refund.updated', { id: 're_1' }, 'skipped'],
    [
      'customer.subscription.updated',
      { id: 'sub_of_nothing', customer: 'cus_of_nothing', metadata: { provisioningAttempt: 'preparing' } },
      'skipped',
    ],
    ['checkout.session.completed', { id: 'cs_of_nothing' }, 'failed'],
  ] as const)('%s about %j ends %s', async (type, object, outcome) => {
    const world = await createOperatorWorld();
    const { events } = bootEvents(world, 1);
    change(world, 0);
    await handleProviderEvent(events, providerEvent('evt_1', type, object));
    expect(outcomesOf(world)).toEqual({ evt_1: outcome });
    expect(world.subscription()?.status).toBe(outcome === 'success' ? 'past_due' : 'active');
  });

  it('for a workspace that is being deleted writes nothing', async () => {
    const world = await createOperatorWorld({ deletion: { startedAt: new Date(0), operationId: 'op-delete-0001' } });
    const { events } = bootEvents(world, 1);
    change(world, 0);
    await handleProviderEvent(events, eventAt(0));
    expect(outcomesOf(world)).toEqual({ evt_0: 'skipped' });
    expect(world.subscription()?.status).toBe('active');
  });

  it('that came before its workspace was committed is made up for by the commit', async () => {
    const world = await createOperatorWorld();
    const { events } = bootEvents(world, 1);
    world.provider.seed({
      customers: [{ id: 'cus_new' }],
      subscriptions: [
        { id: 'sub_new', customerId: 'cus_new', itemId: 'si_new', priceId: 'price_pro', status: 'past_due' },
      ],
    });
    await handleProviderEvent(
      events,
      providerEvent('evt_early', 'customer.subscription.updated', { id: 'sub_new', customer: 'cus_new' }),
    );
    expect(outcomesOf(world)).toEqual({ evt_early: 'skipped' });
    const committed = {
      tenantId: 'newcomer',
      workspaceName: 'Newcomer',
      ownerUserId: 'ann',
      planId: 'starter',
      provider: { customerId: 'cus_new', subscriptionId: 'sub_new', itemId: 'si_new' },
      trialing: false,
      committedAt: '2026-01-01T00:00:00.000Z',
    };
    expect(await mirrorWorkspace(events, committed as Parameters<typeof mirrorWorkspace>[1])).toBe('mirrored');
    expect(world.subscription('newcomer')).toMatchObject({ status: 'active', planId: 'starter' });
    expect(await refreshMirrors(events)).toBe(0);
    expect(world.subscription('newcomer')).toMatchObject({ status: 'past_due', planId: 'pro' });
  });

  it('does not lift a suspension', async () => {
    const world = await createOperatorWorld({
      status: 'suspended',
      access: { state: 'closed', since: new Date(0), operationId: null },
    });
    const { events } = bootEvents(world, 1);
    change(world, 1);
    await handleProviderEvent(events, eventAt(1));
    expect(world.subscription()).toMatchObject({ status: 'suspended', access: { state: 'closed' }, planId: 'pro' });
  });

  it('while the provider is unreachable leaves a note, and the mirror follows when it is back', async () => {
    const world = await createOperatorWorld();
    const { events } = bootEvents(world, 1);
    change(world, 0);
    world.provider.setDown(true);
    await handleProviderEvent(events, eventAt(0));
    expect(outcomesOf(world)).toEqual({ evt_0: 'success' });
    expect(await refreshMirrors(events)).toBe(1);
    world.provider.setDown(false);
    expect(await refreshMirrors(events)).toBe(0);
    await expectMirrorEqualsProvider(world);
  });

  it('left by an earlier boot is unknown, told so, and not handled again', async () => {
    const world = await createOperatorWorld();
    const first = bootEvents(world, 1);
    const latch = createLatch();
    const stuck = {
      ...first.events,
      provider: {
        ...first.events.provider,
        retrieveSubscription: async () => {
          await latch.wait();
          throw new Error('this process is gone');
        },
      },
    };
    void handleProviderEvent(stuck, eventAt(0));
    await settle();
    const second = bootEvents(world, 2);
    expect(await handleProviderEvent(second.events, eventAt(0))).toBe('done');
    expect(await stopInterruptedEvents(second.events, async () => 'superseded')).toEqual(['evt_0']);
    await settle();
    expect(outcomesOf(world)).toEqual({ evt_0: 'unknown' });
    change(world, 0);
    await handleProviderEvent(second.events, eventAt(0));
    expect(world.subscription()?.status).toBe('active');
    latch.open();
    await settle();
    expect(outcomesOf(world)).toEqual({ evt_0: 'unknown' });
  });
});
