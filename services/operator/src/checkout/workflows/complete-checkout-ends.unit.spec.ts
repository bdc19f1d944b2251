/** What a completion leaves when a read, a write or a call on its way does not end as it should. */
import { fromThe, losing, losingWrites, onlyThe, overtaken } from '@platform/durable/testing';
import type { PaymentProvider, ProviderCheckoutSession, ProviderSubscription } from '@platform/payment-provider';
import { busyWith, failedWith, handled, notKnown } from '../../operations/domain/event-outcome';
import type { EventPorts } from '../../provider-events/workflows/event-ports';
import { beginCheckout, completed, receipts, steps } from '../testing/checkout-world';
import { completeCheckout } from './complete-checkout';

type Change = (events: EventPorts) => Partial<EventPorts>;

/** A checkout whose session is complete, and its completion on changed ports. */
async function play(change: Change) {
  const stage = await beginCheckout();
  const { world, events, sessionId } = stage;
  const begun = { operation: world.operations()[0]!, subscription: world.subscription()! };
  const session = world.provider.completeCheckout(sessionId);
  const outcome = await completeCheckout({ ...events, ...change(events) }, completed(sessionId));
  return { ...stage, begun, session, outcome, operation: world.operations()[0]!, subscription: world.subscription()! };
}

const withProvider =
  (change: (provider: PaymentProvider) => Partial<PaymentProvider>): Change =>
  ({ provider }) => ({ provider: { ...provider, ...change(provider) } });

const withSession = (fields: Partial<ProviderCheckoutSession>): Change =>
  withProvider((provider) => ({
    retrieveCheckoutSession: async (id) => {
      const read = await provider.retrieveCheckoutSession(id);
      return read.outcome === 'succeeded' ? { ...read, value: { ...read.value, ...fields } } : read;
    },
  }));

/** The sale is judged by the subscription as it is, and completed by it with these fields. */
const withSoldLater = (fields: Partial<ProviderSubscription>): Change =>
  withProvider((provider) => {
    let reads = 0;
    return {
      retrieveSubscription: async (id) => {
        const read = await provider.retrieveSubscription(id);
        if (read.outcome !== 'succeeded' || (reads += 1) === 1) return read;
        return { ...read, value: { ...read.value, ...fields } };
      },
    };
  });
const both =
  (...changes: readonly Change[]): Change =>
  (events) =>
    changes.reduce((ports, change) => ({ ...ports, ...change({ ...events, ...ports }) }), {});

const held = { kind: 'change_plan', targetPlanId: 'pro', attempt: 1 } as const;
const stopped = (message: string) => ({
  status: 'reconciliation_required',
  error: { code: 'outcome_unknown', message: expect.stringContaining(message) as string },
});

describe('a completion that does not begin', () => {
  it.each<[Partial<ProviderCheckoutSession>, string]>([
    [{ status: 'open' }, 'the session is open at the provider, without a subscription'],
    [{ subscriptionId: null }, 'the session is complete at the provider, without a subscription'],
    [{ customerId: null }, 'the session is complete at the provider, without a subscription'],
  ])('because the session has %j, changes nothing', async (fields, error) => {
    const { outcome, begun, operation, subscription } = await play(withSession(fields));
    expect(outcome).toEqual(failedWith(error));
    expect({ operation, subscription }).toEqual(begun);
  });

  it('because this process completes the session already, changes nothing', async () => {
    const busy: Change = ({ work }) => ({ work: { ...work, find: (key) => ({ key, since: new Date(0) }) } });
    const { outcome, begun, operation, subscription } = await play(busy);
    expect(outcome).toEqual(busyWith('another callback is at work on this session'));
    expect({ operation, subscription }).toEqual(begun);
  });

  it.each([
    ['is overtaken', overtaken('subscriptions'), busyWith('another callback was admitted for this session')],
    [
      'has no answer',
      losing('subscriptions'),
      notKnown('it is not known whether this callback was admitted (the answer was lost)'),
    ],
  ])('because the write of its transition %s, sends nothing', async (_how, change, expected) => {
    const { outcome, world, operation } = await play(change);
    expect(outcome).toEqual(expected);
    expect(operation).toMatchObject({ status: 'awaiting_receipts', attempts: { length: 1 } });
    expect(steps(world)).toEqual(['create_session']);
  });

  it('because its attempt may not be admitted, sends nothing and keeps its transition', async () => {
    const { outcome, world, begun, subscription } = await play(losing('operations'));
    expect(outcome).toEqual(
      notKnown('it is not known whether the finishing attempt was admitted; the transition stays'),
    );
    expect(subscription.transition).toEqual({
      ...held,
      operationId: 'op-checkout-001',
      requestedAt: begun.operation.createdAt,
    });
    expect(steps(world)).toEqual(['create_session']);
  });
});

describe('a completion that stops for people', () => {
  it.each<[string, Change]>([
    [
      'the subscription that was sold cannot be read',
      withProvider(() => ({
        retrieveSubscription: async () =>
          ({ outcome: 'failed', kind: 'refused', code: 'gone', message: 'gone' }) as never,
      })),
    ],
    ['the subscription that was sold could not be mirrored', losing('subscriptions', fromThe(2))],
    ['the receipt of the session could not be written (the answer was lost)', losing('receipts')],
  ])('says that %s, keeps the intent and writes no receipt', async (message, change) => {
    const { outcome, operation, subscription, world } = await play(change);
    expect(outcome).toEqual(notKnown(expect.stringContaining(message) as string));
    expect(operation).toMatchObject(stopped(message));
    expect(subscription).toMatchObject({ transition: held, checkout: { operationId: 'op-checkout-001' } });
    expect(await receipts(world)).toEqual([]);
  });
});

