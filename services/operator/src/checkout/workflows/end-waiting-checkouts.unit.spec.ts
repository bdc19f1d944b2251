/** The periodic check finds a checkout whose session has expired without an event. */
import { bootEvents, providerEvent } from '../../provider-events/testing/event-world';
import { createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { runOperation } from '../../operations/workflows/run-operation';
import { completeCheckout } from './complete-checkout';
import { endWaitingCheckouts } from './end-waiting-checkouts';
import { expireCheckout } from './expire-checkout';

const dayMs = 86_400_000;

async function begun() {
  const world = await createOperatorWorld({ planId: 'free', provider: { customerId: 'cus_acme' } });
  const life = bootEvents(world, 1);
  await runOperation(life.ports, {
    operationId: 'op-checkout-0001',
    tenantId: tenant,
    action: 'checkout',
    values: { planId: 'pro', successUrl: 'https://app.test/done', cancelUrl: 'https://app.test/back' },
    actor: { id: 'owner', email: 'ann@example.com' },
  });
  return { world, life, sessionId: world.subscription()!.checkout!.sessionId };
}

const checkoutOf = (world: OperatorWorld) => world.operations().find(({ action }) => action === 'checkout');

describe('a checkout whose end no event has told', () => {
  it('is ended when its date has come and the provider shows it as expired, and holds the workspace no more', async () => {
    const { world, life, sessionId } = await begun();
    expect(await endWaitingCheckouts(life.events)).toBe(0);
    world.clock.advance(2 * dayMs);
    // The date alone proves nothing: the person may be paying.
    expect(await endWaitingCheckouts(life.events)).toBe(0);
    expect(checkoutOf(world)).toMatchObject({ status: 'awaiting_receipts' });
    world.provider.expireCheckout(sessionId);
    expect(await endWaitingCheckouts(life.events)).toBe(1);
    expect(checkoutOf(world)).toMatchObject({ status: 'failed', error: { code: 'retry_window_expired' } });
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(await endWaitingCheckouts(life.events)).toBe(0);
  });

  it('is ended by one attempt of two replicas and the event', async () => {
    const { world, life, sessionId } = await begun();
    world.clock.advance(2 * dayMs);
    world.provider.expireCheckout(sessionId);
    const other = bootEvents(world, 2);
    await Promise.all([
      endWaitingCheckouts(life.events),
      endWaitingCheckouts(other.events),
      expireCheckout(
        bootEvents(world, 3).events,
        providerEvent('evt-1', 'checkout.session.expired', { id: sessionId }),
      ),
    ]);
    expect(checkoutOf(world)).toMatchObject({ status: 'failed', attempts: { length: 2 } });
    expect(world.subscription()).not.toHaveProperty('transition');
  });

  it('is completed when it was paid, and an event that comes afterwards finds its receipt', async () => {
    const { world, life, sessionId } = await begun();
    const { subscriptionId } = world.provider.completeCheckout(sessionId);
    expect(await endWaitingCheckouts(life.events)).toBe(0);
    world.clock.advance(2 * dayMs);
    expect(await endWaitingCheckouts(life.events)).toBe(1);
    expect(checkoutOf(world)).toMatchObject({ status: 'succeeded' });
    expect(world.subscription()).toMatchObject({ planId: 'pro', status: 'active', provider: { subscriptionId } });
    expect(world.subscription()).not.toHaveProperty('transition');
    const late = providerEvent('evt-1', 'checkout.session.completed', { id: sessionId });
    expect(await completeCheckout(life.events, late)).toMatchObject({ outcome: 'success' });
    expect(checkoutOf(world)).toMatchObject({ attempts: { length: 2 } });
  });
});
