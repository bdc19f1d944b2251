/** What is refused and how: the documented type, code, param and status for wrong parameters, ids and states. */
import { customerWithCard, monthlyPrice, openHarness, refusal, type Harness } from './harness';
import { rawRequests } from './raw-requests';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());
afterEach(async () => {
  expect(harness.complaints.splice(0)).toEqual([]);
  expect((await harness.stripe.customers.list({ limit: 1 })).object).toBe('list');
});

const raw = rawRequests(() => harness);

describe('a parameter', () => {
  it.each([
    [
      'that is not declared',
      '/v1/customers',
      'foo=1',
      { code: 'parameter_unknown', param: 'foo', message: 'Received unknown parameter: foo' },
    ],
    [
      'that is not declared inside a hash',
      '/v1/customers',
      'address[planet]=x',
      { code: 'parameter_unknown', param: 'address[planet]' },
    ],
    [
      'that is missing',
      '/v1/subscriptions',
      'items[0][price]=p',
      { code: 'parameter_missing', param: 'customer', message: 'Missing required param: customer.' },
    ],
    ['that is missing inside a list', '/v1/subscriptions', 'customer=c&items[0][quantity]=2', { param: 'customer' }],
    [
      'that is no integer',
      '/v1/prices',
      'currency=usd&product=p&unit_amount=12.5',
      { code: 'parameter_invalid_integer', param: 'unit_amount', message: 'Invalid integer: 12.5' },
    ],
    [
      'that is too large for an integer',
      '/v1/prices',
      'currency=usd&product=p&unit_amount=99999999999999999',
      { code: 'parameter_invalid_integer', param: 'unit_amount' },
    ],
    [
      'that is no boolean',
      '/v1/products',
      'name=x&active=maybe',
      { param: 'active', message: 'Invalid boolean: maybe' },
    ],
    [
      'that is outside its list',
      '/v1/prices',
      'currency=usd&product=p&unit_amount=1&recurring[interval]=hour',
      { param: 'recurring[interval]' },
    ],
    ['that is a list where a hash belongs', '/v1/customers', 'address=x', { param: 'address' }],
    ['that is a hash where a list belongs', '/v1/customers', 'preferred_locales[a]=x', { param: 'preferred_locales' }],
    ['that is a hash where text belongs', '/v1/products', 'name[a]=x', { param: 'name' }],
    ['that is empty and cannot be unset', '/v1/products', 'name=', { code: 'parameter_invalid_empty', param: 'name' }],
    [
      'that names an unknown object',
      '/v1/prices',
      'currency=usd&product=prod_no&unit_amount=1',
      { code: 'resource_missing', param: 'product', message: "No such product: 'prod_no'" },
    ],
    ['that is no currency', '/v1/prices', 'currency=dollars&product=p&unit_amount=1', { param: 'currency' }],
    ['for tax, which is not offered', '/v1/customers', 'tax[ip_address]=1', { param: 'tax' }],
    ['that asks for what the twin would not do', '/v1/invoices/in_1/pay', 'forgive=true', { param: 'forgive' }],
    [
      'that asks for forced authentication',
      '/v1/subscriptions',
      'customer=c&items[0][price]=p&payment_settings[payment_method_options][card][request_three_d_secure]=any',
      { param: 'payment_settings[payment_method_options][card][request_three_d_secure]' },
    ],
    ['for a locale that the page has not', '/v1/checkout/sessions', 'mode=setup&locale=xx', { param: 'locale' }],
    ['with metadata of the wrong shape', '/v1/customers', 'metadata[a][b]=1', { param: 'metadata[a]' }],
    ['with a metadata key that is too long', '/v1/customers', `metadata[${'k'.repeat(41)}]=1`, { param: 'metadata' }],
    [
      'with a metadata value that is too long',
      '/v1/customers',
      `metadata[k]=${'v'.repeat(501)}`,
      { param: 'metadata[k]' },
    ],
    ['that cannot be expanded', '/v1/customers', 'expand[]=email', { param: 'expand' }],
  ])('%s is refused', async (_what, path, body, expected) => {
    expect(await raw('POST', path, body)).toMatchObject({
      status: 400,
      error: { type: 'invalid_request_error', ...expected },
    });
  });

  it('of a list is checked too', async () => {
    expect(await raw('GET', '/v1/customers?limit=101')).toMatchObject({ status: 400, error: { param: 'limit' } });
    expect(await raw('GET', '/v1/customers?starting_after=cus_no')).toMatchObject({
      status: 400,
      error: { param: 'starting_after', code: 'resource_missing' },
    });
    expect(await raw('GET', '/v1/customers?starting_after=a&ending_before=b')).toMatchObject({ status: 400 });
    expect(await raw('GET', '/v1/subscriptions?status=odd')).toMatchObject({ status: 400, error: { param: 'status' } });
  });
});

