import type { OutboxEntry } from '@platform/kernel';
import { answerInHttp } from '../http/answer';
import type { OperationRequest } from '../domain/operation';
import { bootEvents, outcomesOf, providerEvent, type EventBootOptions } from '../testing/event-world';
import { createOperatorWorld, tenant, type OperatorWorld } from '../testing/operator-world';
import { checkoutReceiptsCollection } from '../store/checkout-receipts';
import type { Subscription } from '../domain/subscription';
import { handleProviderEvent } from './handle-provider-event';
import { planResolution, recordResolution } from './resolve-operation';
import { runOperation } from './run-operation';

const free: Partial<Subscription> = { planId: 'free', provider: { customerId: 'cus_acme' } };
const request = (change: Partial<OperationRequest> = {}): OperationRequest => ({
  operationId: 'op-checkout-001',
  tenantId: tenant,
  action: 'checkout',
  values: { planId: 'pro', successUrl: 'https://app.test/done', cancelUrl: 'https://app.test/back' },
  actor: { id: 'owner', email: 'ann@example.com' },
  ...change,
});

async function begun(workspace: Partial<Subscription> = free, options: EventBootOptions = {}) {
  const world = await createOperatorWorld(workspace);
  const life = bootEvents(world, 1, options);
  const answer = await runOperation(life.ports, request());
  const sessionId = world.subscription()?.checkout?.sessionId ?? '';
  return { world, life, events: life.events, answer, sessionId };
}

const completed = (sessionId: string, eventId = 'evt_completed') =>
  providerEvent(eventId, 'checkout.session.completed', { id: sessionId });
const expired = (sessionId: string, eventId = 'evt_expired') =>
  providerEvent(eventId, 'checkout.session.expired', { id: sessionId });
const steps = (world: OperatorWorld) => world.provider.ledger().map(({ step }) => step);
const notices = (world: OperatorWorld) =>
  world.published.filter(({ subject }) => subject === 'checkout.completed').map(({ id, body }) => ({ id, body }));
const receipts = (world: OperatorWorld) => world.store.collection(checkoutReceiptsCollection).find({}, { limit: 10 });

