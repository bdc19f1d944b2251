/**
 * Faults in transit: each fault as the SDK sees it, its effect on the ledger, and its row in the platform's outcome
 * taxonomy (contracts §6).
 */
import { createStripeProvider } from '@platform/payment-provider';
import { eventually } from '@platform/testing';
import { customerWithCard, monthlyPrice, openHarness, refusal, type Harness } from './harness';

interface Ledger {
  entries: { path: string; charged: number; status: number; metadata: Record<string, string> }[];
}

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const arm = (fault: string, more: object = {}): Promise<{ id: string }> =>
  harness.control('POST', '/_twin/faults', {
    match: { method: 'POST', path: '/v1/customers/*/balance_transactions' },
    fault,
    ...more,
  });
const ledger = async (operationId: string): Promise<Ledger['entries']> =>
  (await harness.control<Ledger>('GET', `/_twin/ledger?operationId=${operationId}`)).entries;

/** The limit is also that of the connection, so it is long where no fault waits for its end. */
async function credit(operationId: string, timeoutMs = 60_000) {
  const { id } = await harness.stripe.customers.create({});
  const provider = createStripeProvider({ secretKey: 'sk_test_taxonomy', apiBase: harness.url, timeoutMs });
  const attempt = () =>
    provider
      .prepare(
        { operationId },
        { step: 'balance_credit', customerId: id, amountCents: 500, currency: 'usd', description: 'x' },
      )
      .send();
  return { attempt, close: () => provider.close() };
}

describe('a fault', () => {
  it.each([
    ['lose_answer_before', 'unknown', 0],
    ['lose_answer_after', 'unknown', 1],
    ['cut_answer', 'unknown', 1],
    ['status_500', 'unknown', 0],
    ['rate_limit', 'failed', 0],
  ])('%s is classified %s and leaves %i effects', async (fault, outcome, effects) => {
    const call = await credit('op-fault-1');
    await arm(fault);
    expect(await call.attempt()).toMatchObject({ outcome });
    expect(await ledger('op-fault-1')).toHaveLength(effects);
    call.close();
  });

  it('refuse_connection is classified as not sent, and the port serves again', async () => {
    const call = await credit('op-fault-2');
    await harness.control('POST', '/_twin/faults', { fault: 'refuse_connection', durationMs: 1_500 });
    const refused = await call.attempt();
    expect(refused).toMatchObject({ outcome: 'failed', code: 'provider_unavailable' });
    await eventually(async () => (await fetch(`${harness.url}/_twin/clock`)).ok, { describe: 'the port open again' });
    expect(await ledger('op-fault-2')).toHaveLength(0);
    expect(await call.attempt()).toMatchObject({ outcome: 'succeeded' });
    call.close();
  });

  it('hold makes the caller time out, and the effect happens after release', async () => {
    const call = await credit('op-fault-3', 10_000);
    await arm('hold');
    expect(await call.attempt()).toMatchObject({ outcome: 'unknown' });
    expect(await ledger('op-fault-3')).toHaveLength(0);
    expect(await harness.control('POST', '/_twin/release')).toEqual({ released: 1 });
    await eventually(async () => (await ledger('op-fault-3')).length === 1, { describe: 'the effect' });
    expect((await call.attempt()).outcome).toBe('succeeded');
    expect(await ledger('op-fault-3')).toHaveLength(1);
    call.close();
  });

  it('strikes as often as told, only what it matches, and can be removed', async () => {
    await arm('rate_limit', { times: 2 });
    const { id } = await harness.stripe.customers.create({});
    const send = () => harness.stripe.customers.createBalanceTransaction(id, { amount: 1, currency: 'usd' });
    expect(await refusal(send())).toMatchObject({ statusCode: 429 });
    expect(await refusal(send())).toMatchObject({ statusCode: 429 });
    expect((await send()).amount).toBe(1);
    const { id: fault } = await arm('rate_limit', { times: null });
    for (let n = 0; n < 3; n += 1) expect(await refusal(send())).toMatchObject({ statusCode: 429 });
    expect(await harness.control('GET', '/_twin/faults')).toMatchObject({
      faults: [
        { remaining: 0, struck: 2 },
        { id: fault, remaining: null, struck: 3 },
      ],
    });
    expect(await harness.control('DELETE', `/_twin/faults/${fault}`)).toEqual({ removed: 1 });
    expect((await send()).amount).toBe(1);
  });

  it('is written into the request log with what became of the request', async () => {
    await arm('lose_answer_after');
    const { id } = await harness.stripe.customers.create({});
    await refusal(harness.stripe.customers.createBalanceTransaction(id, { amount: 1, currency: 'usd' }));
    const { requests } = await harness.control<{ requests: object[] }>('GET', '/_twin/requests');
    expect(requests.at(-1)).toMatchObject({
      outcome: 'executed',
      fault: 'lose_answer_after',
      answered: false,
      status: 200,
    });
  });
});

