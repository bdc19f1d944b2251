/**
 * The bytes that are sent for each effect, compared with a recording: running operations repeat their calls with the
 * recorded keys and digests, so no byte may change. RECORD_SENT_CALLS=1 records a new effect's bytes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Effect, EffectOf, EffectStep } from './effects';
import type { CallDescription } from './port';
import { answers, startScriptedServer, type ScriptedServer } from './spec-support/scripted-server';
import type { StripeProvider } from './stripe/opened-provider';
import { createStripeProvider } from './stripe/stripe-provider';

interface SentCall {
  readonly description: CallDescription;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

const file = join(__dirname, 'sent-calls.json');
const oddText = 'Goodwill (Ärger!) & 100% [a=b] \ud800 😀\n';
const current = {
  startDate: new Date('2026-03-01T00:00:00.999Z'),
  endDate: new Date('2026-04-01T00:00:00.000Z'),
  priceId: 'price_starter',
  settings: { items: [{ price: 'price_starter', quantity: 1 }] },
};
/** Everything that a phase can contain, in the decoder's form. */
const furnished = {
  ...current,
  settings: {
    items: [
      {
        price: 'price_starter',
        quantity: 3,
        tax_rates: ['txr_item'],
        discounts: [{ discount: 'di_item' }],
        metadata: { seats: 'team' },
      },
    ],
    automatic_tax: { enabled: true },
    collection_method: 'send_invoice' as const,
    default_payment_method: 'pm_a',
    default_tax_rates: ['txr_a'],
    discounts: [{ discount: 'di_a' }],
    invoice_settings: { days_until_due: 14 },
    metadata: { contract: 'C-1' },
    trial_end: 1_775_001_600,
  },
};
const monthly = { interval: 'month', intervalCount: 1 } as const;
const session = {
  customerId: 'cus_a',
  priceId: 'price_pro',
  trialDays: 0,
  tenantId: 'acme',
  planId: 'pro',
  successUrl: 'https://app.test/done?session={CHECKOUT_SESSION_ID}&a=b',
  cancelUrl: 'https://app.test/back',
};
const change = { subscriptionId: 'sub_a', itemId: 'si_a', priceId: 'price_pro' };
const card = { customerId: 'cus_a', paymentMethodId: 'pm_a' };
const offer = { priceId: 'price_pro', trialDays: 0 };
const credit = { step: 'balance_credit', customerId: 'cus_a' } as const;

const samples: { readonly [Step in EffectStep]: readonly EffectOf<Step>[] } = {
  pause_collection: [{ step: 'pause_collection', subscriptionId: 'sub_a' }],
  resume_collection: [{ step: 'resume_collection', subscriptionId: 'sub_a' }],
  change_price: [
    { step: 'change_price', ...change },
    { step: 'change_price', ...change, quantity: 3 },
    { step: 'change_price', ...change, prorationDate: 1_775_001_600 },
  ],
  hold_price_change: [{ step: 'hold_price_change', ...change, quantity: 3 }],
  change_plan: [{ step: 'change_plan', tenantId: 'acme', ...change }],
  cancel_at_period_end: [{ step: 'cancel_at_period_end', subscriptionId: 'sub_a' }],
  keep_after_period: [{ step: 'keep_after_period', subscriptionId: 'sub_a' }],
  cancel_now: [{ step: 'cancel_now', subscriptionId: 'sub_a' }],
  create_schedule: [{ step: 'create_schedule', subscriptionId: 'sub_a' }],
  schedule_price: [
    { step: 'schedule_price', scheduleId: 'sub_sched_a', current, priceId: 'price_pro', ...monthly },
    {
      step: 'schedule_price',
      scheduleId: 'sub_sched_a',
      current: furnished,
      priceId: 'price_pro',
      interval: 'year',
      intervalCount: 2,
    },
  ],
  release_schedule: [{ step: 'release_schedule', scheduleId: 'sub_sched_a' }],
  balance_credit: [
    { ...credit, amountCents: 500, currency: 'usd', description: oddText },
    { ...credit, amountCents: -700, currency: 'eur', description: '' },
  ],
  create_customer: [{ step: 'create_customer', email: 'owner+a@example.com', name: oddText }],
  attach_payment_method: [{ step: 'attach_payment_method', ...card }],
  set_default_payment_method: [{ step: 'set_default_payment_method', ...card }],
  create_subscription: [
    { step: 'create_subscription', ...card, ...offer },
    { step: 'create_subscription', ...card, ...offer, trialDays: 14 },
  ],
  pay_invoice: [{ step: 'pay_invoice', invoiceId: 'in_a', creationId: 'workspace-created:acme' }],
  delete_customer: [{ step: 'delete_customer', customerId: 'cus_a' }],
  create_session: [
    { step: 'create_session', ...session },
    { step: 'create_session', ...session, trialDays: 30 },
  ],
  void_invoice: [{ step: 'void_invoice', invoiceId: 'in_a' }],
  expire_session: [{ step: 'expire_session', sessionId: 'cs_a' }],
};

const named = Object.values(samples).flatMap((each: readonly Effect[]) =>
  each.map(
    (effect, index) =>
      [[effect.step, `${effect.step}, another`][index] ?? `${effect.step}, ${index + 1}`, effect] as const,
  ),
);

describe('what is sent for an effect', () => {
  let server: ScriptedServer;
  let provider: StripeProvider;
  beforeAll(async () => {
    server = await startScriptedServer();
    server.script = answers.json(404, { error: { type: 'invalid_request_error' } });
    provider = createStripeProvider({ secretKey: 'sk_test_x', apiBase: server.url, timeoutMs: 60_000 });
  });
  afterAll(async () => {
    provider.close();
    await server.close();
  });

  async function send(effect: Effect): Promise<SentCall> {
    const call = provider.prepare(
      { operationId: effect.step === 'change_plan' ? 'migration-1' : 'op-12345678' },
      effect,
    );
    await call.send();
    const { method, path, body, headers } = server.requests.at(-1)!;
    const { description } = call;
    expect({ method, path }).toEqual({ method: description.method, path: description.path });
    const { host: _host, ...kept } = headers;
    return { description, body, headers: kept };
  }

  const recorded = (): Record<string, SentCall> => JSON.parse(readFileSync(file, 'utf8')) as Record<string, SentCall>;

  it.each(named)('%s: the same description, body and headers as recorded', async (name, effect) => {
    const sent = await send(effect);
    if (process.env['RECORD_SENT_CALLS'])
      writeFileSync(file, `${JSON.stringify({ ...recorded(), [name]: sent }, null, 2)}\n`);
    expect(sent).toEqual(recorded()[name]);
  });

  it('has a record of exactly the samples', () => {
    expect(Object.keys(recorded()).sort()).toEqual(named.map(([name]) => name).sort());
  });
});
