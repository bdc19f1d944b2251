/** Checkout sessions, events and webhook endpoints: every endpoint through the official SDK. */
import { advance, monthlyPrice, refusal, type Harness } from './harness';

export function checkoutFeatures(harness: () => Harness): void {
  describe('checkout sessions', () => {
    it('sell a subscription on a page of the twin', async () => {
      const { stripe } = harness();
      const customer = await stripe.customers.create({ email: 'buyer@example.com' });
      const session = await stripe.checkout.sessions.create({
        mode: 'subscription',
        customer: customer.id,
        line_items: [{ price: await monthlyPrice(stripe, 4900), quantity: 1 }],
        success_url: 'http://127.0.0.1:1/done?session={CHECKOUT_SESSION_ID}',
        cancel_url: 'http://127.0.0.1:1/back',
        metadata: { operationId: 'op-7' },
        subscription_data: { metadata: { operationId: 'op-7' } },
        client_reference_id: 'ref',
        expand: ['line_items'],
      });
      expect(session).toMatchObject({
        status: 'open',
        payment_status: 'unpaid',
        amount_total: 4900,
        line_items: { data: [{ amount_total: 4900 }] },
      });
      expect(await (await fetch(String(session.url))).text()).toContain('49.00 USD');
      const form = new URLSearchParams({ paymentMethod: 'pm_card_chargeDeclined' });
      expect((await fetch(String(session.url), { method: 'POST', body: form, redirect: 'manual' })).status).toBe(402);
      expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'open', subscription: null });
      const paid = await fetch(String(session.url), {
        method: 'POST',
        body: new URLSearchParams({ paymentMethod: 'pm_card_visa' }),
        redirect: 'manual',
      });
      expect(paid.headers.get('location')).toBe(`http://127.0.0.1:1/done?session=${session.id}`);
      const complete = await stripe.checkout.sessions.retrieve(session.id, {
        expand: ['subscription', 'invoice', 'customer'],
      });
      expect(complete).toMatchObject({
        status: 'complete',
        payment_status: 'paid',
        subscription: { status: 'active', metadata: { operationId: 'op-7' } },
        invoice: { status: 'paid' },
      });
      expect((await stripe.checkout.sessions.listLineItems(session.id)).data).toHaveLength(1);
      expect((await stripe.checkout.sessions.list({ customer: customer.id })).data).toHaveLength(1);
    });

    it.each([
      [true, 'paid', 'paid', 'async_payment_succeeded'],
      [false, 'unpaid', 'void', 'async_payment_failed'],
    ] as const)('wait for a bank that answers later (pays: %s)', async (accepted, paid, invoiced, told) => {
      const { stripe, control } = harness();
      const session = await stripe.checkout.sessions.create({
        mode: 'subscription',
        customer: (await stripe.customers.create({ email: 'bank@example.com' })).id,
        line_items: [{ price: await monthlyPrice(stripe, 4900), quantity: 1 }],
        success_url: 'http://127.0.0.1:1/done',
      });
      await control('POST', `/_twin/checkout/${session.id}`, { paymentMethod: 'pm_usBankAccount_success' });
      const read = () => stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription', 'invoice'] });
      const waiting = await read();
      expect(waiting).toMatchObject({
        status: 'complete',
        payment_status: 'unpaid',
        subscription: { status: 'active' },
      });
      const invoice = waiting.invoice as { readonly id: string; readonly status: string };
      expect(invoice.status).toBe('open');
      const method = String((waiting.subscription as { default_payment_method: string }).default_payment_method);
      expect(await stripe.paymentMethods.retrieve(method)).toMatchObject({ type: 'us_bank_account' });
      await advance(harness(), 5);
      expect((await read()).payment_status).toBe('unpaid');
      await control('POST', `/_twin/invoices/${invoice.id}`, { accepted });
      expect(await read()).toMatchObject({
        payment_status: paid,
        subscription: { status: 'active' },
        invoice: { status: invoiced },
      });
      const events = await stripe.events.list({ type: `checkout.session.${told}`, limit: 1 });
      expect(events.data[0]?.data.object).toMatchObject({ id: session.id });
    });

    it('sell once, save cards, and expire by hand or by time', async () => {
      const { stripe } = harness();
      const product = await stripe.products.create({ name: 'Once' });
      const once = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 1234 });
      const sale = await stripe.checkout.sessions.create({
        mode: 'payment',
        line_items: [{ price: once.id, quantity: 2 }],
        success_url: 'http://127.0.0.1:1/ok',
        payment_intent_data: { metadata: { o: '1' } },
      });
      await harness().control('POST', `/_twin/checkout/${sale.id}`, {
        paymentMethod: 'pm_card_visa',
        email: 'x@example.com',
      });
      expect(await stripe.checkout.sessions.retrieve(sale.id, { expand: ['payment_intent'] })).toMatchObject({
        status: 'complete',
        payment_intent: { amount: 2468, status: 'succeeded', metadata: { o: '1' } },
      });
      const setup = await stripe.checkout.sessions.create({
        mode: 'setup',
        currency: 'usd',
        success_url: 'http://127.0.0.1:1/ok',
      });
      await harness().control('POST', `/_twin/checkout/${setup.id}`, { paymentMethod: 'pm_card_visa' });
      expect(await stripe.checkout.sessions.retrieve(setup.id, { expand: ['setup_intent'] })).toMatchObject({
        status: 'complete',
        setup_intent: { status: 'succeeded' },
      });
      const first = await stripe.checkout.sessions.create({
        mode: 'payment',
        line_items: [{ price: once.id, quantity: 1 }],
        success_url: 'http://127.0.0.1:1/ok',
      });
      expect(await stripe.checkout.sessions.update(first.id, { metadata: { a: 'b' } })).toMatchObject({
        metadata: { a: 'b' },
      });
      expect(await stripe.checkout.sessions.expire(first.id)).toMatchObject({ status: 'expired', url: null });
      expect(await refusal(stripe.checkout.sessions.expire(first.id))).toMatchObject({ statusCode: 400 });
      const second = await stripe.checkout.sessions.create({
        mode: 'payment',
        line_items: [{ price: once.id, quantity: 1 }],
        success_url: 'http://127.0.0.1:1/ok',
      });
      await advance(harness(), 1);
      expect(await stripe.checkout.sessions.retrieve(second.id)).toMatchObject({ status: 'expired' });
    });
  });

  describe('events and webhook endpoints', () => {
    it('tell what happened, for thirty days', async () => {
      const { stripe } = harness();
      const customer = await stripe.customers.create({ name: 'Seen' }, { idempotencyKey: 'event-key' });
      const [event] = (await stripe.events.list({ type: 'customer.created', limit: 1 })).data;
      expect(event).toMatchObject({
        type: 'customer.created',
        request: { idempotency_key: 'event-key' },
        data: { object: { id: customer.id } },
      });
      await stripe.customers.update(customer.id, { name: 'Changed' });
      expect((await stripe.events.list({ types: ['customer.updated'], limit: 1 })).data[0]?.data).toMatchObject({
        previous_attributes: { name: 'Seen' },
      });
      expect(await stripe.events.retrieve(String(event?.id))).toMatchObject({ id: event?.id });
      expect((await stripe.events.list({ limit: 100 })).data).toHaveLength(100);
      await advance(harness(), 31);
      expect(await refusal(stripe.events.retrieve(String(event?.id)))).toMatchObject({ code: 'resource_missing' });
    });

    it('are registered, changed, listed and removed; the secret is shown once', async () => {
      const { stripe } = harness();
      const made = await stripe.webhookEndpoints.create({
        url: 'http://127.0.0.1:9/hook',
        enabled_events: ['invoice.paid'],
        description: 'd',
      });
      expect(made.secret).toMatch(/^whsec_/);
      expect((await stripe.webhookEndpoints.retrieve(made.id)).secret).toBeUndefined();
      expect(await stripe.webhookEndpoints.update(made.id, { disabled: true, enabled_events: ['*'] })).toMatchObject({
        status: 'disabled',
        enabled_events: ['*'],
      });
      expect((await stripe.webhookEndpoints.list()).data).toHaveLength(1);
      expect(await stripe.webhookEndpoints.del(made.id)).toMatchObject({ deleted: true });
      expect(await refusal(stripe.webhookEndpoints.create({ url: 'nowhere', enabled_events: ['*'] }))).toMatchObject({
        param: 'url',
      });
    });
  });
}
