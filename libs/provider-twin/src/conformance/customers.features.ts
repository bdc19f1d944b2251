/**
 * Customers, their balance and payment methods, and what is sold to them: every endpoint through the official SDK.
 */
import { customerWithCard, refusal, type Harness } from './harness';

export function customersFeatures(harness: () => Harness): void {
  describe('customers', () => {
    it('are created, read, changed, listed and deleted', async () => {
      const { stripe } = harness();
      const customer = await stripe.customers.create({
        email: 'grace@example.com',
        name: 'Grace',
        phone: '+1',
        description: 'first',
        metadata: { a: '1', b: '2' },
        address: { line1: 'Street 1', city: 'Berlin', country: 'DE' },
        shipping: { name: 'Grace', address: { line1: 'x' } },
        preferred_locales: ['de'],
      });
      expect(customer).toMatchObject({
        object: 'customer',
        email: 'grace@example.com',
        balance: 0,
        livemode: false,
        metadata: { a: '1', b: '2' },
      });
      const changed = await stripe.customers.update(customer.id, {
        metadata: { a: '', c: '3' },
        description: '',
        name: 'G',
      });
      expect(changed).toMatchObject({ metadata: { b: '2', c: '3' }, description: null, name: 'G' });
      expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ name: 'G' });
      expect((await stripe.customers.list({ email: 'grace@example.com' })).data.map((each) => each.id)).toEqual([
        customer.id,
      ]);
      expect(await stripe.customers.del(customer.id)).toMatchObject({ id: customer.id, deleted: true });
      expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
      expect(await refusal(stripe.customers.update(customer.id, { name: 'x' }))).toMatchObject({
        code: 'resource_missing',
        statusCode: 404,
      });
    });

    it('expand their subscriptions, sources and tax ids', async () => {
      const { customer } = await customerWithCard(harness().stripe);
      const expanded = await harness().stripe.customers.retrieve(customer, {
        expand: ['subscriptions', 'sources', 'tax_ids', 'invoice_settings.default_payment_method'],
      });
      expect(expanded).toMatchObject({
        subscriptions: { data: [] },
        invoice_settings: { default_payment_method: { object: 'payment_method' } },
      });
    });

    it('carry a balance that only transactions change', async () => {
      const { stripe } = harness();
      const customer = await stripe.customers.create({ balance: -100 });
      const credit = await stripe.customers.createBalanceTransaction(customer.id, {
        amount: -500,
        currency: 'usd',
        description: 'Goodwill',
        metadata: { operationId: 'op-12345678' },
      });
      expect(credit).toMatchObject({
        amount: -500,
        ending_balance: -600,
        type: 'adjustment',
        metadata: { operationId: 'op-12345678' },
      });
      expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: -600, currency: 'usd' });
      expect((await stripe.customers.listBalanceTransactions(customer.id)).data.map((each) => each.amount)).toEqual([
        -500, -100,
      ]);
      expect(await stripe.customers.retrieveBalanceTransaction(customer.id, credit.id)).toMatchObject({
        id: credit.id,
      });
      expect(
        await stripe.customers.updateBalanceTransaction(customer.id, credit.id, { description: 'changed' }),
      ).toMatchObject({ description: 'changed' });
      expect(
        await refusal(stripe.customers.createBalanceTransaction(customer.id, { amount: 1, currency: 'eur' })),
      ).toMatchObject({ param: 'currency' });
    });
  });

  describe('products and prices', () => {
    it('are created, read, changed and listed', async () => {
      const { stripe } = harness();
      const product = await stripe.products.create({
        id: 'prod_own',
        name: 'Own',
        default_price_data: { currency: 'usd', unit_amount: 500, recurring: { interval: 'month' } },
      });
      expect(product.default_price).toMatch(/^price_/);
      expect(await stripe.products.update('prod_own', { description: 'about', active: false })).toMatchObject({
        description: 'about',
        active: false,
      });
      expect((await stripe.products.list({ active: false })).data).toHaveLength(1);
      const price = await stripe.prices.create({
        product: 'prod_own',
        currency: 'usd',
        unit_amount: 700,
        recurring: { interval: 'year' },
        nickname: 'n',
        lookup_key: 'own-year',
      });
      expect(price).toMatchObject({
        type: 'recurring',
        unit_amount: 700,
        recurring: { interval: 'year', interval_count: 1 },
      });
      expect(String(price.unit_amount_decimal)).toBe('700');
      expect((await stripe.prices.list({ lookup_keys: ['own-year'], expand: ['data.product'] })).data[0]).toMatchObject(
        { product: { id: 'prod_own' } },
      );
      expect(await stripe.prices.update(price.id, { active: false, metadata: { x: 'y' } })).toMatchObject({
        active: false,
        metadata: { x: 'y' },
      });
      expect(await stripe.prices.retrieve(price.id)).toMatchObject({ nickname: 'n' });
      expect(await refusal(stripe.products.del('prod_own'))).toMatchObject({ statusCode: 400 });
      const spare = await stripe.products.create({ name: 'Spare' });
      expect(await stripe.products.del(spare.id)).toMatchObject({ deleted: true });
      expect(await stripe.products.retrieve('prod_own')).toMatchObject({ name: 'Own' });
    });
  });

  describe('payment methods', () => {
    it('are made, attached, changed, listed and detached', async () => {
      const { stripe } = harness();
      const customer = await stripe.customers.create({});
      const made = await stripe.paymentMethods.create({
        type: 'card',
        card: { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' },
        billing_details: { name: 'Ada', address: { line1: 'a' } },
      });
      expect(made).toMatchObject({
        customer: null,
        card: { last4: '4242', brand: 'visa', exp_year: 2030 },
        billing_details: { name: 'Ada' },
      });
      expect(await stripe.paymentMethods.attach(made.id, { customer: customer.id })).toMatchObject({
        customer: customer.id,
      });
      expect(await stripe.paymentMethods.update(made.id, { metadata: { k: 'v' } })).toMatchObject({
        metadata: { k: 'v' },
      });
      expect((await stripe.customers.listPaymentMethods(customer.id)).data).toHaveLength(1);
      expect((await stripe.paymentMethods.list({ customer: customer.id, type: 'card' })).data).toHaveLength(1);
      expect(await stripe.customers.retrievePaymentMethod(customer.id, made.id)).toMatchObject({ id: made.id });
      expect(await stripe.paymentMethods.detach(made.id)).toMatchObject({ customer: null });
      expect(await stripe.paymentMethods.retrieve(made.id)).toMatchObject({ customer: null });
    });

    it('have the same fingerprint for the same card', async () => {
      const { stripe } = harness();
      const cards = await Promise.all(
        ['pm_card_visa', 'pm_card_visa', 'pm_card_mastercard'].map((name) => stripe.paymentMethods.retrieve(name)),
      );
      expect(cards[0]?.card?.fingerprint).toBe(cards[1]?.card?.fingerprint);
      expect(cards[0]?.card?.fingerprint).not.toBe(cards[2]?.card?.fingerprint);
    });
  });
}