describe('a completion that finds its subscription unpaid after all', () => {
  const unpaid = withSoldLater({ status: 'incomplete' });

  it('puts the checkout back to waiting, as before this callback', async () => {
    const { outcome, begun, operation, subscription, world } = await play(unpaid);
    expect(outcome).toEqual(failedWith('the subscription that was sold is incomplete'));
    const { checkout } = begun.operation as { readonly checkout?: object };
    expect(operation).toMatchObject({ status: 'awaiting_receipts', checkout });
    expect(operation.attempts).toMatchObject([{}, { outcome: 'awaiting_receipts', finishedAt: expect.any(Date) }]);
    const { targetPlanId: _target, ...transition } = held;
    const requestedAt = begun.operation.createdAt;
    expect(subscription).toMatchObject({ planId: 'free', checkout: begun.subscription.checkout });
    expect(subscription.transition).toEqual({
      ...transition,
      kind: 'checkout',
      operationId: 'op-checkout-001',
      requestedAt,
    });
    for (const announced of [world.operations()[0]!, subscription])
      expect((announced as { readonly outbox?: readonly unknown[] }).outbox ?? []).toEqual([]);
    expect(steps(world)).toEqual(['create_session']);
  });

  it.each<[string, Change]>([
    ['the journal', losing('operations', fromThe(2))],
    ['the subscription', losing('subscriptions', fromThe(2))],
  ])('is not known to wait when %s could not be written', async (_record, change) => {
    const { outcome } = await play(both(unpaid, change));
    expect(outcome).toEqual(notKnown('the checkout could not be put back to waiting'));
  });
});

describe('a completion whose sale was paid, and whose subscription owes since', () => {
  it.each(['past_due', 'paused'] as const)(
    'mirrors it as overdue when it is %s, and ends the checkout',
    async (status) => {
      const stage = await beginCheckout();
      const { world, events, sessionId } = stage;
      world.provider.completeCheckout(sessionId, { status });
      expect(await completeCheckout(events, completed(sessionId))).toEqual(handled);
      expect(world.operations()[0]).toMatchObject({ status: 'succeeded' });
      const subscription = world.subscription()!;
      expect(subscription).toMatchObject({ status: 'past_due', planId: 'pro', overdueSince: expect.any(Date) });
      for (const gone of ['transition', 'checkout']) expect(subscription).not.toHaveProperty(gone);
      expect(await receipts(world)).toHaveLength(1);
    },
  );
});

describe('the card of a completed sale', () => {
  it('is left alone when the session names none, and the journal says so', async () => {
    const { outcome, operation, world } = await play(withSession({ paymentMethodId: null }));
    expect([outcome, operation.status]).toEqual([handled, 'succeeded']);
    expect(operation.attempts[1]!.providerCalls).toEqual([
      { step: 'set_default_payment_method', skipped: 'the subscription names no payment method' },
    ]);
    expect(steps(world)).toEqual(['create_session']);
  });

  it('becomes the default in the name of the checkout', async () => {
    const { world, session } = await play(() => ({}));
    expect(world.provider.sends()).toMatchObject([
      { step: 'create_session' },
      { step: 'set_default_payment_method', operationId: 'op-checkout-001' },
    ]);
    expect(session.paymentMethodId).not.toBeNull();
  });

  it.each<[string, Change]>([
    ['could not be recorded', losing('operations', fromThe(2))],
    ['was recorded by another writer', overtaken('operations', onlyThe(2))],
  ])('is not sent when the call %s', async (_case, change) => {
    const { outcome, world } = await play(change);
    expect(outcome).toEqual(
      notKnown('the call for the default payment method could not be recorded; nothing was sent'),
    );
    expect(steps(world)).toEqual(['create_session']);
  });
});

describe('the end of a completion', () => {
  it('has the receipt of the session with the sale', async () => {
    const { world, sessionId, session } = await play(() => ({}));
    expect(await receipts(world)).toEqual([
      {
        _id: sessionId,
        tenantId: 'acme',
        operationId: 'op-checkout-001',
        planId: 'pro',
        subscriptionId: session.subscriptionId,
        completedAt: expect.any(Date),
        revision: expect.any(String),
        createdAt: expect.any(Date),
        updatedAt: expect.any(Date),
      },
    ]);
  });

  it('goes on when the receipt was written and its answer lost', async () => {
    const lossy: Change = ({ receipts: kept }) => ({
      receipts: losingWrites(kept, async (draft) => (await kept.insert(draft)).outcome === 'applied'),
    });
    const { outcome, operation } = await play(lossy);
    expect([outcome, operation.status]).toEqual([handled, 'succeeded']);
  });

  it('reads no receipt that was acknowledged', async () => {
    let reads = 0;
    const counted: Change = ({ receipts: kept }) => ({
      receipts: { ...kept, findById: async (id) => ((reads += 1), kept.findById(id)) },
    });
    await play(counted);
    expect(reads).toBe(1);
  });

  it('is not known when its journal could not be written', async () => {
    const { outcome, world } = await play(losing('operations', fromThe(3)));
    expect(outcome).toEqual(notKnown('the checkout is complete, and its journal could not be written'));
    expect(await receipts(world)).toHaveLength(1);
  });
});
