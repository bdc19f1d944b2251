/** Changes that wait for the payment of their invoice: how they begin, are applied and are dropped. */
import { advance, customerWithCard, monthlyPrice, openHarness, refusal, type Harness } from './harness';

let harness: Harness;
let [starter, pro]: string[] = [];
beforeEach(async () => {
  harness = await openHarness();
  [starter, pro] = [await monthlyPrice(harness.stripe, 1900), await monthlyPrice(harness.stripe, 4900)];
});
afterEach(async () => {
  expect(harness.complaints.splice(0)).toEqual([]);
  await harness.close();
});

async function confirm(invoice: string, accepted = true): Promise<void> {
  await harness.control('POST', `/_twin/invoices/${invoice}`, { accepted });
}

/** A subscription on `starter` whose holder confirmed its first payment, and an upgrade that waits for the next one. */
async function held() {
  const { stripe } = harness;
  const { customer } = await customerWithCard(stripe, 'pm_card_authenticationRequired');
  const begun = await stripe.subscriptions.create({
    customer,
    items: [{ price: starter! }],
    payment_behavior: 'default_incomplete',
  });
  const first = String(begun.latest_invoice);
  expect(await refusal(stripe.invoices.pay(first))).toMatchObject({
    statusCode: 402,
    code: 'invoice_payment_intent_requires_action',
  });
  await confirm(first);
  const item = begun.items.data[0]!.id;
  const updated = await stripe.subscriptions.update(begun.id, {
    items: [{ id: item, price: pro! }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
  });
  return { id: begun.id, item, updated, invoice: String(updated.latest_invoice) };
}

const priceOf = async (id: string) => (await harness.stripe.subscriptions.retrieve(id)).items.data[0]!.price.id;
const told = async (type: string) => (await harness.stripe.events.list({ type })).data.length;

describe('a pending update', () => {
  it('leaves the subscription as it is, with an open invoice that says where to pay', async () => {
    const { id, updated, invoice } = await held();
    expect(updated).toMatchObject({
      status: 'active',
      pending_update: { subscription_items: [{ price: { id: pro } }] },
      items: { data: [{ price: { id: starter } }] },
    });
    expect(await harness.stripe.invoices.retrieve(invoice)).toMatchObject({
      status: 'open',
      hosted_invoice_url: `${harness.url}/_twin/invoices/${invoice}`,
    });
    expect(await priceOf(id)).toBe(starter);
  });

  it('is applied when its invoice is paid, once, and announced', async () => {
    const { id, invoice } = await held();
    await confirm(invoice);
    expect(await harness.stripe.subscriptions.retrieve(id)).toMatchObject({ pending_update: null, status: 'active' });
    expect(await priceOf(id)).toBe(pro);
    expect(await told('customer.subscription.pending_update_applied')).toBe(1);
  });

  it('stays when the holder refuses, and is dropped with its invoice after 23 hours', async () => {
    const { id, invoice } = await held();
    await confirm(invoice, false);
    expect((await harness.stripe.subscriptions.retrieve(id)).pending_update).not.toBeNull();
    await advance(harness, 1);
    expect((await harness.stripe.subscriptions.retrieve(id)).pending_update).toBeNull();
    expect((await harness.stripe.invoices.retrieve(invoice)).status).toBe('void');
    expect(await priceOf(id)).toBe(starter);
    expect(await told('customer.subscription.pending_update_expired')).toBe(1);
  });

  it('is dropped after 23 hours also when a person has written its invoice off', async () => {
    const { id, invoice } = await held();
    await harness.stripe.invoices.markUncollectible(invoice);
    await advance(harness, 1);
    expect((await harness.stripe.subscriptions.retrieve(id)).pending_update).toBeNull();
    expect((await harness.stripe.invoices.retrieve(invoice)).status).toBe('void');
    expect(await priceOf(id)).toBe(starter);
  });

  it('is given up by another change, and by the end of the subscription', async () => {
    const { id, item, invoice } = await held();
    await harness.stripe.subscriptions.update(id, { items: [{ id: item, quantity: 2 }], proration_behavior: 'none' });
    expect((await harness.stripe.invoices.retrieve(invoice)).status).toBe('void');
    const again = await held();
    await harness.stripe.subscriptions.cancel(again.id);
    expect((await harness.stripe.invoices.retrieve(again.invoice)).status).toBe('void');
  });

  it('takes nothing but the change', async () => {
    const { id, item } = await held();
    const refused = await refusal(
      harness.stripe.subscriptions.update(id, {
        items: [{ id: item, price: pro! }],
        payment_behavior: 'pending_if_incomplete',
        metadata: { operationId: 'op-1' },
      }),
    );
    expect(refused).toMatchObject({ statusCode: 400, param: 'metadata' });
  });

  it('is not made where the change can be paid', async () => {
    const { stripe } = harness;
    const { customer } = await customerWithCard(stripe);
    const { id, items } = await stripe.subscriptions.create({ customer, items: [{ price: starter! }] });
    const updated = await stripe.subscriptions.update(id, {
      items: [{ id: items.data[0]!.id, price: pro! }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
    });
    expect(updated).toMatchObject({ pending_update: null, items: { data: [{ price: { id: pro } }] } });
  });
});
