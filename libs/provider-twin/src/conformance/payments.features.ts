/** Intents, refunds and credit notes: every endpoint through the official SDK. */
import { advance, customerWithCard, monthlyPrice, refusal, type Harness } from './harness';

export function paymentsFeatures(harness: () => Harness): void {
  describe('payment intents and charges', () => {
    it('are created, confirmed, cancelled and read', async () => {
      const { stripe } = harness();
      const { customer, method } = await customerWithCard(stripe);
      const intent = await stripe.paymentIntents.create({
        amount: 999,
        currency: 'usd',
        customer,
        payment_method: method,
        metadata: { k: 'v' },
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      });
      expect(intent).toMatchObject({
        status: 'requires_confirmation',
        client_secret: expect.stringContaining(`${intent.id}_secret_`),
      });
      expect(await stripe.paymentIntents.update(intent.id, { description: 'about' })).toMatchObject({
        description: 'about',
      });
      const done = await stripe.paymentIntents.confirm(intent.id);
      expect(done).toMatchObject({ status: 'succeeded', amount_received: 999 });
      expect(await stripe.paymentIntents.retrieve(intent.id, { expand: ['payment_method', 'customer'] })).toMatchObject(
        {
          payment_method: { id: method },
          customer: { id: customer },
        },
      );
      expect(await stripe.charges.retrieve(String(done.latest_charge), { expand: ['refunds'] })).toMatchObject({
        paid: true,
        amount: 999,
        refunds: { data: [] },
      });
      expect((await stripe.charges.list({ payment_intent: intent.id })).data).toHaveLength(1);
      const other = await stripe.paymentIntents.create({ amount: 999, currency: 'usd' });
      expect(await stripe.paymentIntents.cancel(other.id, { cancellation_reason: 'abandoned' })).toMatchObject({
        status: 'canceled',
      });
      expect(await refusal(stripe.paymentIntents.confirm(other.id, { payment_method: method }))).toMatchObject({
        code: 'payment_intent_unexpected_state',
      });
      expect((await stripe.paymentIntents.list({ customer })).data).toHaveLength(1);
    });
  });

  describe('setup intents', () => {
    it('save a card for a trial that began without one', async () => {
      const { stripe } = harness();
      const customer = await stripe.customers.create({});
      const trial = await stripe.subscriptions.create({
        customer: customer.id,
        items: [{ price: await monthlyPrice(stripe, 900) }],
        trial_period_days: 14,
        expand: ['pending_setup_intent'],
      });
      expect(trial).toMatchObject({ status: 'trialing', pending_setup_intent: { status: 'requires_payment_method' } });
      const pending = trial.pending_setup_intent;
      const id = typeof pending === 'object' ? String(pending?.id) : '';
      expect(await stripe.setupIntents.confirm(id, { payment_method: 'pm_card_visa' })).toMatchObject({
        status: 'succeeded',
      });
      const saved = await stripe.subscriptions.retrieve(trial.id);
      expect(saved).toMatchObject({
        pending_setup_intent: null,
        default_payment_method: expect.stringMatching(/^pm_/),
      });
      await advance(harness(), 15);
      expect(await stripe.subscriptions.retrieve(trial.id, { expand: ['latest_invoice'] })).toMatchObject({
        status: 'active',
        latest_invoice: { status: 'paid', total: 900 },
      });
    });

    it('are created, changed, cancelled, declined and listed', async () => {
      const { stripe } = harness();
      const customer = await stripe.customers.create({});
      const intent = await stripe.setupIntents.create({
        customer: customer.id,
        usage: 'off_session',
        metadata: { q: '1' },
      });
      expect(await stripe.setupIntents.update(intent.id, { description: 'd' })).toMatchObject({ description: 'd' });
      expect(
        await refusal(stripe.setupIntents.confirm(intent.id, { payment_method: 'pm_card_chargeDeclined' })),
      ).toMatchObject({ statusCode: 402, code: 'card_declined' });
      expect(await stripe.setupIntents.retrieve(intent.id)).toMatchObject({
        status: 'requires_payment_method',
        last_setup_error: { code: 'card_declined' },
      });
      expect(await stripe.setupIntents.cancel(intent.id)).toMatchObject({ status: 'canceled' });
      expect((await stripe.setupIntents.list({ customer: customer.id })).data).toHaveLength(1);
    });
  });

  describe('refunds and credit notes', () => {
    it('give back what was paid and never more', async () => {
      const { stripe } = harness();
      const { customer, method } = await customerWithCard(stripe);
      const intent = await stripe.paymentIntents.create({
        amount: 1000,
        currency: 'usd',
        customer,
        payment_method: method,
        confirm: true,
        off_session: true,
      });
      const part = await stripe.refunds.create({
        payment_intent: intent.id,
        amount: 400,
        reason: 'requested_by_customer',
      });
      expect(part).toMatchObject({ amount: 400, status: 'succeeded', charge: intent.latest_charge });
      expect(await refusal(stripe.refunds.create({ payment_intent: intent.id, amount: 601 }))).toMatchObject({
        param: 'amount',
      });
      await stripe.refunds.create({ charge: String(intent.latest_charge) });
      expect(await refusal(stripe.refunds.create({ charge: String(intent.latest_charge) }))).toMatchObject({
        code: 'charge_already_refunded',
      });
      expect(await stripe.refunds.update(part.id, { metadata: { r: '1' } })).toMatchObject({ metadata: { r: '1' } });
      expect(await stripe.refunds.retrieve(part.id, { expand: ['charge'] })).toMatchObject({
        charge: { refunded: true, amount_refunded: 1000 },
      });
      expect((await stripe.refunds.list({ payment_intent: intent.id })).data).toHaveLength(2);
    });

    it('correct open and paid invoices', async () => {
      const { stripe } = harness();
      const { customer } = await customerWithCard(stripe);
      const paid = await stripe.subscriptions.create({
        customer,
        items: [{ price: await monthlyPrice(stripe, 3000) }],
        expand: ['latest_invoice'],
      });
      const invoice = paid.latest_invoice;
      const id = typeof invoice === 'object' ? String(invoice?.id) : '';
      const line = typeof invoice === 'object' ? invoice?.lines.data[0]?.id : undefined;
      const note = await stripe.creditNotes.create({
        invoice: id,
        lines: [{ type: 'invoice_line_item', invoice_line_item: line, amount: 1000 }],
        credit_amount: 600,
        refund_amount: 400,
        memo: 'sorry',
      });
      expect(note).toMatchObject({
        amount: 1000,
        type: 'post_payment',
        customer_balance_transaction: expect.stringMatching(/^cbtxn_/),
        refunds: [{ amount_refunded: 400 }],
      });
      expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -600 });
      expect(
        await refusal(stripe.creditNotes.create({ invoice: id, amount: 2001, credit_amount: 2001 })),
      ).toMatchObject({ param: 'amount' });
      expect(await refusal(stripe.creditNotes.create({ invoice: id, amount: 100 }))).toMatchObject({ statusCode: 400 });
      await stripe.invoiceItems.create({ customer, amount: 5000, currency: 'usd' });
      const open = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' });
      await stripe.invoices.finalizeInvoice(open.id);
      expect(await stripe.creditNotes.preview({ invoice: open.id, amount: 400 })).toMatchObject({ amount: 400 });
      const before = await stripe.creditNotes.create({ invoice: open.id, amount: 400 });
      expect(await stripe.invoices.retrieve(open.id)).toMatchObject({
        amount_due: 4000,
        pre_payment_credit_notes_amount: 400,
      });
      expect(await stripe.creditNotes.voidCreditNote(before.id)).toMatchObject({ status: 'void' });
      expect(await stripe.invoices.pay(open.id)).toMatchObject({ amount_paid: 4400 });
      await stripe.invoiceItems.create({ customer, amount: 900, currency: 'usd' });
      const forgiven = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' });
      await stripe.invoices.finalizeInvoice(forgiven.id);
      await stripe.creditNotes.create({ invoice: forgiven.id, amount: 900 });
      const settled = await stripe.invoices.retrieve(forgiven.id, { expand: ['payments.data.payment.payment_intent'] });
      expect(settled).toMatchObject({
        status: 'paid',
        amount_paid: 0,
        payments: { data: [{ status: 'canceled', payment: { payment_intent: { status: 'canceled' } } }] },
      });
      expect(await stripe.creditNotes.update(note.id, { memo: 'changed' })).toMatchObject({ memo: 'changed' });
      expect(await stripe.creditNotes.retrieve(note.id)).toMatchObject({ id: note.id });
      expect((await stripe.creditNotes.listLineItems(note.id)).data).toHaveLength(1);
      expect((await stripe.creditNotes.list({ invoice: id })).data).toHaveLength(1);
    });
  });
}
