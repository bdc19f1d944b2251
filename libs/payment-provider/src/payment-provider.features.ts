/** The contract of every payment provider behind the port, real or fake; a fake that fails here is not a fake. */
import { balanceFeatures } from './balance.features';
import { checkoutFeatures } from './checkout.features';
import { contractFeatures } from './contract.features';
import { creationFeatures } from './creation.features';
import type { PaymentProvider, ProviderReads } from './port';
import type { Abilities, ProviderHarness } from './payment-provider.harness';
import { readFeatures } from './read.features';
import { evidenceFeatures } from './evidence.features';
import { faultFeatures, idempotencyFeatures } from './repeat.features';
import { scheduleFeatures } from './schedule.features';
import { webhookFeatures } from './webhook.features';
import { endingFeatures, subscriptionFeatures } from './subscription.features';

/** The abilities of a fake, whose subscriptions have no terms. */
const ordinary: Abilities = { faults: true, pages: true, contracts: false, webhooks: false };

const reads: { readonly [Name in keyof ProviderReads]: true } = {
  retrieveCustomer: true,
  retrieveSubscription: true,
  retrievePaymentMethod: true,
  retrieveSchedule: true,
  retrievePrice: true,
  retrieveInvoice: true,
  retrieveCheckoutSession: true,
  previewPriceChange: true,
  listBalanceTransactions: true,
  listSubscriptions: true,
  listSchedules: true,
  listPaymentMethods: true,
  listCheckoutSessions: true,
  listCustomers: true,
  listInvoices: true,
  listEvents: true,
  readClock: true,
};

/** The provider, with the names of its calls recorded. */
function remembering(provider: PaymentProvider, asked: Set<string>): PaymentProvider {
  return new Proxy(provider, {
    get(target, name, receiver) {
      if (typeof name === 'string') asked.add(name);
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}

/** The suite. `open` runs once; every test uses its own objects. Tests that a provider cannot support are left out. */
export function paymentProviderFeatures(
  name: string,
  open: () => Promise<ProviderHarness>,
  able: Abilities = ordinary,
): void {
  describe(name, () => {
    let harness: ProviderHarness;
    const asked = new Set<string>();
    beforeAll(async () => {
      const opened = await open();
      harness = { ...opened, provider: remembering(opened.provider, asked) };
    });
    afterAll(() => harness.close());
    subscriptionFeatures(() => harness);
    endingFeatures(() => harness);
    scheduleFeatures(() => harness);
    balanceFeatures(() => harness);
    idempotencyFeatures(() => harness);
    if (able.faults) faultFeatures(() => harness);
    readFeatures(() => harness);
    creationFeatures(() => harness);
    checkoutFeatures(() => harness, able);
    if (able.contracts) contractFeatures(() => harness);
    if (able.webhooks) webhookFeatures(() => harness);
    evidenceFeatures(() => harness);
    it('was asked by every read of the port', () => {
      expect(Object.keys(reads).filter((name) => !asked.has(name))).toEqual([]);
    });
  });
}
