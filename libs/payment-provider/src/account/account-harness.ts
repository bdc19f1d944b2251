/**
 * What the suite can do with an account of the provider, using only the provider's interface: it creates its own
 * objects under test clocks, names them by the run and removes them at the end. Cases that need a person on a page or a
 * broken network run only against the twin.
 */
import type { ContractTerms, ProviderHarness, Workspace } from '../payment-provider.harness';
import { createStripeProvider } from '../stripe/stripe-provider';
import { openAccountApi, type AccountAccess, type AccountApi } from './account-api';
import { testClocks, type AccountTime } from './account-clock';
import { receiveWebhooks, type WebhookPlace } from './account-webhooks';
import { accountLedger } from './account-ledger';

export interface AccountOptions extends AccountAccess {
  /** The name of this run's objects. */
  readonly run: string;
  /** Absent: test clocks. */
  readonly time?: (api: AccountApi) => AccountTime;
  /** The terms of a contract besides trial, quantity, card and metadata, where the interface can create them. */
  readonly redeems: boolean;
  /** Where events arrive; absent: no events are received. */
  readonly webhooks?: WebhookPlace;
}

interface Sub {
  readonly id: string;
  readonly customer: string;
  readonly items: { readonly data: readonly { readonly id: string; readonly quantity: number }[] };
  readonly [member: string]: unknown;
}

const dayS = 86_400;
const requestMs = 30_000;

interface Catalog {
  readonly product: string;
  readonly priceIds: { readonly starter: string; readonly pro: string };
}

async function sell(api: AccountApi, run: string): Promise<Catalog> {
  const metadata = { run };
  const product = await api.ask<{ id: string }>('POST', '/v1/products', { name: `Contract suite ${run}`, metadata });
  const price = async (amount: number): Promise<string> => {
    const recurring = { interval: 'month' };
    const params = { product: product.id, currency: 'usd', unit_amount: amount, recurring, metadata };
    return (await api.ask<{ id: string }>('POST', '/v1/prices', params)).id;
  };
  return { product: product.id, priceIds: { starter: await price(1_900), pro: await price(4_900) } };
}

interface Extras {
  readonly coupon: string;
  readonly rate: string;
}

async function redeemable(api: AccountApi, run: string): Promise<Extras> {
  const metadata = { run };
  const coupon = await api.ask<{ id: string }>('POST', '/v1/coupons', {
    percent_off: 10,
    duration: 'forever',
    metadata,
  });
  const rate = await api.ask<{ id: string }>('POST', '/v1/tax_rates', {
    ...{ display_name: 'VAT', percentage: 20, inclusive: false, metadata },
  });
  return { coupon: coupon.id, rate: rate.id };
}

/** Only the ids, whether the interface returns ids or objects. */
const idsOf = (list: unknown): readonly string[] =>
  (Array.isArray(list) ? list : []).map((each) => (typeof each === 'string' ? each : String((each as Sub).id)));

function termsOf(sold: Sub): ContractTerms {
  const { trial_end: trialEnd, discounts, default_tax_rates: rates, default_payment_method: card } = sold;
  const { operationId: _operation, step: _step, ...metadata } = sold['metadata'] as Record<string, string>;
  return {
    trialEnd: typeof trialEnd === 'number' ? trialEnd : null,
    quantity: sold.items.data[0]!.quantity,
    discounts: idsOf(discounts),
    taxRates: idsOf(rates),
    paymentMethodId: typeof card === 'string' ? card : null,
    anchor: Number(sold['billing_cycle_anchor']),
    metadata,
  };
}

/** Customers of the run, each with a clock and a card. */
function customersOf(api: AccountApi, time: AccountTime, run: string) {
  const clocks = new Map<string, string | undefined>();

  /** Makes a documented test card the default for payments. */
  async function payBy(customerId: string, card: string, subscriptionId?: string): Promise<string> {
    const { id } = await api.ask<{ id: string }>('POST', `/v1/payment_methods/${card}/attach`, {
      customer: customerId,
    });
    await api.ask('POST', `/v1/customers/${customerId}`, { invoice_settings: { default_payment_method: id } });
    if (subscriptionId !== undefined)
      await api.ask('POST', `/v1/subscriptions/${subscriptionId}`, { default_payment_method: id });
    return id;
  }

  return {
    payBy,
    async add(): Promise<{ readonly customerId: string; readonly card: string }> {
      const clock = await time.begin(`${run} ${clocks.size + 1}`);
      const { id } = await api.ask<{ id: string }>('POST', '/v1/customers', {
        ...{ name: 'Contract suite', metadata: { run } },
        ...(clock !== undefined && { test_clock: clock }),
      });
      clocks.set(id, clock);
      return { customerId: id, card: await payBy(id, 'pm_card_visa') };
    },
    ofInvoice: async (invoiceId: string): Promise<string> =>
      (await api.ask<{ customer: string }>('GET', `/v1/invoices/${invoiceId}`)).customer,
    passDays: (customerId: string, days: number) => time.advance(clocks.get(customerId), days * dayS),
  };
}

