/** How an unpaid checkout ends: by its expiry, or by an investigation. */
import { plainRegister } from '@platform/durable/executors';
import { outcomesOf } from '../../provider-events/testing/event-world';
import { handleProviderEvent } from '../../provider-events/workflows/handle-provider-event';
import { operationInvestigation } from '../../operations/workflows/resolve-operation';
import { runOperation } from '../../operations/workflows/run-operation';
import { beginCheckout, checkoutRequest, completed, expired, steps } from '../testing/checkout-world';

describe('the expiry of a checkout', () => {
  it('ends the operation, frees the subscription, and lets a new id begin', async () => {
    const { world, life, events, sessionId } = await beginCheckout();
    world.provider.expireCheckout(sessionId);
    await handleProviderEvent(events, expired(sessionId));
    expect(outcomesOf(world)).toEqual({ evt_expired: 'success' });
    expect(world.operations()[0]).toMatchObject({ status: 'failed', error: { code: 'retry_window_expired' } });
    for (const gone of ['transition', 'checkout']) expect(world.subscription()).not.toHaveProperty(gone);
    expect(await runOperation(life.ports, checkoutRequest())).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'retry_window_expired' } },
    });
    expect((await runOperation(life.ports, checkoutRequest({ operationId: 'op-checkout-002' }))).kind).toBe(
      'unfinished',
    );
    expect(steps(world)).toEqual(['create_session', 'create_session']);
  });

  it('that comes after the completion changes nothing', async () => {
    const { world, events, sessionId } = await beginCheckout();
    world.provider.completeCheckout(sessionId);
    await handleProviderEvent(events, completed(sessionId));
    const before = world.subscription();
    await handleProviderEvent(events, expired(sessionId));
    expect(world.subscription()).toEqual(before);
  });

  it('racing the completion leaves one end, as the provider has it', async () => {
    const { world, events, sessionId } = await beginCheckout();
    world.provider.completeCheckout(sessionId);
    await Promise.all([
      handleProviderEvent(events, expired(sessionId)),
      handleProviderEvent(events, completed(sessionId)),
    ]);
    expect(world.operations()[0]).toMatchObject({ status: 'succeeded' });
    expect(outcomesOf(world)).toMatchObject({ evt_completed: 'success', evt_expired: 'failed' });
  });
});

describe('a checkout that nothing ends any more', () => {
  const proofs = {
    id: 'op-checkout-001',
    executorStopped: 'the event was stopped and its handler is gone',
    by: 'ann@example.com',
  };

  it.each([
    ['applied', 'succeeded'],
    ['not_applied', 'failed'],
  ] as const)('is ended by an investigation as %s, as the provider shows it', async (outcome, status) => {
    const { world, life, sessionId } = await beginCheckout();
    const bought = outcome === 'applied' ? world.provider.completeCheckout(sessionId).subscriptionId : undefined;
    if (outcome === 'not_applied') world.provider.expireCheckout(sessionId);
    const providerObject = bought ?? null;
    world.clock.advance(11 * 60_000);
    const planned = await operationInvestigation.plan(life.ports, { ...proofs, outcome, providerObject });
    expect(planned).toMatchObject({ ok: true });
    expect(planned.ok && (await operationInvestigation.record(life.ports, planned.value)).ok).toBe(true);
    expect(world.operations()[0]).toMatchObject({ status, resolution: { outcome } });
    for (const gone of ['transition', 'checkout']) expect(world.subscription()).not.toHaveProperty(gone);
    expect(world.subscription()).toMatchObject(
      outcome === 'applied' ? { planId: 'pro', provider: { subscriptionId: bought } } : { planId: 'free' },
    );
  });

  it('does not come of a provider that is unreachable for a moment', async () => {
    const { world, events, sessionId } = await beginCheckout();
    world.provider.completeCheckout(sessionId);
    world.provider.setDown(true);
    const retryPolicy = { tries: 3, pause: async () => world.provider.setDown(false) };
    await handleProviderEvent(
      { ...events, retryPolicy, work: plainRegister(retryPolicy, world.clock, events.log) },
      completed(sessionId),
    );
    expect(outcomesOf(world)).toEqual({ evt_completed: 'success' });
  });
});
