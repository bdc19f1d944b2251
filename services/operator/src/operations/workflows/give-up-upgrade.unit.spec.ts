/** An upgrade that waits for its person is given up: the invoice decides, no matter which side is faster. */
import { bootOperator, tenant } from '../../testing/operator-world';
import { createSituation, exampleRequest } from '../testing/example-worlds';
import { lookAtPayments } from './await-payment';
import { runOperation } from './run-operation';

const request = exampleRequest('give_up_upgrade');

async function waiting() {
  const world = await createSituation('payment_waits');
  const upgrade = () => world.operations().find(({ action }) => action === 'upgrade_plan')!;
  return { world, upgrade, ports: bootOperator(world, 1).ports, invoiceId: upgrade().payment!.invoiceId };
}

describe('giving up an upgrade that waits for its payment', () => {
  it('voids its invoice, and the upgrade ends at once as one that was not confirmed', async () => {
    const { world, ports, upgrade, invoiceId } = await waiting();
    expect(await runOperation(ports, request)).toMatchObject({
      kind: 'succeeded',
      operation: { result: { upgrade: upgrade()._id, invoice: 'void' } },
    });
    expect(upgrade()).toMatchObject({ status: 'failed', error: { code: 'confirmation_expired' } });
    expect(world.subscription()).toMatchObject({ planId: 'starter' });
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(await world.provider.retrieveInvoice(invoiceId)).toMatchObject({ value: { status: 'void' } });
    expect(await world.provider.retrieveSubscription('sub_acme')).toMatchObject({
      value: { priceId: 'price_starter' },
    });
    // The workspace is free for another change, and nothing waits any more.
    const again = await runOperation(ports, { ...request, operationId: 'op-give-up-0002' });
    expect(again).toMatchObject({ kind: 'failed', operation: { error: { code: 'no_waiting_payment' } } });
    expect(await lookAtPayments(ports)).toBe(0);
  });

  it('is refused by the provider when the person was faster, and the upgrade goes on', async () => {
    const { world, ports, upgrade, invoiceId } = await waiting();
    world.provider.confirmPayment(invoiceId);
    const answer = await runOperation(ports, request);
    expect(answer).toMatchObject({ kind: 'failed', operation: { error: { code: 'provider_refused' } } });
    expect(await lookAtPayments(ports)).toBe(1);
    expect(upgrade()).toMatchObject({ status: 'succeeded' });
    expect(world.subscription()).toMatchObject({ planId: 'pro' });
  });

  it('of two people at once voids one invoice, and the upgrade ends once', async () => {
    const { world, ports, upgrade } = await waiting();
    const other = bootOperator(world, 2).ports;
    const answers = await Promise.all([
      runOperation(ports, request),
      runOperation(other, { ...request, operationId: 'op-give-up-0002' }),
    ]);
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['failed', 'succeeded']);
    expect(upgrade()).toMatchObject({ status: 'failed', attempts: [{ number: 1 }] });
    expect(world.provider.ledger().filter(({ step }) => step === 'void_invoice')).toHaveLength(1);
  });

  it('whose outcome is not known stops, and the upgrade ends as its invoice shows', async () => {
    const { world, ports, upgrade } = await waiting();
    world.provider.failNext('lost_answer_after_effect', { step: 'void_invoice' });
    await runOperation(ports, request);
    expect(world.operations().find(({ _id }) => _id === request.operationId)).toMatchObject({
      status: 'reconciliation_required',
      tenantId: tenant,
    });
    expect(await lookAtPayments(ports)).toBe(1);
    expect(upgrade()).toMatchObject({ status: 'failed', error: { code: 'confirmation_expired' } });
  });
});
