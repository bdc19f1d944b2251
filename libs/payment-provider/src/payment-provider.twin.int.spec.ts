/**
 * The whole suite on the twin, through the provider's interface; faults, pages and banks through the twin's control
 * plane.
 */
import { startProviderTwin } from '@platform/provider-twin';
import { openAccountHarness } from './account/account-harness';
import { twinTime } from './account/twin-time';
import type { ProviderFaultKind } from './fake/provider-faults';
import { paymentProviderFeatures } from './payment-provider.features';

const twinFaults: Partial<Record<ProviderFaultKind, object>> = {
  rate_limited: { fault: 'rate_limit' },
  server_error: { fault: 'status_500', effect: false },
  server_error_after_effect: { fault: 'status_500', effect: true },
  lost_answer_before_effect: { fault: 'lose_answer_before' },
  lost_answer_after_effect: { fault: 'lose_answer_after' },
};

paymentProviderFeatures(
  'the Stripe adapter on the provider twin',
  async () => {
    const twin = await startProviderTwin({ port: 0 });
    const control = async (path: string, body: object): Promise<void> => {
      const response = await fetch(`${twin.url}/_twin/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    };
    const account = await openAccountHarness({
      secretKey: 'sk_test_features',
      apiBase: twin.url,
      run: 'twin',
      time: () => twinTime(twin.url),
      redeems: false,
      webhooks: { port: 0 },
    });
    return {
      ...account,
      confirmPayment: (id) => control(`invoices/${id}`, { accepted: true }),
      failNext: (kind) =>
        control('faults', { match: { method: 'POST', path: '/v1/**' }, times: 1, ...twinFaults[kind] }),
      completeCheckout: (id, bank) =>
        control(`checkout/${id}`, { paymentMethod: bank ? 'pm_usBankAccount_success' : 'pm_card_visa' }),
      answerBank: (id, accepted) => control(`invoices/${id}`, { accepted }),
      close: async () => {
        await account.close();
        await twin.close();
      },
    };
  },
  { faults: true, pages: true, contracts: true, webhooks: true },
);
