/** A checkout begins once, holds the subscription, and asks for a trial once. */
import { answerInHttp } from '../../operations/http/answer';
import { bootEvents } from '../../provider-events/testing/event-world';
import { createOperatorWorld, tenant } from '../../testing/operator-world';
import type { Subscription } from '../../mirror/domain/subscription';
import { runOperation } from '../../operations/workflows/run-operation';
import { handleProviderEvent } from '../../provider-events/workflows/handle-provider-event';
import { beginCheckout, checkoutRequest, completed, free, steps } from '../testing/checkout-world';

describe('the start of a checkout', () => {
  it('records the session, holds the subscription, and gives a repeat the same address', async () => {
    const { world, life, answer, sessionId } = await beginCheckout();
    expect(answer).toMatchObject({
      kind: 'unfinished',
      operation: { status: 'awaiting_receipts', checkout: { sessionId, url: expect.stringContaining(sessionId) } },
    });
    expect(world.subscription()).toMatchObject({
      transition: { kind: 'checkout' },
      checkout: { sessionId, operationId: 'op-checkout-001' },
      planId: 'free',
    });
    expect(await runOperation(life.ports, checkoutRequest())).toMatchObject({
      kind: 'unfinished',
      operation: { checkout: { sessionId } },
    });
    expect(steps(world)).toEqual(['create_session']);
    expect(await runOperation(life.ports, checkoutRequest({ operationId: 'op-checkout-002' }))).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'checkout_in_progress' } },
    });
  });

  it('asks for a trial by every card of the customer, and binds the card of the session when it completes', async () => {
    const world = await createOperatorWorld(free);
    world.provider.seed({
      paymentMethods: [
        { id: 'pm_a', customerId: 'cus_acme', cardFingerprint: 'fp_a' },
        { id: 'pm_b', customerId: 'cus_acme', cardFingerprint: 'fp_b' },
        { id: 'pm_bank', customerId: 'cus_acme', cardFingerprint: null },
        { id: 'pm_other', customerId: 'cus_other', cardFingerprint: 'fp_other' },
      ],
    });
    const asked: object[] = [];
    const { ports, events } = bootEvents(world, 1, {
      trial: async (request) => {
        asked.push(request);
        return { kind: 'decided', days: request.begun ? 0 : 14 };
      },
    });
    await runOperation(ports, checkoutRequest());
    const { sessionId } = world.subscription()!.checkout!;
    const { paymentMethodId } = world.provider.completeCheckout(sessionId);
    await handleProviderEvent(events, completed(sessionId));
    const holder = { tenantId: 'acme', operationId: 'op-checkout-001', email: 'ann@example.com' };
    expect(asked).toEqual([
      { ...holder, cardFingerprints: ['fp_b', 'fp_a'] },
      { ...holder, cardFingerprints: [`fp_${paymentMethodId}`], begun: true },
    ]);
  });

  it('is proven to have begun nothing while the cards cannot be read', async () => {
    const world = await createOperatorWorld(free);
    world.provider.setDown(true);
    expect(await runOperation(bootEvents(world, 1).ports, checkoutRequest())).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'provider_unavailable' } },
    });
    expect(world.provider.sends()).toEqual([]);
  });

  it('makes a customer where there is none', async () => {
    const { world } = await beginCheckout({ planId: 'free', provider: {} });
    expect(steps(world)).toEqual(['create_customer', 'create_session']);
    expect(world.subscription()?.provider.customerId).toEqual(expect.any(String));
  });

  it('makes another customer where a person deleted the one of the workspace at the provider', async () => {
    const world = await createOperatorWorld(free);
    const gone = { id: 'cus_acme', deleted: true, currency: null, balance: 0, metadata: {} };
    world.provider.seed({ customers: [gone] });
    const { ports, events } = bootEvents(world, 1);
    expect(await runOperation(ports, checkoutRequest())).toMatchObject({ kind: 'unfinished' });
    const { checkout, provider } = world.subscription()!;
    expect(provider.customerId).not.toBe('cus_acme');
    world.provider.completeCheckout(checkout!.sessionId);
    await handleProviderEvent(events, completed(checkout!.sessionId));
    const bought = { customerId: provider.customerId, formerCustomerIds: ['cus_acme'] };
    expect(world.subscription()).toMatchObject({ planId: 'pro', provider: bought });
  });

  it.each([
    ['a checkout', { tenantId: tenant, operationId: 'op-lost-checkout' }, 'failed', 'past_due'],
    ['a checkout whose bank answers later', { tenantId: tenant }, 'failed', 'incomplete'],
    ['the creation', { provisioningAttempt: tenant }, 'failed', 'past_due'],
    ['a person at the provider', {}, 'unfinished', 'past_due'],
  ] as const)(
    'beside a running subscription that the records lack and that was made by %s: %j is %s',
    async (_by, metadata, kind, status) => {
      const world = await createOperatorWorld(free);
      world.provider.seed({
        subscriptions: [{ id: 'sub_lost', customerId: 'cus_acme', status, metadata }],
      });
      const answer = await runOperation(bootEvents(world, 1).ports, checkoutRequest());
      expect(answer).toMatchObject({ kind });
      if (kind === 'unfinished') return;
      expect(answer).toMatchObject({ operation: { error: { code: 'plan_already_applied' } } });
      expect(world.provider.sends()).toEqual([]);
      // Its end makes way.
      world.provider.seed({
        subscriptions: [{ id: 'sub_lost', customerId: 'cus_acme', status: 'canceled', metadata }],
      });
      expect(await runOperation(bootEvents(world, 1).ports, checkoutRequest())).toMatchObject({ kind: 'unfinished' });
    },
  );

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
      checkoutRequest(
        code === 'plan_not_available' ? { values: { ...checkoutRequest().values, planId: 'legacy' } } : {},
      ),
    );
    expect(answer).toMatchObject({ kind: 'failed', operation: { error: { code } } });
    expect(steps(world)).toEqual([]);
  });

  it.each([
    [{ kind: 'decided', days: 14 }, 14],
    [{ kind: 'decided', days: 0 }, 0],
    [{ kind: 'uncertain' }, 0],
  ] as const)('with the trial decision %j sells %i days', async (decision, days) => {
    const { answer } = await beginCheckout(free, { trial: async () => decision });
    expect(answer).toMatchObject({ operation: { checkout: { trialDays: days } } });
  });

  it('fails provably while provisioning cannot be asked for a trial, and asks once in all its attempts', async () => {
    const world = await createOperatorWorld(free);
    const requests: string[] = [];
    const decisions = [{ kind: 'not_asked' }, { kind: 'uncertain' }, { kind: 'decided', days: 14 }] as const;
    const { ports } = bootEvents(world, 1, { trial: async () => decisions[requests.push('asked') - 1]! });
    expect(await runOperation(ports, checkoutRequest())).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'peer_unavailable' } },
    });
    expect(world.subscription()).not.toHaveProperty('transition');
    world.provider.failNext('rate_limited', { step: 'create_session' });
    expect(await runOperation(ports, checkoutRequest())).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'provider_unavailable' } },
    });
    expect(await runOperation(ports, checkoutRequest())).toMatchObject({
      kind: 'unfinished',
      operation: { checkout: { trialDays: 0 } },
    });
    expect(requests).toHaveLength(2);
  });

  it('stops with the intent when the session may have been made', async () => {
    const world = await createOperatorWorld(free);
    const { ports } = bootEvents(world, 1);
    world.provider.failNext('lost_answer_after_effect', { step: 'create_session' });
    const answer = await runOperation(ports, checkoutRequest());
    expect(answer.kind).toBe('stopped');
    expect(answerInHttp(answer, 'op-checkout-001')).toMatchObject({ kind: 'problem', code: 'outcome_unknown' });
    expect(world.subscription()).toMatchObject({ transition: { kind: 'checkout' } });
    expect(world.subscription()).not.toHaveProperty('checkout');
  });
});
