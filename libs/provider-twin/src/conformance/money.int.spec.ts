/**
 * Money over time, to the cent and to the second: proration, balances, renewals, pauses, and a year of many
 * subscriptions whose ledger adds up. The full proof has a thousand subscriptions, the lean one enough for each price
 * with and without a balance.
 */
import { proofSize } from '@platform/testing';
import type Stripe from 'stripe';
import { advance, daySeconds, monthlyPrice, openHarness, refusal, sdkFor, type Harness } from './harness';
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

describe('proration', () => {
  it('counts seconds: credit for the unused, charge for the remaining time', async () => {
    const { stripe } = harness;
    const { id, item } = await start(3100);
    await seconds(1_000_000);
    const dear = await monthlyPrice(stripe, 6200);
    await stripe.subscriptions.update(id, { items: [{ id: item, price: dear }], proration_behavior: 'always_invoice' });
    const { invoice } = await latest(id);
    const left = (31 * daySeconds - 1_000_000) / (31 * daySeconds);
    expect(invoice.lines.data.map((line) => line.amount)).toEqual([-Math.round(3100 * left), Math.round(6200 * left)]);
    expect(invoice).toMatchObject({
      status: 'paid',
      billing_reason: 'subscription_update',
      total: Math.round(6200 * left) - Math.round(3100 * left),
    });
    expect(invoice.lines.data.every((line) => line.parent?.subscription_item_details?.proration)).toBe(true);
    expect(await charged()).toBe(3100 + invoice.total);
  });

  it('waits for the next invoice by default, and is absent when switched off', async () => {
    const { stripe } = harness;
    const { id, item, customer } = await start(3100);
    await advance(harness, 10);
    const dear = await monthlyPrice(stripe, 6200);
    await stripe.subscriptions.update(id, { items: [{ id: item, price: dear }] });
    expect(await charged()).toBe(3100);
    expect(
      (await stripe.invoiceItems.list({ customer, pending: true })).data
        .map((each) => each.amount)
        .sort((a, b) => a - b),
    ).toEqual([-2100, 4200]);
    await advance(harness, 22);
    expect((await latest(id)).invoice).toMatchObject({
      total: 6200 + 2100,
      status: 'paid',
      billing_reason: 'subscription_cycle',
    });
    await stripe.subscriptions.update(id, {
      items: [{ id: item, price: await monthlyPrice(stripe, 9300) }],
      proration_behavior: 'none',
    });
    expect((await stripe.invoiceItems.list({ customer, pending: true })).data).toEqual([]);
    await advance(harness, 31);
    expect((await latest(id)).invoice).toMatchObject({ total: 9300 });
  });

  it('leaves the credit of a downgrade on the balance', async () => {
    const { stripe } = harness;
    const { id, item, customer } = await start(6200);
    await advance(harness, 15.5);
    await stripe.subscriptions.update(id, {
      items: [{ id: item, price: await monthlyPrice(stripe, 3100) }],
      proration_behavior: 'always_invoice',
    });
    expect((await latest(id)).invoice).toMatchObject({
      total: -1550,
      status: 'paid',
      amount_due: 0,
      ending_balance: -1550,
    });
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -1550 });
    await advance(harness, 16);
    expect((await latest(id)).invoice).toMatchObject({
      total: 3100,
      amount_paid: 1550,
      starting_balance: -1550,
      ending_balance: 0,
    });
  });

  it('starts a new cycle when the period changes or free becomes paid', async () => {
    const { stripe } = harness;
    const { id, item } = await start(3100);
    await advance(harness, 10);
    const yearly = await monthlyPrice(stripe, 31_000, 'year');
    const changed = await stripe.subscriptions.update(id, { items: [{ id: item, price: yearly }] });
    expect((await latest(id)).invoice).toMatchObject({ total: 31_000 - 2100, status: 'paid' });
    const period = changed.items.data[0];
    expect((period?.current_period_end ?? 0) - (period?.current_period_start ?? 0)).toBe(365 * daySeconds);
    const free = await start(0);
    await advance(harness, 5);
    const paid = await stripe.subscriptions.update(free.id, {
      items: [{ id: free.item, price: await monthlyPrice(stripe, 500) }],
    });
    expect(paid.billing_cycle_anchor).toBe(paid.items.data[0]?.current_period_start);
    expect((await latest(free.id)).invoice).toMatchObject({ total: 500, status: 'paid' });
  });

  it('refuses a change whose payment fails when told so, and keeps nothing of it', async () => {
    const { stripe } = harness;
    const { id, item, customer } = await start(3100);
    const failing = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer });
    await stripe.subscriptions.update(id, { default_payment_method: failing.id });
    const before = await stripe.subscriptions.retrieve(id);
    const dear = await monthlyPrice(stripe, 9300);
    const change: Stripe.SubscriptionUpdateParams = {
      items: [{ id: item, price: dear }],
      proration_behavior: 'always_invoice',
    };
    expect(
      await refusal(stripe.subscriptions.update(id, { ...change, payment_behavior: 'error_if_incomplete' })),
    ).toMatchObject({ statusCode: 402 });
    expect(await stripe.subscriptions.retrieve(id)).toEqual(before);
    expect(await stripe.subscriptions.update(id, change)).toMatchObject({
      status: 'past_due',
      items: { data: [{ price: { id: dear } }] },
    });
  });

  it('charges the share up to a later anchor', async () => {
    const anchor = 1_767_225_600 + 10 * daySeconds;
    const { id } = await start(3100, undefined, { billing_cycle_anchor: anchor });
    expect((await latest(id)).invoice).toMatchObject({ total: 1000, status: 'paid' });
    await advance(harness, 11);
    expect((await latest(id)).invoice).toMatchObject({ total: 3100, status: 'paid' });
  });
});

