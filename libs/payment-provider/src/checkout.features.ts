/** How every payment provider handles checkout sessions; part of the suite behind the port. */
import { newIntent, valueOf, type Abilities, type ProviderHarness } from './payment-provider.harness';
import type { EffectOf } from './effects';
import type { PaymentProvider } from './port';

const urls = { successUrl: 'https://app.test/done?session={CHECKOUT_SESSION_ID}', cancelUrl: 'https://app.test/back' };
const wanted = (customerId: string, priceId: string, trialDays = 0): EffectOf<'create_session'> => ({
  step: 'create_session',
  customerId,
  priceId,
  tenantId: 'acme',
  planId: 'pro',
  trialDays,
  ...urls,
});

/** Declares no test, because the provider under test has no such page to drive. */
const undeclared = Object.assign(() => undefined, { each: () => () => undefined }) as unknown as jest.It;

export function checkoutFeatures(opened: () => ProviderHarness, { pages }: Abilities): void {
  const onPage = pages ? it : undeclared;

  async function begin(provider: PaymentProvider, trialDays = 0) {
    const { addWorkspace, priceIds } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent();
    const session = await valueOf(provider.prepare(intent, wanted(customerId, priceIds.pro, trialDays)));
    return { customerId, intent, session };
  }

  onPage.each([
    [0, 'active'],
    [14, 'trialing'],
  ] as const)('sells a subscription with %i days of trial on a page, and names its card', async (trialDays, status) => {
    const { provider, completeCheckout, priceIds } = opened();
    const { customerId, intent, session } = await begin(provider, trialDays);
    expect(session).toMatchObject({
      status: 'open',
      url: expect.stringMatching(/^https?:/),
      customerId,
      subscriptionId: null,
      metadata: { tenantId: 'acme', planId: 'pro', operationId: intent.operationId },
    });
    await completeCheckout(session.id);
    const read = await provider.retrieveCheckoutSession(session.id);
    if (read.outcome !== 'succeeded') throw new Error('the session cannot be read');
    const { subscriptionId, paymentMethodId } = read.value;
    expect(read.value).toMatchObject({
      id: session.id,
      status: 'complete',
      subscriptionId: expect.any(String),
      paymentMethodId: expect.any(String),
    });
    expect(await provider.retrieveSubscription(subscriptionId!)).toMatchObject({
      outcome: 'succeeded',
      value: { status, customerId, priceId: priceIds.pro, metadata: { operationId: intent.operationId } },
    });
    await valueOf(
      provider.prepare(intent, {
        step: 'set_default_payment_method',
        customerId,
        paymentMethodId: paymentMethodId!,
      }),
    );
  });

  onPage.each([
    [true, 'paid', 'paid'],
    [false, 'unpaid', 'void'],
  ] as const)('shows a bank that answers later (pays: %s) as unpaid until then', async (pays, status, invoiced) => {
    const { provider, completeCheckout, answerBank } = opened();
    const { session } = await begin(provider);
    const read = async () => {
      const found = await provider.retrieveCheckoutSession(session.id);
      if (found.outcome !== 'succeeded') throw new Error('the session cannot be read');
      return found.value;
    };
    await completeCheckout(session.id, 'answers later');
    const { subscriptionId, invoiceId, paymentStatus } = await read();
    expect([paymentStatus, invoiceId]).toEqual(['unpaid', expect.any(String)]);
    // The provider starts the subscription at once, and does not revert it.
    const runs = { outcome: 'succeeded', value: { status: 'active' } };
    expect(await provider.retrieveSubscription(subscriptionId!)).toMatchObject(runs);
    await answerBank(invoiceId!, pays);
    expect((await read()).paymentStatus).toBe(status);
    expect(await provider.retrieveInvoice(invoiceId!)).toMatchObject({ value: { status: invoiced } });
    expect(await provider.retrieveSubscription(subscriptionId!)).toMatchObject(runs);
  });

  it('makes one session per key, and lets it expire', async () => {
    const { provider, expireCheckout, effects, addWorkspace, priceIds } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent();
    const create = () => provider.prepare(intent, wanted(customerId, priceIds.pro));
    const session = await valueOf(create());
    expect((await valueOf(create())).id).toBe(session.id);
    expect(await effects(intent.operationId)).toHaveLength(1);
    await expireCheckout(session.id);
    expect(await provider.retrieveCheckoutSession(session.id)).toMatchObject({
      outcome: 'succeeded',
      value: { status: 'expired', subscriptionId: null },
    });
  });

  it('expires an open session once, and none that it does not know', async () => {
    const { provider } = opened();
    const refused = { outcome: 'failed', code: 'provider_refused' };
    const expire = (sessionId: string, intent = newIntent()) =>
      provider.prepare(intent, { step: 'expire_session', sessionId });
    const { session } = await begin(provider);
    const intent = newIntent();
    const expired = { id: session.id, status: 'expired', url: null, subscriptionId: null };
    expect(await valueOf(expire(session.id, intent))).toMatchObject(expired);
    expect(await valueOf(expire(session.id, intent))).toMatchObject(expired);
    expect(await expire(session.id).send()).toMatchObject(refused);
    expect(await expire('cs_absent').send()).toMatchObject(refused);
  });

  onPage('expires no session that is paid', async () => {
    const { provider, completeCheckout } = opened();
    const { session } = await begin(provider);
    await completeCheckout(session.id);
    const expired = provider.prepare(newIntent(), { step: 'expire_session', sessionId: session.id });
    expect(await expired.send()).toMatchObject({ outcome: 'failed', code: 'provider_refused' });
    expect(await provider.retrieveCheckoutSession(session.id)).toMatchObject({ value: { status: 'complete' } });
  });

  it('refuses unknown customers and prices, and knows no other session', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const { customerId } = await addWorkspace();
    const refused = { outcome: 'failed', code: 'provider_refused' };
    expect(await provider.prepare(newIntent(), wanted('cus_absent', priceIds.pro)).send()).toMatchObject(refused);
    expect(await provider.prepare(newIntent(), wanted(customerId, 'price_absent')).send()).toMatchObject(refused);
    expect(await provider.retrieveCheckoutSession('cs_absent')).toMatchObject({ outcome: 'failed', code: 'not_found' });
  });
}
