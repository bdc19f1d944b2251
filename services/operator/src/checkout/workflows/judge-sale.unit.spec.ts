/**
 * A sale on the provider's page that is not valid at once: a bank that answers later, and a card that has had a trial.
 */
import type { PaymentProvider } from '@platform/payment-provider';
import type { TrialDecision } from '../../operations/workflows/ports';
import { runOperation } from '../../operations/workflows/run-operation';
import { bootEvents, outcomesOf, providerEvent } from '../../provider-events/testing/event-world';
import { handleProviderEvent } from '../../provider-events/workflows/handle-provider-event';
import type { OperatorWorld } from '../../testing/operator-world';
import { beginCheckout, checkoutRequest, completed, free, notices, receipts, steps } from '../testing/checkout-world';
import { endWaitingCheckouts } from './end-waiting-checkouts';

const answered = (sessionId: string, end: 'succeeded' | 'failed') =>
  providerEvent(`evt_${end}`, `checkout.session.async_payment_${end}`, { id: sessionId });

const subscriptionOf = async (world: OperatorWorld, id: string | null) => {
  const read = await world.provider.retrieveSubscription(id ?? '');
  if (read.outcome !== 'succeeded') throw new Error('the subscription cannot be read');
  return read.value;
};

async function soldToBank() {
  const stage = await beginCheckout();
  const session = stage.world.provider.completeCheckout(stage.sessionId, { bankAnswersLater: true });
  await handleProviderEvent(stage.events, completed(stage.sessionId));
  return { ...stage, session };
}

describe('a sale whose bank answers later', () => {
  it('is neither a success nor a refusal: the checkout waits, recorded, and looking admits no executor', async () => {
    const { world, events } = await soldToBank();
    expect(outcomesOf(world)).toEqual({ evt_completed: 'success' });
    const waiting = { status: 'awaiting_receipts', checkout: { waitsFor: 'payment' } };
    expect(world.operations()).toMatchObject([waiting]);
    expect(await endWaitingCheckouts(events)).toBe(0);
    expect(await endWaitingCheckouts(events)).toBe(0);
    expect(world.operations()[0]!.attempts).toHaveLength(1);
    expect(world.subscription()).toMatchObject({ planId: 'free', transition: { kind: 'checkout' } });
    expect([await receipts(world), notices(world)]).toEqual([[], []]);
  });

  it.each(['event', 'round'] as const)('is completed once when the bank has paid, by the %s', async (by) => {
    const { world, events, session, sessionId } = await soldToBank();
    world.provider.confirmPayment(session.invoiceId!);
    if (by === 'round') expect(await endWaitingCheckouts(events)).toBe(1);
    await handleProviderEvent(events, answered(sessionId, 'succeeded'));
    expect(world.operations()).toMatchObject([{ status: 'succeeded' }]);
    expect(world.subscription()).toMatchObject({ planId: 'pro', provider: { subscriptionId: session.subscriptionId } });
    expect(steps(world)).toEqual(['create_session', 'set_default_payment_method']);
    expect(await receipts(world)).toHaveLength(1);
  });

  it.each(['event', 'round'] as const)('ends when the bank refuses, by the %s, and leaves the plan', async (by) => {
    const { world, events, session, sessionId } = await soldToBank();
    world.provider.expirePayment(session.invoiceId!);
    if (by === 'round') expect(await endWaitingCheckouts(events)).toBe(1);
    await handleProviderEvent(events, answered(sessionId, 'failed'));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'success', evt_failed: by === 'round' ? 'skipped' : 'success' });
    expect(world.operations()).toMatchObject([{ status: 'failed', error: { code: 'payment_failed' } }]);
    expect(world.subscription()).toMatchObject({ planId: 'free', provider: { customerId: 'cus_acme' } });
    for (const gone of ['transition', 'checkout']) expect(world.subscription()).not.toHaveProperty(gone);
    expect((await subscriptionOf(world, session.subscriptionId)).status).toBe('canceled');
    expect(await runOperation(events, checkoutRequest())).toMatchObject({ refusal: { code: 'payment_failed' } });
    expect(steps(world)).toEqual(['create_session', 'cancel_now']);
  });

  it('stops for people when the end of the sale is not known', async () => {
    const { world, events, session, sessionId } = await soldToBank();
    world.provider.expirePayment(session.invoiceId!);
    world.provider.failNext('timeout_after_effect', { step: 'cancel_now' });
    await handleProviderEvent(events, answered(sessionId, 'failed'));
    await handleProviderEvent(events, answered(sessionId, 'failed'));
    expect(world.operations()).toMatchObject([{ status: 'reconciliation_required' }]);
    expect(steps(world)).toEqual(['create_session', 'cancel_now']);
  });

  it('that cannot be read when it is judged is judged again, and not completed meanwhile', async () => {
    const { world, sessionId } = await beginCheckout();
    world.provider.completeCheckout(sessionId, { bankAnswersLater: true });
    let unread = 0;
    const { events } = bootEvents(world, 2, {
      provider: {
        ...world.provider,
        retrieveSubscription: async (id) =>
          unread++ < events.retryPolicy.tries
            ? { outcome: 'unknown', reason: 'no answer', phase: 'bytes_written' }
            : world.provider.retrieveSubscription(id),
      },
    });
    await handleProviderEvent(events, completed(sessionId));
    expect(world.operations()).toMatchObject([{ status: 'awaiting_receipts', checkout: { waitsFor: 'provider' } }]);
    expect(world.operations()[0]!.attempts).toHaveLength(1);
    expect(await endWaitingCheckouts(events)).toBe(0);
    expect(world.operations()).toMatchObject([{ status: 'awaiting_receipts', checkout: { waitsFor: 'payment' } }]);
  });

  it('is seen to be completed too early by a build that does not ask what was paid', async () => {
    const { world, session } = await soldToBank();
    const credulous: PaymentProvider = {
      ...world.provider,
      retrieveCheckoutSession: async (id) => {
        const read = await world.provider.retrieveCheckoutSession(id);
        return read.outcome === 'succeeded' ? { ...read, value: { ...read.value, paymentStatus: 'paid' } } : read;
      },
    };
    await endWaitingCheckouts(bootEvents(world, 2, { provider: credulous }).events);
    const invoice = await world.provider.retrieveInvoice(session.invoiceId!);
    expect(world.operations()).toMatchObject([{ status: 'succeeded' }]);
    expect(invoice).toMatchObject({ value: { status: 'open' } });
  });
});