describe('renewals', () => {
  it('bill on the anchor day, also after short months', async () => {
    await harness.control('POST', '/_twin/reset', { startAt: '2027-01-31T10:00:00Z' });
    const { id, customer } = await start(1000);
    await advance(harness, 120);
    const periods = (await harness.stripe.invoices.list({ customer, limit: 100 })).data
      .map((each) => new Date((each.lines.data[0]?.period.start ?? 0) * 1000).toISOString())
      .reverse();
    expect(periods).toEqual(
      [
        '2027-01-31T10:00:00.000Z',
        '2027-02-28T10:00:00.000Z',
        '2027-03-31T10:00:00.000Z',
        '2027-04-30T10:00:00.000Z',
        '2027-05-31T10:00:00.000Z',
      ].slice(0, periods.length),
    );
    expect(periods).toHaveLength(5);
    expect((await latest(id)).subscription.status).toBe('active');
  });

  it('draft the invoice an hour before it is collected', async () => {
    const { id } = await start(1000);
    await seconds(31 * daySeconds + 3599);
    expect((await latest(id)).invoice).toMatchObject({ status: 'draft', total: 1000 });
    await seconds(1);
    expect((await latest(id)).invoice).toMatchObject({ status: 'paid' });
  });

  it('void, keep or write off the invoices of a paused collection, which resumes on its day', async () => {
    const { stripe } = harness;
    const outcomes: (string | null)[] = [];
    for (const behavior of ['void', 'keep_as_draft', 'mark_uncollectible'] as const) {
      const { id } = await start(1000);
      await stripe.subscriptions.update(id, { pause_collection: { behavior } });
      await advance(harness, 32);
      outcomes.push((await latest(id)).invoice.status);
    }
    expect(outcomes).toEqual(['void', 'draft', 'uncollectible']);
    const { id } = await start(1000);
    const { now } = await harness.control<{ now: number }>('GET', '/_twin/clock');
    await stripe.subscriptions.update(id, {
      pause_collection: { behavior: 'void', resumes_at: now + 20 * daySeconds },
    });
    await advance(harness, 21);
    expect((await latest(id)).subscription.pause_collection).toBeNull();
  });

  it('announce the end of a trial three days before and charge at its end', async () => {
    const { stripe } = harness;
    const { id } = await start(1000, undefined, { trial_period_days: 14 });
    expect((await latest(id)).invoice).toMatchObject({ total: 0, status: 'paid' });
    await advance(harness, 12);
    expect((await stripe.events.list({ type: 'customer.subscription.trial_will_end' })).data).toHaveLength(1);
    expect(await charged()).toBe(0);
    await advance(harness, 3);
    expect((await latest(id)).subscription).toMatchObject({ status: 'active' });
    expect(await charged()).toBe(1000);
  });

  it('end an incomplete subscription after 23 hours', async () => {
    const { stripe } = harness;
    const { id } = await start(1000, undefined, { payment_behavior: 'default_incomplete' });
    await seconds(23 * 3600 - 1);
    expect((await latest(id)).subscription.status).toBe('incomplete');
    await seconds(1);
    expect(await latest(id)).toMatchObject({
      subscription: { status: 'incomplete_expired' },
      invoice: { status: 'void' },
    });
    expect(await refusal(stripe.subscriptions.cancel(id))).toMatchObject({ statusCode: 404 });
  });
});

const subscribers = proofSize({ lean: 70, full: 1_000 });

describe(`a year of ${subscribers} monthly subscriptions`, () => {
  it('adds up to the cent in ledger, invoices and charges', async () => {
    const people = Array.from({ length: subscribers }, (_, n) => n);
    const cents = (n: number): number => 500 + (n % 7) * 333;
    await harness.control('POST', '/_twin/seed', {
      products: [{ id: 'plan', name: 'Plan' }],
      prices: Array.from({ length: 7 }, (_, n) => ({ id: `price_${n}`, product: 'plan', unitAmount: cents(n) })),
      customers: people.map((n) => ({
        id: `cus_${n}`,
        paymentMethod: 'pm_card_visa',
        balance: n % 10 === 0 ? -700 : 0,
      })),
      subscriptions: people.map((n) => ({ id: `sub_${n}`, customer: `cus_${n}`, price: `price_${n % 7}` })),
    });
    await advance(harness, 365);
    await seconds(7200);
    const expected = people.reduce((sum, n) => sum + 13 * cents(n) - (n % 10 === 0 ? 700 : 0), 0);
    expect(await charged()).toBe(expected);
    let [invoiced, charges, count] = [0, 0, 0];
    const reader = sdkFor(harness.url);
    for await (const invoice of reader.invoices.list({ limit: 100 })) {
      invoiced += invoice.amount_paid;
      count += 1;
      expect(invoice.status).toBe('paid');
    }
    for await (const charge of reader.charges.list({ limit: 100 })) charges += charge.amount_captured;
    expect({ invoiced, charges, count }).toEqual({ invoiced: expected, charges: expected, count: 13 * subscribers });
  });
});
