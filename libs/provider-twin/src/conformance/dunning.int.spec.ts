/**
 * Dunning: an invoice that cannot be collected is tried again on its days, and its subscription changes accordingly.
 */
import { advance, openHarness, type Harness } from './harness';
import { moneySteps } from './money-steps';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(async () => {
  expect(harness.complaints.splice(0)).toEqual([]);
  await harness.close();
});

const { seconds, charged, latest, start } = moneySteps(() => harness);

describe('dunning', () => {
  async function failing(finally_: string): Promise<{ id: string; customer: string }> {
    await harness.control('POST', '/_twin/seed', { dunning: { retryDays: [3, 5, 7], finally: finally_ } });
    const { id, customer } = await start(1000);
    const card = await harness.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer });
    await harness.stripe.subscriptions.update(id, { default_payment_method: card.id });
    return { id, customer };
  }

  it.each([
    ['cancel', 'canceled'],
    ['unpaid', 'unpaid'],
    ['past_due', 'past_due'],
  ])('that ends with %s retries on its days, then leaves the subscription %s', async (rule, status) => {
    const { id } = await failing(rule);
    await advance(harness, 31);
    await seconds(3600);
    expect(await latest(id)).toMatchObject({
      subscription: { status: 'past_due' },
      invoice: { status: 'open', attempt_count: 1 },
    });
    const attempts: number[] = [];
    for (const days of [3, 2, 2]) {
      await advance(harness, days);
      attempts.push((await latest(id)).invoice.attempt_count);
    }
    expect(attempts).toEqual([2, 3, 4]);
    expect(await latest(id)).toMatchObject({ subscription: { status }, invoice: { next_payment_attempt: null } });
  });

  it('counts an attempt for which there is no method, and so ends, too', async () => {
    const { stripe } = harness;
    const { id, customer } = await start(1000);
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: '' } });
    await stripe.subscriptions.update(id, { default_payment_method: '' });
    await harness.control('POST', '/_twin/seed', { dunning: { retryDays: [3, 5, 7], finally: 'past_due' } });
    await advance(harness, 31 + 8);
    expect(await latest(id)).toMatchObject({
      subscription: { status: 'past_due' },
      invoice: { status: 'open', attempt_count: 4, next_payment_attempt: null },
    });
  });

  it('of a sent invoice begins at its due date and ends when it is paid', async () => {
    const { stripe } = harness;
    const { id } = await start(1000, undefined, { collection_method: 'send_invoice', days_until_due: 5 });
    await seconds(3600);
    expect(await latest(id)).toMatchObject({
      subscription: { status: 'active' },
      invoice: { status: 'open', amount_due: 1000 },
    });
    await advance(harness, 5);
    const { subscription, invoice } = await latest(id);
    expect(subscription.status).toBe('past_due');
    expect((await stripe.events.list({ type: 'invoice.overdue' })).data).toHaveLength(1);
    await stripe.invoices.pay(String(invoice.id), { paid_out_of_band: true });
    expect((await latest(id)).subscription.status).toBe('active');
    expect(await charged()).toBe(0);
  });

  it('ends when the invoice is voided, and marks the customer as delinquent while it lasts', async () => {
    const { stripe } = harness;
    const { id, customer } = await failing('cancel');
    await advance(harness, 32);
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ delinquent: true });
    await stripe.invoices.voidInvoice(String((await latest(id)).invoice.id));
    expect((await latest(id)).subscription.status).toBe('active');
    const first = await start(1000, undefined, { payment_behavior: 'default_incomplete' });
    await stripe.invoices.voidInvoice(String((await latest(first.id)).invoice.id));
    expect((await latest(first.id)).subscription).toMatchObject({
      status: 'incomplete_expired',
      ended_at: expect.any(Number),
    });
  });

  it('ends when the invoice is paid', async () => {
    const { id } = await failing('cancel');
    await advance(harness, 32);
    const { invoice } = await latest(id);
    await harness.stripe.invoices.pay(String(invoice.id), { payment_method: 'pm_card_visa' });
    expect((await latest(id)).subscription.status).toBe('active');
    await advance(harness, 10);
    expect(await latest(id)).toMatchObject({ subscription: { status: 'active' }, invoice: { attempt_count: 2 } });
  });
});
