/** Subscriptions and their schedules: every endpoint through the official SDK. */
import { advance, customerWithCard, daySeconds, monthlyPrice, refusal, type Harness } from './harness';

export function subscriptionsFeatures(harness: () => Harness): void {
  describe('subscriptions', () => {
    it('start incomplete and become active when the first payment is confirmed', async () => {
      const { stripe } = harness();
      const { customer, method } = await customerWithCard(stripe);
      const price = await monthlyPrice(stripe, 1900);
      const subscription = await stripe.subscriptions.create({
        customer,
        items: [{ price }],
        payment_behavior: 'default_incomplete',
        payment_settings: { save_default_payment_method: 'on_subscription' },
        metadata: { operationId: 'op-1' },
        expand: ['latest_invoice.payments', 'latest_invoice.confirmation_secret'],
      });
      expect(subscription).toMatchObject({
        status: 'incomplete',
        metadata: { operationId: 'op-1' },
        latest_invoice: { status: 'open', amount_due: 1900, confirmation_secret: { type: 'payment_intent' } },
      });
      const invoice = subscription.latest_invoice;
      const intent = typeof invoice === 'object' ? invoice?.payments?.data[0]?.payment.payment_intent : undefined;
      const confirmed = await stripe.paymentIntents.confirm(String(intent), {
        payment_method: method,
        expand: ['latest_charge'],
      });
      expect(confirmed).toMatchObject({
        status: 'succeeded',
        amount_received: 1900,
        latest_charge: { status: 'succeeded' },
      });
      expect(
        await stripe.subscriptions.retrieve(subscription.id, { expand: ['customer', 'default_payment_method'] }),
      ).toMatchObject({ status: 'active', default_payment_method: { id: method } });
      expect((await stripe.subscriptions.list({ customer })).data).toHaveLength(1);
      expect((await stripe.subscriptions.list({ customer, status: 'canceled' })).data).toHaveLength(0);
      expect((await stripe.subscriptionItems.list({ subscription: subscription.id })).data).toHaveLength(1);
    });

    it('pause and resume collection, change metadata and end at the period', async () => {
      const { stripe } = harness();
      const { customer } = await customerWithCard(stripe);
      const { id } = await stripe.subscriptions.create({
        customer,
        items: [{ price: await monthlyPrice(stripe, 1000) }],
      });
      expect(await stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } })).toMatchObject({
        status: 'active',
        pause_collection: { behavior: 'void', resumes_at: null },
      });
      expect(await stripe.subscriptions.update(id, { pause_collection: '', metadata: { z: '1' } })).toMatchObject({
        pause_collection: null,
        metadata: { z: '1' },
      });
      const ending = await stripe.subscriptions.update(id, { cancel_at_period_end: true });
      expect(ending.cancel_at).toBe(ending.items.data[0]?.current_period_end);
      expect(await stripe.subscriptions.update(id, { cancel_at_period_end: false })).toMatchObject({
        cancel_at: null,
        cancel_at_period_end: false,
      });
      await stripe.subscriptions.update(id, { cancel_at_period_end: true });
      await advance(harness(), 32);
      expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled', ended_at: ending.cancel_at });
    });

    it('are cancelled at once, with a credit for unused time when asked', async () => {
      const { stripe } = harness();
      const { customer } = await customerWithCard(stripe);
      const { id } = await stripe.subscriptions.create({
        customer,
        items: [{ price: await monthlyPrice(stripe, 3100) }],
      });
      expect(
        await stripe.subscriptions.cancel(id, {
          prorate: true,
          invoice_now: true,
          cancellation_details: { comment: 'bye' },
        }),
      ).toMatchObject({ status: 'canceled', cancellation_details: { comment: 'bye' } });
      expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -3100 });
      expect(await refusal(stripe.subscriptions.cancel(id))).toMatchObject({
        code: 'resource_missing',
        statusCode: 404,
      });
      expect((await stripe.subscriptions.list({ customer })).data).toHaveLength(0);
      expect((await stripe.subscriptions.list({ customer, status: 'all' })).data).toHaveLength(1);
    });

    it('pause at the end of a trial without a card, and resume', async () => {
      const { stripe } = harness();
      const customer = await stripe.customers.create({});
      const { id } = await stripe.subscriptions.create({
        customer: customer.id,
        items: [{ price: await monthlyPrice(stripe, 800) }],
        trial_period_days: 7,
        trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
      });
      await advance(harness(), 8);
      expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'paused' });
      const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
      await stripe.subscriptions.update(id, { default_payment_method: method.id });
      expect(await stripe.subscriptions.resume(id)).toMatchObject({ status: 'active' });
      await advance(harness(), 1);
      expect(await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })).toMatchObject({
        latest_invoice: { status: 'paid', total: 800 },
      });
    });

    it('change item by item as they do as a whole', async () => {
      const { stripe } = harness();
      const { customer } = await customerWithCard(stripe);
      const [base, seat, dear] = [
        await monthlyPrice(stripe, 3000),
        await monthlyPrice(stripe, 600),
        await monthlyPrice(stripe, 1200),
      ];
      const { id } = await stripe.subscriptions.create({ customer, items: [{ price: base }] });
      const added = await stripe.subscriptionItems.create({
        subscription: id,
        price: seat,
        quantity: 2,
        metadata: { k: 'v' },
        proration_behavior: 'always_invoice',
      });
      expect(added).toMatchObject({ quantity: 2, metadata: { k: 'v' }, subscription: id });
      expect(await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })).toMatchObject({
        latest_invoice: { total: 1200, status: 'paid' },
      });
      expect(
        await stripe.subscriptionItems.update(added.id, { price: dear, quantity: 1, proration_behavior: 'none' }),
      ).toMatchObject({ quantity: 1, price: { id: dear } });
      expect(await stripe.subscriptionItems.retrieve(added.id, { expand: ['price.product'] })).toMatchObject({
        price: { product: { object: 'product' } },
      });
      expect(await stripe.subscriptionItems.del(added.id, { proration_behavior: 'none' })).toMatchObject({
        id: added.id,
        deleted: true,
      });
      expect((await stripe.subscriptionItems.list({ subscription: id })).data).toHaveLength(1);
      expect(await refusal(stripe.subscriptionItems.retrieve(added.id))).toMatchObject({ statusCode: 404 });
      expect(await refusal(stripe.subscriptionItems.create({ subscription: id, price: 'price_no' }))).toMatchObject({
        param: 'price',
        code: 'resource_missing',
      });
    });

    it('refuse search, whose index lags at the provider', async () => {
      expect((await refusal(harness().stripe.subscriptions.search({ query: "status:'active'" }))).message).toContain(
        'search',
      );
      expect((await refusal(harness().stripe.customers.search({ query: "email:'x'" }))).message).toContain('search');
      expect((await refusal(harness().stripe.invoices.search({ query: 'total>1' }))).message).toContain('search');
    });
  });

  describe('subscription schedules', () => {
    it('change the plan at the end of the period', async () => {
      const { stripe } = harness();
      const { customer } = await customerWithCard(stripe);
      const [cheap, dear] = [await monthlyPrice(stripe, 1000), await monthlyPrice(stripe, 2500)];
      const subscription = await stripe.subscriptions.create({ customer, items: [{ price: cheap }] });
      const schedule = await stripe.subscriptionSchedules.create({
        from_subscription: subscription.id,
        metadata: { operationId: 'op-9' },
      });
      const [phase] = schedule.phases;
      const updated = await stripe.subscriptionSchedules.update(schedule.id, {
        end_behavior: 'release',
        phases: [
          { items: [{ price: cheap, quantity: 1 }], start_date: phase?.start_date, end_date: phase?.end_date },
          {
            items: [{ price: dear, quantity: 1 }],
            proration_behavior: 'none',
            duration: { interval: 'month', interval_count: 1 },
          },
        ],
      });
      expect(updated).toMatchObject({
        status: 'active',
        subscription: subscription.id,
        phases: [{ end_date: phase?.end_date }, { start_date: phase?.end_date }],
      });
      expect(await stripe.subscriptions.retrieve(subscription.id, { expand: ['schedule'] })).toMatchObject({
        schedule: { id: schedule.id },
      });
      await advance(harness(), 32);
      const changed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
      expect(changed.items.data[0]?.price.id).toBe(dear);
      expect(changed.latest_invoice).toMatchObject({
        total: 2500,
        status: 'paid',
        billing_reason: 'subscription_cycle',
      });
      await advance(harness(), 31);
      expect(await stripe.subscriptionSchedules.retrieve(schedule.id)).toMatchObject({
        status: 'released',
        released_subscription: subscription.id,
        subscription: null,
      });
      expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ schedule: null, status: 'active' });
    });

    it('are created for a customer, released, cancelled and listed', async () => {
      const { stripe } = harness();
      const { customer } = await customerWithCard(stripe);
      const price = await monthlyPrice(stripe, 1000);
      const later = await stripe.subscriptionSchedules.create({
        customer,
        start_date: (await harness().control<{ now: number }>('GET', '/_twin/clock')).now + 5 * daySeconds,
        phases: [{ items: [{ price }] }],
        end_behavior: 'cancel',
      });
      expect(later).toMatchObject({ status: 'not_started', subscription: null });
      expect((await stripe.subscriptionSchedules.list({ customer, scheduled: true })).data).toHaveLength(1);
      await advance(harness(), 6);
      expect(await stripe.subscriptionSchedules.retrieve(later.id, { expand: ['subscription'] })).toMatchObject({
        status: 'active',
        subscription: { object: 'subscription' },
      });
      const own = await customerWithCard(stripe);
      const now = await stripe.subscriptionSchedules.create({
        customer: own.customer,
        start_date: 'now',
        phases: [{ items: [{ price }] }],
      });
      expect(await stripe.subscriptionSchedules.release(now.id)).toMatchObject({ status: 'released' });
      expect(await refusal(stripe.subscriptionSchedules.release(now.id))).toMatchObject({ statusCode: 400 });
      expect(await stripe.subscriptionSchedules.cancel(later.id)).toMatchObject({ status: 'canceled' });
    });
  });
}