/** Subscriptions of the run, with and without terms. */
function subscriptionsOf(api: AccountApi, customers: ReturnType<typeof customersOf>, starter: string, run: string) {
  async function add(customerId: string, terms: object = {}): Promise<Workspace> {
    const params = { customer: customerId, metadata: { run }, items: [{ price: starter }], ...terms };
    const { id, items } = await api.ask<Sub>('POST', '/v1/subscriptions', params);
    return { customerId, subscriptionId: id, itemId: items.data[0]!.id };
  }
  const addWorkspace = async () => add((await customers.add()).customerId);
  return {
    addWorkspace,
    async addPaidBy(card: string): Promise<Workspace> {
      const workspace = await addWorkspace();
      await customers.payBy(workspace.customerId, card, workspace.subscriptionId);
      return workspace;
    },
    async addContract(extras: Extras | null): Promise<Workspace> {
      const { customerId, card } = await customers.add();
      return add(customerId, {
        ...{ trial_period_days: 10, default_payment_method: card, metadata: { run, contract: 'C-1' } },
        items: [{ price: starter, quantity: 3 }],
        ...(extras && { discounts: [{ coupon: extras.coupon }], default_tax_rates: [extras.rate] }),
      });
    },
  };
}

/** Products and prices cannot be deleted from an account; they are set to inactive. */
async function retire(api: AccountApi, { product, priceIds }: Catalog, extras: Extras | null): Promise<void> {
  await api.ask('POST', `/v1/products/${product}`, { active: false });
  for (const id of Object.values(priceIds)) await api.ask('POST', `/v1/prices/${id}`, { active: false });
  if (!extras) return;
  await api.ask('DELETE', `/v1/coupons/${extras.coupon}`);
  await api.ask('POST', `/v1/tax_rates/${extras.rate}`, { active: false });
}

/** Creates the run's products and prices at once. Throws with the provider's message. */
export async function openAccountHarness(
  options: AccountOptions,
): Promise<Omit<ProviderHarness, 'failNext' | 'completeCheckout' | 'answerBank'>> {
  const { run, secretKey, apiBase, redeems } = options;
  const api = openAccountApi(options);
  const time = options.time?.(api) ?? testClocks(api, () => Date.now());
  const provider = createStripeProvider({ secretKey, ...(apiBase !== undefined && { apiBase }), timeoutMs: requestMs });
  // A substitute has its own clock, and only the events of this run.
  const since = apiBase === undefined ? Math.floor(Date.now() / 1_000) - 60 : 0;
  const { watched, effects } = accountLedger(api, provider, since);
  const catalog = await sell(api, run);
  const extras = redeems ? await redeemable(api, run) : null;
  const receiver = options.webhooks && (await receiveWebhooks(api, options.webhooks));
  const customers = customersOf(api, time, run);
  const { addWorkspace, addPaidBy, addContract } = subscriptionsOf(api, customers, catalog.priceIds.starter, run);
  return {
    provider: watched,
    effects,
    priceIds: catalog.priceIds,
    addWorkspace,
    addDecliningWorkspace: () => addPaidBy('pm_card_chargeCustomerFail'),
    addAskingWorkspace: () => addPaidBy('pm_card_authenticationRequired'),
    // The card holder's confirmation cannot be simulated; a payment with another card ends the wait too.
    confirmPayment: async (invoiceId) => {
      const card = await customers.payBy(await customers.ofInvoice(invoiceId), 'pm_card_visa');
      await api.ask('POST', `/v1/invoices/${invoiceId}/pay`, { payment_method: card });
    },
    giveUpPayment: async (invoiceId) => customers.passDays(await customers.ofInvoice(invoiceId), 1),
    expireCheckout: async (id) => void (await api.ask('POST', `/v1/checkout/sessions/${id}/expire`)),
    contracts: {
      add: () => addContract(extras),
      terms: async (subscriptionId) => termsOf(await api.ask<Sub>('GET', `/v1/subscriptions/${subscriptionId}`)),
      passDays: ({ customerId }, days) => customers.passDays(customerId, days),
    },
    ...(receiver && { nextEvent: receiver.next }),
    close: async () => {
      await receiver?.close();
      await time.close();
      await retire(api, catalog, extras);
      provider.close();
    },
  };
}
