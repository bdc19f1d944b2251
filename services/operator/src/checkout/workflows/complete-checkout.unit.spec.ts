/**
 * A completed session changes the plan once, despite repeated callbacks, sessions of other operations, lost answers and
 * a concurrent deletion.
 */
import { plainRegister } from '@platform/durable/executors';
import type { OutboxEntry } from '@platform/kernel';
import { settle } from '@platform/testing';
import { withAccessRevision } from '../../mirror/domain/access';
import { bootEvents, outcomesOf } from '../../provider-events/testing/event-world';
import { tenant } from '../../testing/operator-world';
import { handleProviderEvent } from '../../provider-events/workflows/handle-provider-event';
import { beginCheckout, completed, free, notices, receipts, steps } from '../testing/checkout-world';
import { completeCheckout } from './complete-checkout';

describe('the completion of a checkout', () => {
  it('mirrors what was bought, sets the card, writes the receipt, journals and clears', async () => {
    const { world, events, sessionId } = await beginCheckout({
      ...free,
      isComplimentary: true,
      freeUntil: new Date(0),
    });
    const sold = world.provider.completeCheckout(sessionId);
    await handleProviderEvent(events, completed(sessionId));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'success' });
    expect(world.subscription()).toMatchObject({
      status: 'active',
      planId: 'pro',
      isComplimentary: false,
      provider: { customerId: 'cus_acme', subscriptionId: sold.subscriptionId },
    });
    for (const gone of ['transition', 'checkout', 'freeUntil']) expect(world.subscription()).not.toHaveProperty(gone);
    expect(world.operations()[0]).toMatchObject({
      status: 'succeeded',
      result: { planId: 'pro', sessionId, subscriptionId: sold.subscriptionId },
    });
    expect(await receipts(world)).toMatchObject([{ _id: sessionId, operationId: 'op-checkout-001', planId: 'pro' }]);
    expect(steps(world)).toEqual(['create_session', 'set_default_payment_method']);
    expect(notices(world)).toEqual([
      {
        id: `checkout-completed:${sessionId}`,
        body: {
          tenantId: tenant,
          operationId: 'op-checkout-001',
          planId: 'pro',
          email: expect.stringContaining('@'),
          completedAt: expect.any(String),
        },
      },
    ]);
  });

  it('by a second callback runs nothing', async () => {
    const { world, events, sessionId } = await beginCheckout();
    world.provider.completeCheckout(sessionId);
    await handleProviderEvent(events, completed(sessionId));
    const before = world.subscription();
    await handleProviderEvent(events, completed(sessionId, 'evt_second'));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'success', evt_second: 'success' });
    expect(world.subscription()).toEqual(before);
    expect(steps(world)).toHaveLength(2);
  });

  it('by callbacks and a round at once admits one, and every event reports its end', async () => {
    const { world, sessionId } = await beginCheckout();
    const retryPolicy = { tries: 3, pause: () => settle() };
    const replica = (incarnation: number) => {
      const ports = bootEvents(world, incarnation).events;
      return { ...ports, work: plainRegister(retryPolicy, world.clock, ports.log) };
    };
    const [here, there] = [replica(1), replica(2)];
    world.provider.completeCheckout(sessionId);
    await Promise.all([
      completeCheckout(here, { object: { id: sessionId } }),
      ...[here, here, there].map((ports, at) => handleProviderEvent(ports, completed(sessionId, `evt_${at}`))),
    ]);
    await settle();
    expect(steps(world)).toEqual(['create_session', 'set_default_payment_method']);
    expect(outcomesOf(world)).toEqual({ evt_0: 'success', evt_1: 'success', evt_2: 'success' });
    expect(world.operations()[0]).toMatchObject({ status: 'succeeded' });
  });

  it('leaves its event to people when another callback does not come to its end', async () => {
    const { world, events, sessionId } = await beginCheckout();
    world.provider.completeCheckout(sessionId);
    let pauses = 0;
    const retryPolicy = { tries: 3, pause: async () => void (pauses += 1) };
    const work = {
      ...plainRegister(retryPolicy, world.clock, events.log),
      find: (key: string) => ({ key, since: new Date(0) }),
    };
    await handleProviderEvent({ ...events, retryPolicy, work }, completed(sessionId));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'failed' });
    expect(pauses).toBe(11);
    expect(await receipts(world)).toEqual([]);
  });

  it('of another session, or of one that is not complete, touches nothing', async () => {
    const { world, events, sessionId } = await beginCheckout();
    // The provider makes a second session for the same operation only after it has forgotten the key.
    world.clock.advance(86_400_000);
    const other = await world.provider
      .prepare(
        { operationId: 'op-checkout-001' },
        {
          step: 'create_session',
          customerId: 'cus_acme',
          priceId: 'price_pro',
          tenantId: tenant,
          planId: 'pro',
          trialDays: 0,
          successUrl: 'https://a.test',
          cancelUrl: 'https://a.test',
        },
      )
      .send();
    if (other.outcome !== 'succeeded') throw new Error('no session');
    world.provider.completeCheckout(other.value.id);
    await handleProviderEvent(events, completed(other.value.id, 'evt_other'));
    await handleProviderEvent(events, completed(sessionId, 'evt_early'));
    expect(outcomesOf(world)).toEqual({ evt_other: 'failed', evt_early: 'failed' });
    expect(world.subscription()).toMatchObject({ transition: { kind: 'checkout' }, planId: 'free' });
    expect(await receipts(world)).toEqual([]);
  });

  it('with a subscription that is not active leaves the checkout waiting for its payment', async () => {
    const { world, events, sessionId } = await beginCheckout();
    world.provider.completeCheckout(sessionId, { status: 'incomplete' });
    await handleProviderEvent(events, completed(sessionId));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'success' });
    expect(world.subscription()).toMatchObject({
      transition: { kind: 'checkout' },
      checkout: { sessionId },
      planId: 'free',
    });
    expect(world.operations()[0]).toMatchObject({ status: 'awaiting_receipts', checkout: { waitsFor: 'payment' } });
  });

  it('whose last effect is unknown keeps the intent, writes no receipt and refuses later callbacks', async () => {
    const { world, events, sessionId } = await beginCheckout();
    world.provider.completeCheckout(sessionId);
    world.provider.failNext('timeout_after_effect', { step: 'set_default_payment_method' });
    await handleProviderEvent(events, completed(sessionId));
    await handleProviderEvent(events, completed(sessionId, 'evt_second'));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'unknown', evt_second: 'failed' });
    expect(world.operations()[0]).toMatchObject({ status: 'reconciliation_required' });
    expect(world.subscription()).toMatchObject({ transition: { kind: 'change_plan', targetPlanId: 'pro' } });
    expect(await receipts(world)).toEqual([]);
  });

  it('is not disturbed by a broker that takes no notice; the notice leaves with a later sweep, once', async () => {
    const { world, sessionId } = await beginCheckout();
    let away = true;
    const broker = {
      publish: async (entry: OutboxEntry) =>
        away && entry.subject === 'checkout.completed' ? ('unknown' as const) : world.broker.publish(entry),
    };
    const { events, sweepOutbox } = bootEvents(world, 2, { broker });
    world.provider.completeCheckout(sessionId);
    await handleProviderEvent(events, completed(sessionId));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'success' });
    expect(notices(world)).toEqual([]);
    away = false;
    await sweepOutbox();
    await handleProviderEvent(events, completed(sessionId, 'evt_second'));
    await sweepOutbox();
    expect(notices(world)).toHaveLength(1);
  });

  it('meets a deletion marker and leaves the sale to a person', async () => {
    const { world, events, sessionId } = await beginCheckout();
    const current = world.subscription()!;
    const deletion = { startedAt: new Date(0), operationId: 'op-delete-0001' };
    await events.subscriptions.mutate(current, withAccessRevision(current, { ...current, deletion }));
    world.provider.completeCheckout(sessionId);
    await handleProviderEvent(events, completed(sessionId));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'failed' });
    expect(await receipts(world)).toEqual([]);
  });
});
