/** What every payment provider does in a workspace's creation; part of the suite behind the port. */
import { valueOf, type ProviderHarness } from './payment-provider.harness';
import type { CallIntent, PaymentProvider } from './port';

let attempts = 0;

function newAttempt(): (step: string) => CallIntent {
  attempts += 1;
  const operationId = `attempt-feature-${attempts}`;
  return (step) => ({ operationId, step });
}

async function customerWithCard(provider: PaymentProvider, intent: (step: string) => CallIntent, card: string) {
  const { id: customerId } = await valueOf(
    provider.createCustomer(intent('create_customer'), { email: 'owner@example.com', name: 'Owner' }),
  );
  const { id: paymentMethodId } = await valueOf(
    provider.attachPaymentMethod(intent('attach_payment_method'), { customerId, paymentMethodId: card }),
  );
  await valueOf(
    provider.setDefaultPaymentMethod(intent('set_default_payment_method'), { customerId, paymentMethodId }),
  );
  return { customerId, paymentMethodId };
}

export function creationFeatures(opened: () => ProviderHarness): void {
  it('makes a customer with a card and an unpaid subscription, and charges its first invoice once', async () => {
    const { provider, priceIds, effects } = opened();
    const intent = newAttempt();
    const holder = await customerWithCard(provider, intent, 'pm_card_visa');
    const made = await valueOf(
      provider.createSubscription(intent('create_subscription'), {
        ...holder,
        priceId: priceIds.starter,
        trialDays: 0,
      }),
    );
    expect(made).toMatchObject({
      customerId: holder.customerId,
      status: 'incomplete',
      metadata: { provisioningAttempt: intent('x').operationId },
      firstInvoice: { status: 'open', subscriptionId: made.id },
    });
    const pay = () =>
      provider.payInvoice(
        { ...intent('pay_invoice'), idempotencyKey: `workspace-created:${intent('x').operationId}` },
        made.firstInvoice!.id,
      );
    expect(await valueOf(pay())).toMatchObject({ id: made.firstInvoice!.id, status: 'paid' });
    expect(await valueOf(pay())).toMatchObject({ status: 'paid' });
    expect(await provider.retrieveInvoice(made.firstInvoice!.id)).toMatchObject({
      outcome: 'succeeded',
      value: { status: 'paid', subscriptionId: made.id },
    });
    expect(await provider.retrieveSubscription(made.id)).toMatchObject({
      outcome: 'succeeded',
      value: { status: 'active' },
    });
    const charges = (await effects(intent('x').operationId)).filter(({ path }) => path.endsWith('/pay'));
    expect(
      charges.length +
        (await effects(`workspace-created:${intent('x').operationId}`)).filter(({ path }) => path.endsWith('/pay'))
          .length,
    ).toBe(1);
  });

  it('asks for no money while a trial runs: the first invoice is paid with nothing', async () => {
    const { provider, priceIds } = opened();
    const intent = newAttempt();
    const holder = await customerWithCard(provider, intent, 'pm_card_visa');
    const made = await valueOf(
      provider.createSubscription(intent('create_subscription'), {
        ...holder,
        priceId: priceIds.starter,
        trialDays: 14,
      }),
    );
    expect(made.status).toBe('trialing');
    expect(made.firstInvoice === null || (made.firstInvoice.total === 0 && made.firstInvoice.status === 'paid')).toBe(
      true,
    );
  });

  it('tells the same fingerprint for the same card, before and after it is attached', async () => {
    const { provider } = opened();
    const before = await provider.retrievePaymentMethod('pm_card_visa');
    const { paymentMethodId } = await customerWithCard(provider, newAttempt(), 'pm_card_visa');
    const after = await provider.retrievePaymentMethod(paymentMethodId);
    if (before.outcome !== 'succeeded' || after.outcome !== 'succeeded') throw new Error('a card could not be read');
    expect(before.value.cardFingerprint).toEqual(expect.any(String));
    expect(after.value.cardFingerprint).toBe(before.value.cardFingerprint);
  });

  it('declines the first payment of a card that fails, and lets everything be undone', async () => {
    const { provider, priceIds } = opened();
    const intent = newAttempt();
    const holder = await customerWithCard(provider, intent, 'pm_card_chargeCustomerFail');
    const made = await valueOf(
      provider.createSubscription(intent('create_subscription'), {
        ...holder,
        priceId: priceIds.starter,
        trialDays: 0,
      }),
    );
    expect(await provider.payInvoice(intent('pay_invoice'), made.firstInvoice!.id).send()).toMatchObject({
      outcome: 'failed',
      code: 'card_declined',
    });
    expect((await valueOf(provider.cancelNow(intent('cancel_now'), made.id))).status).toMatch(
      /^canceled|incomplete_expired$/,
    );
    expect(await valueOf(provider.deleteCustomer(intent('delete_customer'), holder.customerId))).toMatchObject({
      id: holder.customerId,
      deleted: true,
    });
    expect(await provider.deleteCustomer(intent('delete_customer'), holder.customerId).send()).toMatchObject({
      outcome: 'failed',
      code: 'provider_refused',
    });
  });

  it('refuses unknown cards, prices and invoices', async () => {
    const { provider } = opened();
    const intent = newAttempt();
    const refused = { outcome: 'failed', code: 'provider_refused' };
    const holder = await customerWithCard(provider, intent, 'pm_card_visa');
    expect(
      await provider.attachPaymentMethod(intent('attach_other'), { ...holder, paymentMethodId: 'pm_absent' }).send(),
    ).toMatchObject(refused);
    expect(
      await provider
        .createSubscription(intent('create_subscription'), { ...holder, priceId: 'price_absent', trialDays: 0 })
        .send(),
    ).toMatchObject(refused);
    expect(await provider.payInvoice(intent('pay_invoice'), 'in_absent').send()).toMatchObject(refused);
    expect(await provider.retrieveInvoice('in_absent')).toMatchObject({ outcome: 'failed', code: 'not_found' });
    expect(await provider.retrievePaymentMethod('pm_absent')).toMatchObject({ outcome: 'failed', code: 'not_found' });
  });
}