describe('a trial that a page has sold', () => {
  /** Fakes provisioning, which keeps reservations: a card belongs to the first operation that binds a trial to it. */
  function reservations(answers: TrialDecision[] = []) {
    const holders = new Map<string, string>([['fp_used', 'another']]);
    return async ({
      operationId,
      cardFingerprints,
      begun,
    }: Parameters<NonNullable<Parameters<typeof bootEvents>[2]>['trial'] & object>[0]) => {
      if (!begun) return { kind: 'decided', days: 14 } as const;
      const scripted = answers.shift();
      if (scripted) return scripted;
      const held = cardFingerprints.some((card) => (holders.get(card) ?? operationId) !== operationId);
      for (const card of cardFingerprints) if (!holders.has(card)) holders.set(card, operationId);
      return { kind: 'decided', days: 0, held } as const;
    };
  }

  it('to a card that has had one is ended at once with its reason, and nothing is charged', async () => {
    const { world, events, sessionId } = await beginCheckout(free, { trial: reservations() });
    const { subscriptionId } = world.provider.completeCheckout(sessionId, { cardFingerprint: 'fp_used' });
    await handleProviderEvent(events, completed(sessionId));
    await handleProviderEvent(events, completed(sessionId, 'evt_second'));
    expect(outcomesOf(world)).toEqual({ evt_completed: 'success', evt_second: 'skipped' });
    expect(world.operations()).toMatchObject([{ status: 'failed', error: { code: 'trial_refused' } }]);
    expect(await subscriptionOf(world, subscriptionId)).toMatchObject({ status: 'canceled' });
    expect(world.subscription()).toMatchObject({ planId: 'free', access: { state: 'open' } });
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(steps(world)).toEqual(['create_session', 'cancel_now']);
    expect(await runOperation(events, checkoutRequest())).toMatchObject({ refusal: { code: 'trial_refused' } });
    expect([await receipts(world), notices(world)]).toEqual([[], []]);
  });

  it('to a new card is kept, and the card is bound before the plan changes', async () => {
    const { world, events, sessionId } = await beginCheckout(free, { trial: reservations() });
    world.provider.completeCheckout(sessionId, { cardFingerprint: 'fp_new' });
    await handleProviderEvent(events, completed(sessionId));
    expect(world.operations()).toMatchObject([{ status: 'succeeded' }]);
    expect(world.subscription()).toMatchObject({ planId: 'pro', status: 'trialing' });
  });

  it('waits while it is not known who has had a trial, and goes on when the round is answered', async () => {
    const away: TrialDecision[] = [{ kind: 'uncertain' }, { kind: 'not_asked' }];
    const { world, events, sessionId } = await beginCheckout(free, { trial: reservations(away) });
    world.provider.completeCheckout(sessionId, { cardFingerprint: 'fp_used' });
    await handleProviderEvent(events, completed(sessionId));
    expect(world.operations()).toMatchObject([{ checkout: { waitsFor: 'trial_decision' } }]);
    expect(await endWaitingCheckouts(events)).toBe(0);
    expect(await endWaitingCheckouts(events)).toBe(1);
    expect(world.operations()).toMatchObject([{ status: 'failed', error: { code: 'trial_refused' } }]);
  });

  it('is ended once by any number of callbacks', async () => {
    const { world, events, sessionId } = await beginCheckout(free, { trial: reservations() });
    world.provider.completeCheckout(sessionId, { cardFingerprint: 'fp_used' });
    const other = bootEvents(world, 2, { trial: reservations() });
    await Promise.all([
      handleProviderEvent(events, completed(sessionId, 'evt_1')),
      handleProviderEvent(other.events, completed(sessionId, 'evt_2')),
      endWaitingCheckouts(other.events),
    ]);
    expect(steps(world)).toEqual(['create_session', 'cancel_now']);
    expect(world.operations()).toMatchObject([{ status: 'failed', error: { code: 'trial_refused' } }]);
  });

  it('is seen to be given twice by a build that binds the card when it is too late', async () => {
    const forgetful = async () => ({ kind: 'decided', days: 14 }) as const;
    const { world, events, sessionId } = await beginCheckout(free, { trial: forgetful });
    const { subscriptionId } = world.provider.completeCheckout(sessionId, { cardFingerprint: 'fp_used' });
    await handleProviderEvent(events, completed(sessionId));
    expect((await subscriptionOf(world, subscriptionId)).status).toBe('trialing');
  });
});
