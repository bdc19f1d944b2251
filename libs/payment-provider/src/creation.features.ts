/** How every payment provider behaves during a workspace's creation; part of the suite behind the port. */
import type { EffectOf } from './effects';
import { newIntent, valueOf, type ProviderHarness } from './payment-provider.harness';
import type { CallIntent, PaymentProvider } from './port';

async function customerWithCard(provider: PaymentProvider, intent: CallIntent, card: string) {
  const { id: customerId } = await valueOf(
    provider.prepare(intent, { step: 'create_customer', email: 'owner@example.com', name: 'Owner' }),
  );
  const { id: paymentMethodId } = await valueOf(
    provider.prepare(intent, { step: 'attach_payment_method', customerId, paymentMethodId: card }),
  );
  await valueOf(provider.prepare(intent, { step: 'set_default_payment_method', customerId, paymentMethodId }));
  return { customerId, paymentMethodId };
}

const payment = (invoiceId: string, { operationId }: CallIntent): EffectOf<'pay_invoice'> => ({
  step: 'pay_invoice',
  invoiceId,
  creationId: `workspace-created:${operationId}`,
});

export function creationFeatures(opened: () => ProviderHarness): void {
  it('makes a customer with a card and an unpaid subscription, and charges its first invoice once', async () => {
    const { provider, priceIds, effects } = opened();
    const intent = newIntent();
    const holder = await customerWithCard(provider, intent, 'pm_card_visa');
    const made = await valueOf(
      provider.prepare(intent, {
        step: 'create_subscription',
        ...holder,
        priceId: priceIds.starter,
        trialDays: 0,
      }),
    );
    expect(made).toMatchObject({
      customerId: holder.customerId,
      status: 'incomplete',
      metadata: { provisioningAttempt: intent.operationId },
      firstInvoice: { status: 'open', subscriptionId: made.id },
    });
    const pay = () => provider.prepare(intent, payment(made.firstInvoice!.id, intent));
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
    const charges = (await effects(intent.operationId)).filter(({ path }) => path.endsWith('/pay'));
    expect(
      charges.length +
        (await effects(`workspace-created:${intent.operationId}`)).filter(({ path }) => path.endsWith('/pay')).length,
    ).toBe(1);
  });

  it('asks for no money while a trial runs: the first invoice is paid with nothing', async () => {
    const { provider, priceIds } = opened();
    const intent = newIntent();
    const holder = await customerWithCard(provider, intent, 'pm_card_visa');
    const made = await valueOf(
      provider.prepare(intent, {
        step: 'create_subscription',
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
    const { paymentMethodId } = await customerWithCard(provider, newIntent(), 'pm_card_visa');
    const after = await provider.retrievePaymentMethod(paymentMethodId);
    if (before.outcome !== 'succeeded' || after.outcome !== 'succeeded') throw new Error('a card could not be read');
    expect(before.value.cardFingerprint).toEqual(expect.any(String));
    expect(after.value.cardFingerprint).toBe(before.value.cardFingerprint);
  });

  it('declines the first payment of a card that fails, and lets everything be undone', async () => {
    const { provider, priceIds } = opened();
    const intent = newIntent();
    const holder = await customerWithCard(provider, intent, 'pm_card_chargeCustomerFail');
    const made = await valueOf(
      provider.prepare(intent, {
        step: 'create_subscription',
        ...holder,
        priceId: priceIds.starter,
        trialDays: 0,
      }),
    );
    expect(await provider.prepare(intent, payment(made.firstInvoice!.id, intent)).send()).toMatchObject({
      outcome: 'failed',
      code: 'card_declined',
    });
    expect((await valueOf(provider.prepare(intent, { step: 'cancel_now', subscriptionId: made.id }))).status).toMatch(
      /^canceled|incomplete_expired$/,
    );
    expect(
      await valueOf(provider.prepare(intent, { step: 'delete_customer', customerId: holder.customerId })),
    ).toMatchObject({
      id: holder.customerId,
      deleted: true,
    });
    expect(
      await provider.prepare(intent, { step: 'delete_customer', customerId: holder.customerId }).send(),
    ).toMatchObject({
      outcome: 'failed',
      code: 'provider_refused',
    });
  });

  it('takes no card again that was detached, as one is with its deleted customer', async () => {
    const { provider } = opened();
    const intent = newIntent();
    const gone = await customerWithCard(provider, intent, 'pm_card_visa');
    await valueOf(provider.prepare(intent, { step: 'delete_customer', customerId: gone.customerId }));
    const { customerId } = await customerWithCard(provider, newIntent(), 'pm_card_visa');
    const { paymentMethodId } = gone;
    const again = provider.prepare(newIntent(), { step: 'attach_payment_method', customerId, paymentMethodId });
    expect(await again.send()).toMatchObject({ outcome: 'failed', code: 'provider_refused' });
  });

  it('leaves a first payment open that its holder must confirm, and tells where', async () => {
    const { provider, priceIds, confirmPayment } = opened();
    const intent = newIntent();
    const holder = await customerWithCard(provider, intent, 'pm_card_authenticationRequired');
    const { id, firstInvoice } = await valueOf(
      provider.prepare(intent, { step: 'create_subscription', ...holder, priceId: priceIds.starter, trialDays: 0 }),
    );
    expect(await provider.prepare(intent, payment(firstInvoice!.id, intent)).send()).toMatchObject({
      outcome: 'failed',
      code: 'authentication_required',
    });
    expect(await provider.retrieveInvoice(firstInvoice!.id)).toMatchObject({
      value: { status: 'open', hostedUrl: expect.stringMatching(/^https?:/) as string },
    });
    await confirmPayment(firstInvoice!.id);
    expect(await provider.retrieveInvoice(firstInvoice!.id)).toMatchObject({ value: { status: 'paid' } });
    expect(await provider.retrieveSubscription(id)).toMatchObject({ value: { status: 'active' } });
  });

  it('refuses unknown cards, prices and invoices', async () => {
    const { provider } = opened();
    const intent = newIntent();
    const refused = { outcome: 'failed', code: 'provider_refused' };
    const holder = await customerWithCard(provider, intent, 'pm_card_visa');
    expect(
      await provider
        .prepare(newIntent(), { step: 'attach_payment_method', ...holder, paymentMethodId: 'pm_absent' })
        .send(),
    ).toMatchObject(refused);
    expect(
      await provider
        .prepare(intent, { step: 'create_subscription', ...holder, priceId: 'price_absent', trialDays: 0 })
        .send(),
    ).toMatchObject(refused);
    expect(await provider.prepare(intent, payment('in_absent', intent)).send()).toMatchObject(refused);
    expect(await provider.retrieveInvoice('in_absent')).toMatchObject({ outcome: 'failed', code: 'not_found' });
    expect(await provider.retrievePaymentMethod('pm_absent')).toMatchObject({ outcome: 'failed', code: 'not_found' });
  });
}
