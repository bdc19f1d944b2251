/** An upgrade whose payment the holder of the card must confirm: neither a decline nor a success. */
import type { ProviderSubscription } from '@platform/payment-provider';
import { mirrorEvent } from '../../provider-events/workflows/mirror-event';
import { bootEvents, providerEvent } from '../../provider-events/testing/event-world';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { answerInHttp } from '../http/answer';
import { running } from '../testing/action-fixtures';
import { heldBy, lookAtPayment, lookAtPayments } from './await-payment';
import { operationInvestigation } from './resolve-operation';
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

type Ports = Awaited<ReturnType<typeof waiting>>['ports'];
type Read = Awaited<ReturnType<Ports['provider']['retrieveSubscription']>>;

/** The ports, with another answer to each reading of a subscription. */
function answering(ports: Ports, read: Read | ((id: string) => Promise<Read>)): Ports {
  const retrieveSubscription = typeof read === 'function' ? read : async () => read;
  return { ...ports, provider: { ...ports.provider, retrieveSubscription } };
}

/** The ports, with each subscription changed as a person changes it at the provider. */
function showing(ports: Ports, change: (value: ProviderSubscription) => ProviderSubscription): Ports {
  return answering(ports, async (id) => {
    const read = await ports.provider.retrieveSubscription(id);
    return read.outcome === 'succeeded' ? { ...read, value: change(read.value) } : read;
  });
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
      refusal: { code: 'confirmation_expired' },
    });
    expect(steps(world)).toHaveLength(2);
  });

  it('goes on waiting while the provider cannot be asked, or still holds the change', async () => {
    const { world, ports, invoiceId } = await waiting();
    world.provider.setDown(true);
    expect(await lookAtPayments(ports)).toBe(0);
    world.provider.setDown(false);
    world.provider.confirmPayment(invoiceId);
    const pendingUpdate = { priceId: 'price_pro', expiresAt: new Date(0) };
    const late = showing(ports, (value) => ({ ...value, priceId: 'price_starter', pendingUpdate }));
    expect(await lookAtPayments(late)).toBe(0);
    const silent = { outcome: 'unknown', reason: 'no answer' } as const;
    for (const read of [silent, { outcome: 'failed', code: 'provider_refused', message: 'Refused.' } as const])
      expect(await lookAtPayments(answering(ports, { ...read, evidence: {} } as never))).toBe(0);
    expect(world.operations()).toMatchObject([{ status: 'awaiting_payment' }]);
    expect(await lookAtPayments(ports)).toBe(1);
    expect(world.operations()).toMatchObject([{ status: 'succeeded' }]);
  });

  it('stops with an alert when it is paid and its price was changed once more', async () => {
    const { world, ports, invoiceId } = await waiting();
    world.provider.confirmPayment(invoiceId);
    const changed = showing(ports, (value) => ({
      ...value,
      priceId: 'price_other',
      otherItems: [{ itemId: 'si_2', priceId: 'price_seats', quantity: 1, currentPeriodEnd: null }],
    }));
    const other = showing(bootOperator(world, 2).ports, (value) => ({ ...value, priceId: 'price_other' }));
    await Promise.all([lookAtPayments(changed), lookAtPayments(other)]);
    const [stopped] = world.operations();
    expect(stopped).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'outcome_unknown' },
      attempts: [{ number: 1, outcome: 'awaiting_payment' }],
      payment: { invoiceId },
    });
    const reason = `The invoice ${invoiceId} of this upgrade is paid, but the subscription sub_acme sells price_other and price_seats, not price_pro. Settle at the provider what the workspace pays for, then record the outcome.`;
    expect(stopped).toHaveProperty('error.message', reason);
    expect(world.published).toMatchObject([
      { id: `alert:operator:operation:${request.operationId}:1`, body: { reason } },
    ]);
    // The mirror says what it said before, and no other change begins until a person has found out.
    expect(world.subscription()).toMatchObject({ planId: 'starter', transition: { kind: 'change_plan' } });
    expect(await runOperation(ports, request)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'reconciliation_required' },
    });
    expect(await lookAtPayments(ports)).toBe(0);
    expect(steps(world)).toHaveLength(2);
  });

  it.each([
    ['applied', 'sub_acme'],
    ['not_applied', null],
  ] as const)('that was stopped when it was paid is closed by two people as %s', async (outcome, providerObject) => {
    const { world, ports, invoiceId } = await waiting();
    world.provider.confirmPayment(invoiceId);
    const read = await ports.provider.retrieveSubscription('sub_acme');
    if (read.outcome !== 'succeeded') throw new Error('the subscription cannot be read');
    const currentPeriodEnd = read.value.currentPeriodEnd!;
    world.provider.seed({ subscriptions: [{ ...read.value, priceId: 'price_starter', currentPeriodEnd }] });
    expect(await lookAtPayments(ports)).toBe(1);
    const proofs = { executorStopped: 'its attempt wrote down its end', by: 'ops@example.com' };
    const reading = { ...ports, providerNow: async (sentAt: Date) => new Date(sentAt.getTime() + 600_000) };
    const proof = { id: request.operationId, outcome, providerObject, ...proofs };
    expect(await operationInvestigation.plan(reading, proof)).toMatchObject({
      error: expect.stringMatching(/^resolution_contradicted: /) as string,
    });
    const byTwo = { reason: 'the invoice is paid, and the price was changed by hand', approvedBy: 'two@example.com' };
    const planned = await operationInvestigation.plan(reading, { ...proof, override: byTwo });
    if (!planned.ok) throw new Error(planned.error);
    expect(await operationInvestigation.record(reading, planned.value)).toMatchObject({ ok: true });
    expect(world.operations()).toMatchObject([{ status: outcome === 'applied' ? 'succeeded' : 'failed' }]);
    expect(world.subscription()).not.toHaveProperty('transition');
  });

  it('stops when the provider holds the change no more, and its invoice can still be paid', async () => {
    const { world, ports, invoiceId } = await waiting();
    const dropped = showing(ports, ({ pendingUpdate: _dropped, ...value }) => value);
    expect(await lookAtPayments(dropped)).toBe(1);
    expect(await lookAtPayments(dropped)).toBe(0);
    const reason = `The invoice ${invoiceId} of this upgrade is open and can still be paid, but the subscription sub_acme sells price_starter, not price_pro. Settle at the provider what the workspace pays for, then record the outcome.`;
    expect(world.operations()).toMatchObject([
      { status: 'reconciliation_required', error: { code: 'outcome_unknown', message: reason } },
    ]);
    expect(world.published).toMatchObject([{ body: { reason } }]);
  });

  it('goes on waiting when its invoice was paid or given up between the two readings', async () => {
    for (const end of ['confirmPayment', 'expirePayment'] as const) {
      const { world, ports, invoiceId } = await waiting();
      let reads = 0;
      const late = showing(ports, ({ pendingUpdate: _dropped, ...value }) => {
        if ((reads += 1) === 1) world.provider[end](invoiceId);
        return { ...value, priceId: 'price_starter' };
      });
      expect(await lookAtPayments(late)).toBe(0);
      expect(world.operations()).toMatchObject([{ status: 'awaiting_payment' }]);
      expect(await lookAtPayments(ports)).toBe(1);
    }
  });

  it('stops when it is paid and the provider has no such subscription', async () => {
    const { world, ports, invoiceId } = await waiting();
    world.provider.confirmPayment(invoiceId);
    const gone = { outcome: 'failed', code: 'not_found', message: 'No such subscription.', evidence: {} } as const;
    expect(await lookAtPayments(answering(ports, gone as never))).toBe(1);
    expect(world.operations()).toMatchObject([
      {
        status: 'reconciliation_required',
        error: {
          message: expect.stringContaining('is paid, but the provider has no such subscription. Settle') as string,
        },
      },
    ]);
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
