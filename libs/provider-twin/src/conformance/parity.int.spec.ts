/**
 * Deviations from the provider's documentation that were found and repaired; docs/twin-parity.md lists the remaining
 * ones.
 */
import { advance, customerWithCard, monthlyPrice, openHarness, refusal, type Harness } from './harness';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(async () => {
  expect(harness.complaints.splice(0)).toEqual([]);
  await harness.close();
});

describe('payment methods', () => {
  it('of another type than card are an empty list, and a type that does not exist is refused', async () => {
    const { stripe } = harness;
    const { customer } = await customerWithCard(stripe);
    expect((await stripe.paymentMethods.list({ customer, type: 'sepa_debit' })).data).toEqual([]);
    expect((await stripe.paymentMethods.list({ customer, type: 'card' })).data).toHaveLength(1);
    expect((await stripe.paymentMethods.list({ customer })).data).toHaveLength(1);
    expect(await refusal(stripe.paymentMethods.list({ customer, type: 'shells' as never }))).toMatchObject({
      statusCode: 400,
    });
  });

  it('cannot be attached again once they were detached, by hand or with their customer', async () => {
    const { stripe } = harness;
    const first = await customerWithCard(stripe);
    const second = await customerWithCard(stripe);
    await stripe.paymentMethods.detach(first.method);
    await stripe.customers.del(second.customer);
    const { id: customer } = await stripe.customers.create({});
    for (const method of [first.method, second.method])
      expect(await refusal(stripe.paymentMethods.attach(method, { customer }))).toMatchObject({
        statusCode: 400,
        rawType: 'invalid_request_error',
        message: expect.stringContaining('may not be used again') as string,
      });
  });
});

describe('the error of an intent that has ended', () => {
  it('carries the intent', async () => {
    const { stripe } = harness;
    const { customer, method } = await customerWithCard(stripe);
    const { id } = await stripe.paymentIntents.create({
      amount: 1_000,
      currency: 'usd',
      customer,
      payment_method: method,
      confirm: true,
    });
    expect(await refusal(stripe.paymentIntents.confirm(id))).toMatchObject({
      code: 'payment_intent_unexpected_state',
      payment_intent: { id, status: 'succeeded' },
    });
  });
});

describe('a trial', () => {
  async function trialing() {
    const { stripe } = harness;
    const { customer } = await customerWithCard(stripe);
    const price = await monthlyPrice(stripe, 1_900);
    return stripe.subscriptions.create({ customer, items: [{ price }], trial_period_days: 14 });
  }
  const latest = async (id: string) => {
    const { status, latest_invoice: invoice } = await harness.stripe.subscriptions.retrieve(id);
    return { status, invoice: (await harness.stripe.invoices.retrieve(String(invoice))).status };
  };

  it('that a request ends is invoiced and paid at once', async () => {
    const { id } = await trialing();
    await harness.stripe.subscriptions.update(id, { trial_end: 'now' });
    expect(await latest(id)).toEqual({ status: 'active', invoice: 'paid' });
  });

  it('that runs out leaves its invoice as a draft for an hour', async () => {
    const { id } = await trialing();
    await advance(harness, 14);
    expect(await latest(id)).toEqual({ status: 'active', invoice: 'draft' });
    await harness.control('POST', '/_twin/clock', { advanceSeconds: 3_600 });
    expect(await latest(id)).toEqual({ status: 'active', invoice: 'paid' });
  });
});

describe('the preview of a credit note', () => {
  it('is the note that would be issued, and issues none', async () => {
    const { stripe } = harness;
    const { customer } = await customerWithCard(stripe);
    const price = await monthlyPrice(stripe, 1_900);
    const { latest_invoice: invoice } = await stripe.subscriptions.create({ customer, items: [{ price }] });
    const wanted = { invoice: String(invoice), amount: 500, credit_amount: 500 };
    const preview = await stripe.creditNotes.preview(wanted);
    expect(preview).toMatchObject({ object: 'credit_note', amount: 500, invoice });
    expect((await stripe.creditNotes.list({ customer })).data).toEqual([]);
    expect(await stripe.creditNotes.create(wanted)).toMatchObject({ amount: preview.amount });
  });
});