describe('a declined card', () => {
  it.each([
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_chargeDeclinedLostCard', 'card_declined', 'lost_card'],
    ['pm_card_chargeDeclinedStolenCard', 'card_declined', 'stolen_card'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc'],
    ['pm_card_chargeDeclinedProcessingError', 'processing_error', 'processing_error'],
  ])('%s is refused with %s, %s, and the attempt is kept', async (card, code, declineCode) => {
    const { stripe } = harness;
    const intent = await stripe.paymentIntents.create({ amount: 700, currency: 'usd' });
    const error = await refusal(stripe.paymentIntents.confirm(intent.id, { payment_method: card }));
    expect(error).toMatchObject({ statusCode: 402, type: 'StripeCardError', code, decline_code: declineCode });
    expect(error.payment_intent).toMatchObject({ id: intent.id, status: 'requires_payment_method' });
    expect(await stripe.charges.retrieve(String(error.charge))).toMatchObject({
      status: 'failed',
      paid: false,
      failure_code: code,
    });
    expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
      last_payment_error: { code, decline_code: declineCode },
    });
    expect(harness.complaints).toEqual([]);
  });

  it('that fails only when charged can be attached, and leaves the invoice open', async () => {
    const { stripe } = harness;
    const { customer } = await customerWithCard(stripe, 'pm_card_chargeCustomerFail');
    const subscription = await stripe.subscriptions.create({
      customer,
      items: [{ price: await monthlyPrice(stripe, 900) }],
      expand: ['latest_invoice'],
    });
    expect(subscription).toMatchObject({
      status: 'incomplete',
      latest_invoice: { status: 'open', attempt_count: 1, amount_remaining: 900 },
    });
    const invoice = typeof subscription.latest_invoice === 'object' ? String(subscription.latest_invoice?.id) : '';
    expect(await refusal(stripe.invoices.pay(invoice))).toMatchObject({ statusCode: 402, code: 'card_declined' });
    expect(await stripe.invoices.pay(invoice, { payment_method: 'pm_card_visa' })).toMatchObject({ status: 'paid' });
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'active' });
    const strict = stripe.subscriptions.create({
      customer,
      items: [{ price: await monthlyPrice(stripe, 901) }],
      payment_behavior: 'error_if_incomplete',
    });
    expect(await refusal(strict)).toMatchObject({ statusCode: 402 });
    expect((await stripe.subscriptions.list({ customer })).data).toHaveLength(1);
    expect(harness.complaints).toEqual([]);
  });
});

describe('a card that asks for its holder', () => {
  it('waits for the authentication, which succeeds or fails on a page', async () => {
    const { stripe } = harness;
    const pay = () =>
      stripe.paymentIntents.create({
        amount: 800,
        currency: 'usd',
        payment_method: 'pm_card_threeDSecure2Required',
        confirm: true,
        return_url: 'http://127.0.0.1:1/back',
      });
    const accepted = await pay();
    expect(accepted).toMatchObject({ status: 'requires_action', next_action: { type: 'redirect_to_url' } });
    const back = await fetch(String(accepted.next_action?.redirect_to_url?.url), {
      method: 'POST',
      body: new URLSearchParams({ accepted: 'true' }),
      redirect: 'manual',
    });
    expect(back.headers.get('location')).toBe('http://127.0.0.1:1/back');
    expect(await stripe.paymentIntents.retrieve(accepted.id)).toMatchObject({ status: 'succeeded' });
    const failed = await pay();
    await harness.control('POST', `/_twin/authenticate/${failed.id}`, { accepted: 'false' });
    expect(await stripe.paymentIntents.retrieve(failed.id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'payment_intent_authentication_failure' },
    });
    expect(harness.complaints).toEqual([]);
  });

  it('declines when the holder is absent, unless the card was set up for that', async () => {
    const { stripe } = harness;
    const absent = { amount: 800, currency: 'usd', confirm: true, off_session: true };
    expect(
      await refusal(
        stripe.paymentIntents.create({
          ...absent,
          payment_method: 'pm_card_authenticationRequired',
        }),
      ),
    ).toMatchObject({ statusCode: 402, code: 'authentication_required' });
    const { id: customer } = await stripe.customers.create({});
    const setup = await stripe.setupIntents.create({
      customer,
      payment_method: 'pm_card_authenticationRequiredOnSetup',
      confirm: true,
    });
    expect(setup).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' } });
    await harness.control('POST', `/_twin/authenticate/${setup.id}`, {});
    expect(await stripe.setupIntents.retrieve(setup.id)).toMatchObject({ status: 'succeeded' });
    expect(
      await stripe.paymentIntents.create({
        ...absent,
        customer,
        payment_method: String(setup.payment_method),
      }),
    ).toMatchObject({ status: 'succeeded' });
    expect(harness.complaints).toEqual([]);
  });

  it('leaves a subscription incomplete until the invoice is authenticated', async () => {
    const { stripe } = harness;
    const { customer } = await customerWithCard(stripe, 'pm_card_authenticationRequired');
    const subscription = await stripe.subscriptions.create({
      customer,
      items: [{ price: await monthlyPrice(stripe, 900) }],
      expand: ['latest_invoice.payments'],
    });
    expect(subscription.status).toBe('incomplete');
    const invoice = typeof subscription.latest_invoice === 'object' ? subscription.latest_invoice : null;
    expect(await refusal(stripe.invoices.pay(String(invoice?.id)))).toMatchObject({
      statusCode: 402,
      code: 'invoice_payment_intent_requires_action',
    });
    await harness.control(
      'POST',
      `/_twin/authenticate/${String(invoice?.payments?.data[0]?.payment.payment_intent)}`,
      {},
    );
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'active' });
    expect(harness.complaints).toEqual([]);
  });
});
