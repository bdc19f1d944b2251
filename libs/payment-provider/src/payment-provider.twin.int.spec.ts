import { startProviderTwin } from '@platform/provider-twin';
import type { ProviderFaultKind } from './fake/provider-faults';
import { paymentProviderFeatures } from './payment-provider.features';
import { createStripeProvider } from './stripe/stripe-provider';

const twinFaults: Partial<Record<ProviderFaultKind, object>> = {
  rate_limited: { fault: 'rate_limit' },
  server_error: { fault: 'status_500', effect: false },
  server_error_after_effect: { fault: 'status_500', effect: true },
  lost_answer_before_effect: { fault: 'lose_answer_before' },
  lost_answer_after_effect: { fault: 'lose_answer_after' },
};

interface LedgerRow {
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly objectId: string | null;
}

paymentProviderFeatures('the Stripe adapter on the provider twin', async () => {
  const twin = await startProviderTwin({ port: 0 });
  const provider = createStripeProvider({ secretKey: 'sk_test_features', apiBase: twin.url, timeoutMs: 10_000 });
  let count = 0;

  async function control(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${twin.url}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async function addWorkspace(paymentMethod = 'pm_card_visa') {
    count += 1;
    const [customerId, subscriptionId] = [`cus_feature${count}`, `sub_feature${count}`];
    await control('POST', '/_twin/seed', {
      customers: [{ id: customerId, paymentMethod }],
      subscriptions: [
        {
          id: subscriptionId,
          customer: customerId,
          price: 'price_starter',
          ...(paymentMethod === 'pm_card_chargeCustomerFail' && { status: 'past_due' }),
        },
      ],
    });
    const found = await provider.retrieveSubscription(subscriptionId);
    if (found.outcome !== 'succeeded')
      throw new Error(`the seeded subscription cannot be read: ${JSON.stringify(found)}`);
    return { customerId, subscriptionId, itemId: found.value.itemId };
  }

  await control('POST', '/_twin/seed', {
    products: [{ id: 'prod_plans', name: 'Plans' }],
    prices: [
      { id: 'price_starter', product: 'prod_plans', unitAmount: 1900 },
      { id: 'price_pro', product: 'prod_plans', unitAmount: 4900 },
    ],
  });

  return {
    provider,
    addWorkspace: () => addWorkspace(),
    addDecliningWorkspace: () => addWorkspace('pm_card_chargeCustomerFail'),
    addAskingWorkspace: () => addWorkspace('pm_card_authenticationRequired'),
    confirmPayment: async (id) => void (await control('POST', `/_twin/invoices/${id}`, { accepted: true })),
    giveUpPayment: async () => void (await control('POST', '/_twin/clock', { advanceSeconds: 24 * 3_600 })),
    priceIds: { starter: 'price_starter', pro: 'price_pro' },
    effects: async (operationId) =>
      ((await control('GET', `/_twin/ledger?operationId=${operationId}`)) as { readonly entries: readonly LedgerRow[] })
        .entries,
    failNext: async (kind) =>
      void (await control('POST', '/_twin/faults', {
        match: { method: 'POST', path: '/v1/**' },
        times: 1,
        ...twinFaults[kind],
      })),
    completeCheckout: async (id, bank) => {
      const paymentMethod = bank ? 'pm_usBankAccount_success' : 'pm_card_visa';
      await control('POST', `/_twin/checkout/${id}`, { paymentMethod });
    },
    answerBank: async (id, accepted) => void (await control('POST', `/_twin/invoices/${id}`, { accepted })),
    expireCheckout: async (id) => {
      const expired = await fetch(`${twin.url}/v1/checkout/sessions/${id}/expire`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk_test_features' },
      });
      if (!expired.ok) throw new Error(`the session cannot expire: ${expired.status}`);
    },
    close: async () => {
      provider.close();
      await twin.close();
    },
  };
});