describe('the start of a checkout', () => {
  it('records the session, holds the subscription, and gives a repeat the same address', async () => {
    const { world, life, answer, sessionId } = await begun();
    expect(answer).toMatchObject({
      kind: 'unfinished',
      operation: { status: 'awaiting_receipts', checkout: { sessionId, url: expect.stringContaining(sessionId) } },
    });
    expect(world.subscription()).toMatchObject({
      transition: { kind: 'checkout' },
      checkout: { sessionId, operationId: 'op-checkout-001' },
      planId: 'free',
    });
    expect(await runOperation(life.ports, request())).toMatchObject({
      kind: 'unfinished',
      operation: { checkout: { sessionId } },
    });
    expect(steps(world)).toEqual(['create_session']);
    expect(await runOperation(life.ports, request({ operationId: 'op-checkout-002' }))).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'checkout_in_progress' } },
    });
  });

  it('makes a customer where there is none', async () => {
    const { world } = await begun({ planId: 'free', provider: {} });
    expect(steps(world)).toEqual(['create_customer', 'create_session']);
    expect(world.subscription()?.provider.customerId).toEqual(expect.any(String));
  });

  it.each<[string, Partial<Subscription>, string]>([
    ['a plan that is not offered', free, 'plan_not_available'],
    ['a workspace with a subscription', {}, 'plan_already_applied'],
    ['a suspended workspace', { ...free, status: 'suspended' }, 'already_suspended'],
    [
      'a workspace that is being deleted',
      { ...free, deletion: { startedAt: new Date(0), operationId: 'op-delete-0001' } },
      'deletion_started',
    ],
  ])('is refused for %s', async (_case, workspace, code) => {
    const world = await createOperatorWorld(workspace);
    const answer = await runOperation(
      bootEvents(world, 1).ports,
      request(code === 'plan_not_available' ? { values: { ...request().values, planId: 'legacy' } } : {}),
    );
    expect(answer).toMatchObject({ kind: 'failed', operation: { error: { code } } });
    expect(steps(world)).toEqual([]);
  });

  it.each([
    [{ kind: 'decided', days: 14 }, 14],
    [{ kind: 'decided', days: 0 }, 0],
    [{ kind: 'uncertain' }, 0],
  ] as const)('with the trial decision %j sells %i days', async (decision, days) => {
    const { answer } = await begun(free, { trial: async () => decision });
    expect(answer).toMatchObject({ operation: { checkout: { trialDays: days } } });
  });

  it('fails provably while nobody can be asked for a trial, and asks once in all its attempts', async () => {
    const world = await createOperatorWorld(free);
    const asked: string[] = [];
    const decisions = [{ kind: 'not_asked' }, { kind: 'uncertain' }, { kind: 'decided', days: 14 }] as const;
    const { ports } = bootEvents(world, 1, { trial: async () => decisions[asked.push('asked') - 1]! });
    expect(await runOperation(ports, request())).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'peer_unavailable' } },
    });
    expect(world.subscription()).not.toHaveProperty('transition');
    world.provider.failNext('rate_limited', { step: 'create_session' });
    expect(await runOperation(ports, request())).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'provider_unavailable' } },
    });
    expect(await runOperation(ports, request())).toMatchObject({
      kind: 'unfinished',
      operation: { checkout: { trialDays: 0 } },
    });
    expect(asked).toHaveLength(2);
  });

  it('stops with the intent when the session may have been made', async () => {
    const world = await createOperatorWorld(free);
    const { ports } = bootEvents(world, 1);
    world.provider.failNext('lost_answer_after_effect', { step: 'create_session' });
    const answer = await runOperation(ports, request());
    expect(answer.kind).toBe('stopped');
    expect(answerInHttp(answer, 'op-checkout-001')).toMatchObject({ kind: 'problem', code: 'outcome_unknown' });
    expect(world.subscription()).toMatchObject({ transition: { kind: 'checkout' } });
    expect(world.subscription()).not.toHaveProperty('checkout');
  });
});

describe('the completion of a checkout', () => {
  it('mirrors what was bought, sets the card, writes the receipt, journals and clears', async () => {
    const { world, events, sessionId } = await begun({ ...free, isComplimentary: true, freeUntil: new Date(0) });
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
    const { world, events, sessionId } = await begun();
    world.provider.completeCheckout(sessionId);
    await handleProviderEvent(events, completed(sessionId));
    const before = world.subscription();
    await handleProviderEvent(events, completed(sessionId, 'evt_second'));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'success', evt_second: 'success' });
    expect(world.subscription()).toEqual(before);
    expect(steps(world)).toHaveLength(2);
  });

  it('by two callbacks at once admits one', async () => {
    const { world, events, sessionId } = await begun();
    world.provider.completeCheckout(sessionId);
    await Promise.all([1, 2, 3, 4].map((count) => handleProviderEvent(events, completed(sessionId, `evt_${count}`))));
    expect(steps(world)).toEqual(['create_session', 'set_default_payment_method']);
    expect(Object.values(outcomesOf(world)).filter((outcome) => outcome === 'success')).toHaveLength(1);
    expect(world.operations()[0]).toMatchObject({ status: 'succeeded' });
  });

  it('of another session, or of one that is not complete, touches nothing', async () => {
    const { world, events, sessionId } = await begun();
    const intent = { operationId: 'op-checkout-001', step: 'another' };
    const other = await world.provider
      .createCheckoutSession(intent, {
        customerId: 'cus_acme',
        priceId: 'price_pro',
        tenantId: tenant,
        planId: 'pro',
        trialDays: 0,
        successUrl: 'https://a.test',
        cancelUrl: 'https://a.test',
      })
      .send();
    if (other.outcome !== 'succeeded') throw new Error('no session');
    world.provider.completeCheckout(other.value.id);
    await handleProviderEvent(events, completed(other.value.id, 'evt_other'));
    await handleProviderEvent(events, completed(sessionId, 'evt_early'));
    expect(outcomesOf(world)).toEqual({ evt_other: 'failed', evt_early: 'failed' });
    expect(world.subscription()).toMatchObject({ transition: { kind: 'checkout' }, planId: 'free' });
    expect(await receipts(world)).toEqual([]);
  });

  it('with a subscription that is not active puts the checkout back to waiting', async () => {
    const { world, events, sessionId } = await begun();
    world.provider.completeCheckout(sessionId, 'incomplete');
    await handleProviderEvent(events, completed(sessionId));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'failed' });
    expect(world.subscription()).toMatchObject({
      transition: { kind: 'checkout' },
      checkout: { sessionId },
      planId: 'free',
    });
    expect(world.operations()[0]).toMatchObject({ status: 'awaiting_receipts' });
  });

  it('whose last effect is unknown keeps the intent, writes no receipt and refuses later callbacks', async () => {
    const { world, events, sessionId } = await begun();
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
    const { world, sessionId } = await begun();
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
    const { world, events, sessionId } = await begun();
    const current = world.subscription()!;
    await events.subscriptions.mutate(current, {
      ...current,
      deletion: { startedAt: new Date(0), operationId: 'op-delete-0001' },
    });
    world.provider.completeCheckout(sessionId);
    await handleProviderEvent(events, completed(sessionId));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'failed' });
    expect(await receipts(world)).toEqual([]);
  });
});

