/** The sale of a session whose bank has refused: it is ended at the provider before the checkout ends. */
import { fromThe, losing, onlyThe, overtaken } from '@platform/durable/testing';
import { busyWith, failedWith, handled, notKnown } from '../../operations/domain/event-outcome';
import { providerEvent } from '../../provider-events/testing/event-world';
import type { EventPorts } from '../../provider-events/workflows/event-ports';
import { beginCheckout, completed, steps } from '../testing/checkout-world';
import { completeCheckout } from './complete-checkout';

type Change = (events: EventPorts) => Partial<EventPorts>;

const plainly: Change = () => ({});

/** A session whose bank answers later, before its first event. */
async function soldToBank() {
  const stage = await beginCheckout();
  const session = stage.world.provider.completeCheckout(stage.sessionId, { bankAnswersLater: true });
  const { world, events, sessionId } = stage;
  const complete = (change: Change, type: 'completed' | 'async_payment_failed') =>
    completeCheckout(
      { ...events, ...change(events) },
      type === 'completed'
        ? completed(sessionId)
        : providerEvent('evt_f', `checkout.session.${type}`, { id: sessionId }),
    );
  return { ...stage, session, complete, operation: () => world.operations()[0]! };
}

async function refuse(change: Change = plainly) {
  const stage = await soldToBank();
  await stage.complete(plainly, 'completed');
  return { ...stage, outcome: await stage.complete(change, 'async_payment_failed') };
}

describe('a sale that a bank refuses', () => {
  it('ends by the event of the refusal, while its invoice is open still', async () => {
    const { outcome, operation, world } = await refuse();
    expect(outcome).toEqual(handled);
    expect(operation()).toMatchObject({ status: 'failed', error: { code: 'payment_failed' } });
    expect(world.provider.sends()).toMatchObject([
      { step: 'create_session' },
      { step: 'cancel_now', operationId: 'op-checkout-001' },
    ]);
  });

  it.each(['canceled', 'incomplete_expired'] as const)('sends nothing when it is %s already', async (status) => {
    const { world, session, complete, operation } = await soldToBank();
    const read = await world.provider.retrieveSubscription(session.subscriptionId!);
    if (read.outcome !== 'succeeded') throw new Error('the subscription cannot be read');
    world.provider.seed({ subscriptions: [{ ...read.value, status }] });
    expect(await complete(plainly, 'completed')).toEqual(handled);
    expect(operation()).toMatchObject({ status: 'failed', error: { code: 'payment_failed' } });
    expect(operation().attempts[1]!.providerCalls).toEqual([{ step: 'cancel_now', skipped: 'it has ended' }]);
    expect(steps(world)).toEqual(['create_session']);
  });

  it.each<[string, Change]>([
    ['could not be recorded', losing('operations', fromThe(2))],
    ['was recorded by another writer', overtaken('operations', onlyThe(2))],
  ])('is not ended when the call %s', async (_case, change) => {
    const { outcome, world } = await refuse(change);
    expect(outcome).toEqual(notKnown('the end of the sale could not be recorded; nothing was sent'));
    expect(steps(world)).toEqual(['create_session']);
  });

  it('is left to the callback that was admitted first', async () => {
    const { outcome, world } = await refuse(overtaken('subscriptions'));
    expect(outcome).toEqual(busyWith('another callback was admitted for this session'));
    expect(steps(world)).toEqual(['create_session']);
  });

  it('is not known to have ended when the journal could not be written', async () => {
    const { outcome } = await refuse(losing('operations', fromThe(3)));
    expect(outcome).toEqual(notKnown('the end of the checkout could not be recorded'));
  });

  it('stops for people with the reason when the provider refuses to end it', async () => {
    const stage = await soldToBank();
    await stage.complete(plainly, 'completed');
    stage.world.provider.failNext('timeout_after_effect', { step: 'cancel_now' });
    const message = expect.stringContaining('the subscription that was sold has not ended') as string;
    expect(await stage.complete(plainly, 'async_payment_failed')).toEqual(notKnown(message));
    expect(stage.operation()).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'outcome_unknown', message },
    });
  });
});

describe('a sale that was paid, and that a person ended at the provider', () => {
  const ended = { status: 'canceled' } as const;

  it.each(['canceled', 'incomplete_expired', 'unpaid'] as const)(
    'stops for people when it is %s: that nothing was charged is not said',
    async (status) => {
      const { world, events, sessionId } = await beginCheckout();
      world.provider.completeCheckout(sessionId, { status });
      const outcome = await completeCheckout(events, completed(sessionId));
      const message = expect.stringContaining(`the subscription that was sold is ${status}`) as string;
      expect(outcome).toEqual(notKnown(message));
      expect(world.operations()).toMatchObject([{ status: 'reconciliation_required', error: { message } }]);
      expect(world.subscription()).toMatchObject({ planId: 'free', transition: { kind: 'change_plan' } });
      expect(steps(world)).toEqual(['create_session']);
    },
  );

  it('stops for people also when it ends between the judgement and the reading of its executor', async () => {
    const { world, events, sessionId } = await beginCheckout();
    const { subscriptionId } = world.provider.completeCheckout(sessionId);
    let reads = 0;
    const retrieveSubscription: EventPorts['provider']['retrieveSubscription'] = async (id) => {
      const read = await world.provider.retrieveSubscription(id);
      if (id !== subscriptionId || read.outcome !== 'succeeded' || ++reads === 1) return read;
      return { ...read, value: { ...read.value, ...ended } };
    };
    await completeCheckout({ ...events, provider: { ...events.provider, retrieveSubscription } }, completed(sessionId));
    expect(world.operations()).toMatchObject([{ status: 'reconciliation_required' }]);
  });
});

describe('a sale that was taken back', () => {
  const late = (sessionId: string) =>
    providerEvent('evt_s', 'checkout.session.async_payment_succeeded', { id: sessionId });

  it('is left to people when its bank pays after all', async () => {
    const { world, events, session, sessionId } = await refuse();
    world.provider.confirmPayment(session.invoiceId!);
    expect(await completeCheckout(events, late(sessionId))).toEqual(
      failedWith('the checkout is failed, and its session was paid afterwards'),
    );
  });

  it('is left as it is by every other event', async () => {
    const { events, sessionId } = await refuse();
    expect(await completeCheckout(events, late(sessionId))).toMatchObject({ outcome: 'skipped' });
  });
});

describe('a sale that waits for its bank', () => {
  it('is noted once, however often it is looked at', async () => {
    const { complete, operation } = await soldToBank();
    expect(await complete(plainly, 'completed')).toEqual(handled);
    const noted = operation();
    expect(noted).toMatchObject({ checkout: { waitsFor: 'payment' } });
    expect(await complete(plainly, 'completed')).toEqual(handled);
    expect(operation()).toEqual(noted);
  });

  it.each<[string, Change, ReturnType<typeof failedWith>]>([
    [
      'could not be written',
      losing('operations'),
      notKnown('what the checkout waits for could not be recorded (the answer was lost)'),
    ],
    [
      'came after the write of another callback',
      overtaken('operations', onlyThe(1)),
      busyWith('another callback is at work on this session'),
    ],
  ])('is not handled when the note %s', async (_case, change, expected) => {
    expect(await (await soldToBank()).complete(change, 'completed')).toEqual(expected);
  });
});