describe('an id in the path', () => {
  it.each([
    'customers',
    'subscriptions',
    'invoices',
    'prices',
    'products',
    'payment_intents',
    'setup_intents',
    'subscription_schedules',
    'credit_notes',
    'refunds',
    'events',
    'webhook_endpoints',
    'checkout/sessions',
    'charges',
  ])('of %s that names nothing is a 404', async (kind) => {
    expect(await raw('GET', `/v1/${kind}/nothing_here`)).toMatchObject({
      status: 404,
      error: { type: 'invalid_request_error', code: 'resource_missing', param: 'id' },
    });
  });

  it('never reaches the prototype of anything', async () => {
    for (const id of ['__proto__', 'constructor', 'toString', '%2e%2e', '%00'])
      expect((await raw('GET', `/v1/customers/${id}`)).status).toBe(404);
    expect(await raw('POST', '/v1/customers', '__proto__[a]=1')).toMatchObject({
      status: 400,
      error: { code: 'parameter_unknown' },
    });
    expect(await raw('POST', '/v1/customers', 'constructor=1')).toMatchObject({
      status: 400,
      error: { code: 'parameter_unknown' },
    });
    expect(({} as { a?: string }).a).toBeUndefined();
  });
});

describe('a request that the state does not allow', () => {
  it('is refused: mixed currencies, foreign cards, ended subscriptions, wrong states', async () => {
    const { stripe } = harness;
    const own = await customerWithCard(stripe);
    const other = await customerWithCard(stripe);
    const price = await monthlyPrice(stripe, 1000);
    const product = await stripe.products.create({ name: 'Euro' });
    const euro = await stripe.prices.create({
      product: product.id,
      currency: 'eur',
      unit_amount: 1000,
      recurring: { interval: 'month' },
    });
    const once = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 1000 });
    const create = (params: object) =>
      refusal(stripe.subscriptions.create({ customer: own.customer, items: [{ price }], ...params }));
    expect(await create({ items: [{ price }, { price: euro.id }] })).toMatchObject({ param: 'items[1][price]' });
    expect(await create({ items: [{ price: once.id }] })).toMatchObject({ param: 'items[0][price]' });
    expect(await create({ default_payment_method: other.method })).toMatchObject({
      param: 'default_payment_method',
      code: 'resource_missing',
    });
    expect(await create({ items: [] })).toMatchObject({ statusCode: 400 });
    expect(await create({ trial_end: 1 })).toMatchObject({ param: 'trial_end' });
    expect(await create({ collection_method: 'send_invoice' })).toMatchObject({
      param: 'days_until_due',
      code: 'parameter_missing',
    });
    const { id: poor } = await stripe.customers.create({});
    expect(await refusal(stripe.subscriptions.create({ customer: poor, items: [{ price }] }))).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
    });
    expect((await stripe.subscriptions.list({ customer: poor, status: 'all' })).data).toEqual([]);
    const running = await stripe.subscriptions.create({ customer: own.customer, items: [{ price }] });
    expect(
      await refusal(stripe.subscriptions.create({ customer: own.customer, items: [{ price: euro.id }] })),
    ).toMatchObject({ statusCode: 400 });
    expect(await refusal(stripe.subscriptions.update(running.id, { items: [{ id: 'si_no', price }] }))).toMatchObject({
      param: 'items[0][id]',
    });
    expect(
      await refusal(
        stripe.subscriptions.update(running.id, { items: [{ id: running.items.data[0]?.id, deleted: true }] }),
      ),
    ).toMatchObject({ param: 'items' });
    await stripe.subscriptions.cancel(running.id);
    expect(await refusal(stripe.subscriptions.update(running.id, { cancel_at_period_end: true }))).toMatchObject({
      statusCode: 404,
    });
    expect(await refusal(stripe.paymentMethods.attach(own.method, { customer: other.customer }))).toMatchObject({
      statusCode: 400,
    });
    expect(await refusal(stripe.paymentMethods.attach('pm_nothing', { customer: own.customer }))).toMatchObject({
      statusCode: 404,
    });
    expect(
      await refusal(
        stripe.paymentMethods.create({
          type: 'card',
          card: { number: '4242424242424241', exp_month: 1, exp_year: 2030 },
        }),
      ),
    ).toMatchObject({ statusCode: 402, code: 'incorrect_number' });
  });
});