describe('the expiry of a checkout', () => {
  it('ends the operation, frees the subscription, and lets a new id begin', async () => {
    const { world, life, events, sessionId } = await begun();
    world.provider.expireCheckout(sessionId);
    await handleProviderEvent(events, expired(sessionId));
    expect(outcomesOf(world)).toEqual({ evt_expired: 'success' });
    expect(world.operations()[0]).toMatchObject({ status: 'failed', error: { code: 'retry_window_expired' } });
    for (const gone of ['transition', 'checkout']) expect(world.subscription()).not.toHaveProperty(gone);
    expect(await runOperation(life.ports, request())).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'retry_window_expired' } },
    });
    expect((await runOperation(life.ports, request({ operationId: 'op-checkout-002' }))).kind).toBe('unfinished');
    expect(steps(world)).toEqual(['create_session', 'create_session']);
  });

  it('that comes after the completion changes nothing', async () => {
    const { world, events, sessionId } = await begun();
    world.provider.completeCheckout(sessionId);
    await handleProviderEvent(events, completed(sessionId));
    const before = world.subscription();
    await handleProviderEvent(events, expired(sessionId));
    expect(world.subscription()).toEqual(before);
  });

  it('racing the completion leaves one end, as the provider has it', async () => {
    const { world, events, sessionId } = await begun();
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
    operationId: 'op-checkout-001',
    executorStopped: 'the event was stopped and its handler is gone',
    by: 'ann@example.com',
  };

  it.each([
    ['applied', 'sub_found', 'succeeded'],
    ['not_applied', null, 'failed'],
  ] as const)('is ended by an investigation as %s', async (outcome, providerObject, status) => {
    const { world, life } = await begun();
    const planned = await planResolution(life.ports, { ...proofs, outcome, providerObject });
    expect(planned.ok && (await recordResolution(life.ports, planned.value)).ok).toBe(true);
    expect(world.operations()[0]).toMatchObject({ status, resolution: { outcome } });
    for (const gone of ['transition', 'checkout']) expect(world.subscription()).not.toHaveProperty(gone);
    expect(world.subscription()).toMatchObject(
      outcome === 'applied' ? { planId: 'pro', provider: { subscriptionId: 'sub_found' } } : { planId: 'free' },
    );
  });

  it('does not come of a provider that is away for a moment', async () => {
    const { world, events, sessionId } = await begun();
    world.provider.completeCheckout(sessionId);
    world.provider.setDown(true);
    const patience = { tries: 3, pause: async () => world.provider.setDown(false) };
    await handleProviderEvent({ ...events, patience }, completed(sessionId));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'success' });
  });
});
