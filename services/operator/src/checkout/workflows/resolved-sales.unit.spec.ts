/** A sale that an investigation recorded as applied: the workspace is paid for, as after a completion. */
import { refreshMirrors } from '../../mirror/workflows/refresh-mirrors';
import { operationInvestigation } from '../../operations/workflows/resolve-operation';
import { runDueEnds } from '../../operations/workflows/run-due-ends';
import { runOperation } from '../../operations/workflows/run-operation';
import { bootEvents } from '../../provider-events/testing/event-world';
import { createOperatorWorld } from '../../testing/operator-world';
import { checkoutRequest } from '../testing/checkout-world';

const granted = {
  planId: 'pro',
  isComplimentary: true,
  freeUntil: new Date('2026-01-11T00:00:00.000Z'),
  provider: { customerId: 'cus_acme' },
};

describe('a workspace with free access whose paid checkout is recorded as applied', () => {
  it('is free no more, so that the end of its free access does not close what its owner pays for', async () => {
    const world = await createOperatorWorld(granted);
    const { events } = bootEvents(world, 1);
    world.provider.failNext('lost_answer_after_effect', { step: 'create_session' });
    await runOperation(events, checkoutRequest());
    const session = world.provider.ledger().find(({ step }) => step === 'create_session')!.objectId;
    const { subscriptionId } = world.provider.completeCheckout(session);
    const planned = await operationInvestigation.plan(events, {
      id: 'op-checkout-001',
      outcome: 'applied',
      providerObject: subscriptionId,
      executorStopped: 'its attempt wrote down its end',
      by: 'ops@example.com',
    });
    if (!planned.ok) throw new Error(planned.error);
    await operationInvestigation.record(events, planned.value);
    await refreshMirrors(events);
    expect(world.subscription()).toMatchObject({
      status: 'active',
      isComplimentary: false,
      provider: { subscriptionId },
    });
    expect(world.subscription()).not.toHaveProperty('freeUntil');
    world.clock.advance(400 * 86_400_000);
    expect(await runDueEnds(events)).toEqual({ started: 0, succeeded: 0 });
  });
});
