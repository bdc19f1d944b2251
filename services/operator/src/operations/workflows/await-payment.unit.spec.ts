/** An upgrade whose payment the holder of the card must confirm: neither a decline nor a success. */
import { mirrorEvent } from '../../provider-events/workflows/mirror-event';
import { bootEvents, providerEvent } from '../../provider-events/testing/event-world';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { answerInHttp } from '../http/answer';
import { running } from '../testing/action-fixtures';
import { heldBy, lookAtPayment, lookAtPayments } from './await-payment';
import { runOperation } from './run-operation';

const request = {
  operationId: 'op-upgrade-0001',
  tenantId: tenant,
  action: 'upgrade_plan' as const,
  values: { planId: 'pro' },
  actor: { id: 'owner' },
};

async function waiting() {
  const world = await createOperatorWorld();
  world.provider.askForConfirmation('sub_acme');
  const { ports } = bootOperator(world, 1);
  const answer = await runOperation(ports, request);
  const invoiceId = world.operations()[0]?.payment?.invoiceId ?? '';
  return { world, ports, answer, invoiceId };
}

const steps = (world: OperatorWorld) => world.provider.sends().map(({ step, outcome }) => `${step} ${outcome}`);

describe('an upgrade whose payment must be confirmed', () => {
  it('waits, says where, and leaves the plan as it is', async () => {
    const { world, answer, invoiceId } = await waiting();
    const url = `https://invoice.test/${invoiceId}`;
    expect(answer).toMatchObject({ kind: 'to_confirm', operation: { payment: { confirmUrl: url } } });
    expect(answerInHttp(answer, request.operationId)).toMatchObject({
      status: 202,
      body: { status: 'awaiting_payment', code: 'authentication_required', confirmUrl: url },
    });
    expect(steps(world)).toEqual(['change_price failed', 'hold_price_change succeeded']);
    expect(world.subscription()).toMatchObject({ planId: 'starter', transition: { kind: 'change_plan' } });
    expect(world.operations()).toMatchObject([
      { status: 'awaiting_payment', attempts: [{ outcome: 'awaiting_payment' }] },
    ]);
  });

  it('answers a repeat with the same address, and sends nothing more', async () => {
    const { world, ports, answer } = await waiting();
    expect(await runOperation(ports, request)).toEqual(answer);
    expect(await lookAtPayments(ports)).toBe(0);
    expect(steps(world)).toHaveLength(2);
  });

  it('succeeds once by the round when the payment is confirmed', async () => {
    const { world, ports, invoiceId } = await waiting();
    world.provider.confirmPayment(invoiceId);
    const other = bootOperator(world, 2).ports;
    await Promise.all([lookAtPayments(ports), lookAtPayments(other)]);
    expect(world.operations()).toMatchObject([{ status: 'succeeded', result: { planId: 'pro' } }]);
    expect(world.subscription()).toMatchObject({ planId: 'pro' });
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(await lookAtPayment(ports, request.operationId)).toBe(false);
    expect(steps(world)).toHaveLength(2);
  });

  it('succeeds by the event of its invoice', async () => {
    const { world, invoiceId } = await waiting();
    world.provider.confirmPayment(invoiceId);
    const { events } = bootEvents(world, 2);
    await mirrorEvent(events, providerEvent('evt_paid', 'invoice.paid', { id: invoiceId }));
    expect(world.operations()).toMatchObject([{ status: 'succeeded' }]);
    expect(world.subscription()).toMatchObject({ planId: 'pro' });
    expect(world.subscription()).not.toHaveProperty('transition');
  });

  it('fails and leaves the plan when the provider has given the payment up', async () => {
    const { world, ports, invoiceId } = await waiting();
    world.provider.expirePayment(invoiceId);
    expect(await lookAtPayments(ports)).toBe(1);
    expect(world.operations()).toMatchObject([{ status: 'failed', error: { code: 'confirmation_expired' } }]);
    expect(world.subscription()).toMatchObject({ planId: 'starter' });
    expect(world.subscription()).not.toHaveProperty('transition');
    // The provider keeps its old answers under the keys of this id for a day.
    expect(await runOperation(ports, request)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'retry_window_expired' },
    });
    expect(steps(world)).toHaveLength(2);
  });

  it('goes on waiting while the provider cannot be asked, or shows the old price', async () => {
    const { world, ports, invoiceId } = await waiting();
    world.provider.setDown(true);
    expect(await lookAtPayments(ports)).toBe(0);
    world.provider.setDown(false);
    world.provider.confirmPayment(invoiceId);
    const late: typeof ports.provider = {
      ...ports.provider,
      retrieveSubscription: async (id) => {
        const read = await ports.provider.retrieveSubscription(id);
        return read.outcome === 'succeeded' ? { ...read, value: { ...read.value, priceId: 'price_starter' } } : read;
      },
    };
    expect(await lookAtPayments({ ...ports, provider: late })).toBe(0);
    expect(world.operations()).toMatchObject([{ status: 'awaiting_payment' }]);
    expect(await lookAtPayments(ports)).toBe(1);
  });

  it('stops when the answer of the held change is lost: whether it waits is not known', async () => {
    const world = await createOperatorWorld();
    world.provider.askForConfirmation('sub_acme');
    world.provider.failNext('lost_answer_after_effect', { step: 'hold_price_change' });
    expect(await runOperation(bootOperator(world, 1).ports, request)).toMatchObject({ kind: 'stopped' });
  });

  it('is no success where its record has lost the subscription that it changes', () => {
    const held = { invoiceId: 'in_1', confirmUrl: 'https://invoice.test/in_1', expiresAt: new Date(0) };
    const answers = [{ step: 'hold_price_change' as const, held }];
    const checkpoint = { subscriptionId: 'sub_acme' };
    expect(heldBy(running('upgrade_plan', { checkpoint }), answers)).toEqual({ ...held, ...checkpoint });
    for (const record of [running('upgrade_plan'), running('upgrade_plan', { checkpoint: {} })])
      expect(() => heldBy(record, answers)).toThrow('operation op-00000001 has no checkpoint');
  });

  it('is a plain decline where the card is declined', async () => {
    const world = await createOperatorWorld();
    world.provider.failNext('card_declined', { step: 'change_price' });
    expect(await runOperation(bootOperator(world, 1).ports, request)).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'card_declined' } },
    });
    expect(steps(world)).toEqual(['change_price failed']);
  });
});
