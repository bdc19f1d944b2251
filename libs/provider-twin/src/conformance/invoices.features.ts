// Invoices: every endpoint through the official SDK.
import { advance, customerWithCard, monthlyPrice, refusal, type Harness } from './harness';

export function invoicesFeatures(harness: () => Harness): void {
  describe('invoices', () => {
    it('are drafted by hand, finalised, paid, voided and marked', async () => {
      const { stripe } = harness();
      const { customer } = await customerWithCard(stripe);
      const item = await stripe.invoiceItems.create({ customer, amount: 1500, currency: 'usd', description: 'Work' });
      const draft = await stripe.invoices.create({
        customer,
        pending_invoice_items_behavior: 'include',
        metadata: { m: '1' },
      });
      expect(draft).toMatchObject({ status: 'draft', total: 1500, lines: { data: [{ amount: 1500 }] } });
      expect(await stripe.invoiceItems.retrieve(item.id)).toMatchObject({ invoice: draft.id });
      expect((await stripe.invoiceItems.list({ customer })).data).toHaveLength(1);
      const open = await stripe.invoices.finalizeInvoice(draft.id);
      expect(open).toMatchObject({ status: 'open', amount_due: 1500, number: expect.stringMatching(/-0001$/) });
      expect(await stripe.invoices.update(draft.id, { description: 'note' })).toMatchObject({ description: 'note' });
      expect(await stripe.invoices.pay(draft.id)).toMatchObject({
        status: 'paid',
        amount_paid: 1500,
        amount_remaining: 0,
      });
      expect(await refusal(stripe.invoices.pay(draft.id))).toMatchObject({ code: 'invoice_already_paid' });
      expect((await stripe.invoices.listLineItems(draft.id)).data).toHaveLength(1);
      const [payment] = (await stripe.invoicePayments.list({ invoice: draft.id, status: 'paid' })).data;
      expect(await stripe.invoicePayments.retrieve(String(payment?.id))).toMatchObject({
        amount_paid: 1500,
        status: 'paid',
      });
      await stripe.invoiceItems.create({ customer, amount: 700, currency: 'usd' });
      const second = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' });
      await stripe.invoices.finalizeInvoice(second.id);
      expect(await stripe.invoices.markUncollectible(second.id)).toMatchObject({ status: 'uncollectible' });
      expect(await stripe.invoices.voidInvoice(second.id)).toMatchObject({ status: 'void' });
      const spare = await stripe.invoices.create({ customer });
      expect(await stripe.invoices.del(spare.id)).toMatchObject({ deleted: true });
      expect((await stripe.invoices.list({ customer, status: 'paid' })).data).toHaveLength(1);
    });

    it('are previewed exactly as they come, and nothing remains of a preview', async () => {
      const { stripe } = harness();
      const { customer } = await customerWithCard(stripe);
      const [cheap, dear] = [await monthlyPrice(stripe, 3000), await monthlyPrice(stripe, 6000)];
      const first = await stripe.invoices.createPreview({
        customer,
        subscription_details: { items: [{ price: cheap }] },
      });
      expect(first).toMatchObject({ total: 3000, status: 'draft', amount_due: 3000 });
      const subscription = await stripe.subscriptions.create({ customer, items: [{ price: cheap }] });
      await advance(harness(), 7);
      const items = [{ id: subscription.items.data[0]?.id, price: dear }];
      const preview = await stripe.invoices.createPreview({
        subscription: subscription.id,
        subscription_details: { items, proration_behavior: 'always_invoice' },
      });
      const later = await stripe.invoices.createPreview({
        subscription: subscription.id,
        subscription_details: { items },
      });
      const plain = await stripe.invoices.createPreview({ subscription: subscription.id });
      expect(plain).toMatchObject({ total: 3000, lines: { data: [{ amount: 3000 }] } });
      expect(later.total).toBe(6000 + preview.total);
      expect((await stripe.invoices.list({ customer })).data).toHaveLength(1);
      const done = await stripe.subscriptions.update(subscription.id, {
        items,
        proration_behavior: 'always_invoice',
        expand: ['latest_invoice'],
      });
      const real = typeof done.latest_invoice === 'object' ? done.latest_invoice : null;
      expect(real?.lines.data.map((line) => [line.amount, line.description])).toEqual(
        preview.lines.data.map((line) => [line.amount, line.description]),
      );
      const { entries } = await harness().control<{ entries: { path: string }[] }>(
        'GET',
        '/_twin/ledger?endpoint=/v1/invoices/*',
      );
      expect(entries.filter((each) => each.path.includes('preview'))).toEqual([]);
      await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
      expect(await refusal(stripe.invoices.createPreview({ subscription: subscription.id }))).toMatchObject({
        code: 'invoice_upcoming_none',
        statusCode: 404,
      });
    });

    it('are sent', async () => {
      const { stripe } = harness();
      const { id: customer } = await stripe.customers.create({});
      await stripe.invoiceItems.create({ customer, amount: 700, currency: 'usd' });
      const draft = await stripe.invoices.create({
        customer,
        pending_invoice_items_behavior: 'include',
        collection_method: 'send_invoice',
        days_until_due: 14,
      });
      expect(await stripe.invoices.sendInvoice(draft.id)).toMatchObject({ status: 'open', amount_due: 700 });
      expect((await stripe.events.list({ type: 'invoice.sent', limit: 1 })).data).toHaveLength(1);
    });

    it('of nothing are paid at once', async () => {
      const { stripe } = harness();
      const customer = await stripe.customers.create({});
      const free = await stripe.subscriptions.create({
        customer: customer.id,
        items: [{ price: await monthlyPrice(stripe, 0) }],
        expand: ['latest_invoice'],
      });
      expect(free).toMatchObject({
        status: 'active',
        latest_invoice: { status: 'paid', total: 0, amount_paid: 0, attempted: true },
      });
    });

    it('take credit from the balance before the card', async () => {
      const { stripe } = harness();
      const { customer } = await customerWithCard(stripe);
      await stripe.customers.createBalanceTransaction(customer, { amount: -800, currency: 'usd' });
      const paid = await stripe.subscriptions.create({
        customer,
        items: [{ price: await monthlyPrice(stripe, 2000) }],
        expand: ['latest_invoice'],
      });
      expect(paid.latest_invoice).toMatchObject({
        total: 2000,
        starting_balance: -800,
        ending_balance: 0,
        amount_due: 1200,
        amount_paid: 1200,
      });
      expect((await stripe.customers.listBalanceTransactions(customer)).data[0]).toMatchObject({
        amount: 800,
        type: 'applied_to_invoice',
        ending_balance: 0,
      });
    });
  });
}
