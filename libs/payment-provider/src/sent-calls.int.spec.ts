/** What goes over the wire for each effect, against a record: a change of one byte would break keys that are under way. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentProvider, PreparedCall } from './port';
import { answers, startScriptedServer, type ScriptedServer } from './spec-support/scripted-server';
import { createStripeProvider, type StripeProvider } from './stripe/stripe-provider';

interface SentCall {
  readonly description: PreparedCall<unknown>['description'];
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

const file = join(__dirname, 'sent-calls.json');
const oddText = 'Goodwill (Ärger!) & 100% [a=b] \ud800 😀\n';
const current = {
  startDate: new Date('2026-03-01T00:00:00.999Z'),
  endDate: new Date('2026-04-01T00:00:00.000Z'),
  priceId: 'price_starter',
};
const session = {
  customerId: 'cus_a',
  priceId: 'price_pro',
  tenantId: 'acme',
  planId: 'pro',
  successUrl: 'https://app.test/done?session={CHECKOUT_SESSION_ID}&a=b',
  cancelUrl: 'https://app.test/back',
};
const operationId = 'op-12345678';
const intent = (step: string) => ({ operationId, step });

const samples: Readonly<Record<string, (provider: PaymentProvider) => PreparedCall<unknown>>> = {
  pause_collection: (provider) => provider.pauseCollection(intent('pause_collection'), 'sub_a'),
  resume_collection: (provider) => provider.resumeCollection(intent('resume_collection'), 'sub_a'),
  change_price: (provider) =>
    provider.changePrice(intent('change_price'), { subscriptionId: 'sub_a', itemId: 'si_a', priceId: 'price_pro' }),
  change_plan: (provider) =>
    provider.changePrice(
      { operationId: 'migration-1', step: 'change_plan', idempotencyKey: 'migration-1:acme:plan' },
      { subscriptionId: 'sub_a', itemId: 'si_a', priceId: 'price_pro' },
    ),
  cancel_at_period_end: (provider) => provider.cancelAtPeriodEnd(intent('cancel_at_period_end'), 'sub_a'),
  cancel_now: (provider) => provider.cancelNow(intent('cancel_now'), 'sub_a'),
  create_schedule: (provider) => provider.createSchedule(intent('create_schedule'), 'sub_a'),
  schedule_price: (provider) =>
    provider.schedulePrice(intent('schedule_price'), { scheduleId: 'sub_sched_a', current, priceId: 'price_pro' }),
  release_schedule: (provider) => provider.releaseSchedule(intent('release_schedule'), 'sub_sched_a'),
  balance_credit: (provider) =>
    provider.createBalanceTransaction(intent('balance_credit'), {
      customerId: 'cus_a',
      amount: -500,
      currency: 'usd',
      description: oddText,
    }),
  'balance_credit of a debit': (provider) =>
    provider.createBalanceTransaction(intent('balance_credit'), {
      customerId: 'cus_a',
      amount: 700,
      currency: 'eur',
      description: '',
    }),
  create_customer: (provider) =>
    provider.createCustomer(intent('create_customer'), { email: 'owner+a@example.com', name: oddText }),
  attach_payment_method: (provider) =>
    provider.attachPaymentMethod(intent('attach_payment_method'), { customerId: 'cus_a', paymentMethodId: 'pm_a' }),
  set_default_payment_method: (provider) =>
    provider.setDefaultPaymentMethod(intent('set_default_payment_method'), {
      customerId: 'cus_a',
      paymentMethodId: 'pm_a',
    }),
  create_subscription: (provider) =>
    provider.createSubscription(intent('create_subscription'), {
      customerId: 'cus_a',
      paymentMethodId: 'pm_a',
      priceId: 'price_pro',
      trialDays: 0,
    }),
  'create_subscription with a trial': (provider) =>
    provider.createSubscription(intent('create_subscription'), {
      customerId: 'cus_a',
      paymentMethodId: 'pm_a',
      priceId: 'price_pro',
      trialDays: 14,
    }),
  pay_invoice: (provider) =>
    provider.payInvoice({ ...intent('pay_invoice'), idempotencyKey: 'workspace-created:acme' }, 'in_a'),
  delete_customer: (provider) => provider.deleteCustomer(intent('delete_customer'), 'cus_a'),
  create_session: (provider) => provider.createCheckoutSession(intent('create_session'), { ...session, trialDays: 0 }),
  'create_session with a trial': (provider) =>
    provider.createCheckoutSession(intent('create_session'), { ...session, trialDays: 30 }),
};

describe('what is sent for an effect', () => {
  let server: ScriptedServer;
  let provider: StripeProvider;
  beforeAll(async () => {
    server = await startScriptedServer();
    server.script = answers.json(404, { error: { type: 'invalid_request_error' } });
    provider = createStripeProvider({ secretKey: 'sk_test_x', apiBase: server.url, timeoutMs: 5_000 });
  });
  afterAll(async () => {
    provider.close();
    await server.close();
  });

  async function send(prepare: (provider: PaymentProvider) => PreparedCall<unknown>): Promise<SentCall> {
    const call = prepare(provider);
    await call.send();
    const { method, path, body, headers } = server.requests.at(-1)!;
    const { description } = call;
    expect({ method, path }).toEqual({ method: description.method, path: description.path });
    const { host: _host, ...kept } = headers;
    return { description, body, headers: kept };
  }

  const recorded = (): Record<string, SentCall> => JSON.parse(readFileSync(file, 'utf8')) as Record<string, SentCall>;

  it.each(Object.entries(samples))('%s: the same description, body and headers as recorded', async (name, prepare) => {
    const sent = await send(prepare);
    if (process.env['RECORD_SENT_CALLS'])
      writeFileSync(file, `${JSON.stringify({ ...recorded(), [name]: sent }, null, 2)}\n`);
    expect(sent).toEqual(recorded()[name]);
  });

  it('has a record of exactly the samples', () => {
    expect(Object.keys(recorded())).toEqual(Object.keys(samples));
  });
});
