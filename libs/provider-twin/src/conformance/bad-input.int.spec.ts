// What is refused and how: the documented type, code, param and status for wrong parameters, and a clear answer instead
// of a crash for bodies that are no requests.
import { connect } from 'node:net';
import { customerWithCard, monthlyPrice, openHarness, refusal, type Harness } from './harness';
import { violations } from './validate';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ limits: { bodyBytes: 100_000 } });
});
afterAll(() => harness.close());
afterEach(async () => {
  expect(harness.complaints.splice(0)).toEqual([]);
  expect((await harness.stripe.customers.list({ limit: 1 })).object).toBe('list');
});

interface Refused {
  status: number;
  error: { type: string; code?: string; param?: string; message: string };
}

async function raw(
  method: string,
  path: string,
  body?: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Refused> {
  const response = await fetch(`${harness.url}${path}`, {
    method,
    headers: {
      authorization: 'Bearer sk_test_x',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const answer = (await response.json()) as { error: Refused['error'] };
  expect(violations(answer, response.status)).toEqual([]);
  return { status: response.status, error: answer.error };
}

describe('a parameter', () => {
  it.each([
    [
      'that nobody declared',
      '/v1/customers',
      'foo=1',
      { code: 'parameter_unknown', param: 'foo', message: 'Received unknown parameter: foo' },
    ],
    [
      'that nobody declared inside a hash',
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

describe('credentials and version', () => {
  it('are checked before anything else', async () => {
    expect(await raw('GET', '/v1/customers', undefined, { authorization: '' })).toMatchObject({
      status: 401,
      error: { type: 'invalid_request_error' },
    });
    const live = await raw('GET', '/v1/customers', undefined, { authorization: 'Bearer sk_live_secret123' });
    expect(live.status).toBe(401);
    expect(live.error.message).not.toContain('secret123');
    expect((await raw('POST', '/v1/nowhere', 'a=1', { authorization: '' })).status).toBe(401);
    expect(await raw('GET', '/v1/customers', undefined, { 'stripe-version': '2019-01-01' })).toMatchObject({
      status: 400,
    });
    expect(await raw('GET', '/v1/customers', undefined, { 'stripe-account': 'acct_other' })).toMatchObject({
      status: 403,
      error: { code: 'account_invalid' },
    });
    const basic = await fetch(`${harness.url}/v1/customers`, {
      headers: { authorization: `Basic ${Buffer.from('sk_test_x:').toString('base64')}` },
    });
    expect(basic.status).toBe(200);
    expect(basic.headers.get('request-id')).toMatch(/^req_/);
  });

  it('do not make an unknown url known', async () => {
    expect(await raw('GET', '/v1/nowhere')).toMatchObject({
      status: 404,
      error: { message: expect.stringContaining('Unrecognized request URL (GET: /v1/nowhere)') },
    });
    expect((await raw('DELETE', '/v1/invoices')).status).toBe(404);
  });
});

describe('a body that is no request', () => {
  it.each([
    ['with a broken escape', 'name=%E0%A4%A'],
    ['with escaped bytes that are no UTF-8', 'name=%ff%fe'],
    ['with contradicting keys', 'metadata=1&metadata[a]=1'],
    ['with an unbalanced bracket', 'metadata[a=1'],
    ['nested without end', `a${'[b]'.repeat(50)}=1`],
    ['of thousands of parameters', Array.from({ length: 2_001 }, (_, n) => `p${n}=1`).join('&')],
    ['with an endless parameter name', `${'n'.repeat(5_000)}=1`],
  ])('%s is refused', async (_what, body) => {
    expect(await raw('POST', '/v1/customers', body)).toMatchObject({
      status: 400,
      error: { type: 'invalid_request_error' },
    });
  });

  it('as JSON, as raw bytes or of another type is refused', async () => {
    expect((await raw('POST', '/v1/customers', '{"name":"x"}', { 'content-type': 'application/json' })).status).toBe(
      400,
    );
    expect((await raw('POST', '/v1/customers', new Uint8Array([110, 61, 255, 254]))).status).toBe(400);
    expect(
      (await raw('POST', '/v1/customers', 'name=x', { 'content-type': 'nonsense' })).status,
    ).toBeGreaterThanOrEqual(400);
  });

  it('of more than the limit is refused unread', async () => {
    expect(await raw('POST', '/v1/customers', `name=${'x'.repeat(200_000)}`)).toMatchObject({ status: 413 });
  });

  it('is refused by the control plane too', async () => {
    for (const body of ['', '{', '[]', '{"fault":"none"}', '{"fault":"hold","extra":1}']) {
      const response = await fetch(`${harness.url}/_twin/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
    }
  });
});

describe('a client', () => {
  let impatient: Harness;
  beforeAll(async () => {
    impatient = await openHarness({ limits: { requestMs: 400 } });
  });
  afterAll(() => impatient.close());

  const talk = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(impatient.url).port), '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => (answer += String(chunk)));
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  it('that never finishes is sent away, in its headers and in its body', async () => {
    expect(await talk('POST /v1/customers HTTP/1.1\r\nHost: x\r\nX-Slow: ')).toContain('408');
    expect(
      await talk(
        'POST /v1/customers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_test_x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 50\r\n\r\nname=',
      ),
    ).toContain('408');
  });

  it.each([
    ['that speaks no HTTP', '\u0016\u0003\u0001nonsense\r\n\r\n', 400],
    ['with endless headers', `GET /v1/customers HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    ['with an unreadable url', 'GET /v1/customers/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
  ])("%s gets an error of the provider's shape", async (_what, bytes, status) => {
    const answer = await talk(bytes);
    expect(answer).toContain(`HTTP/1.1 ${status}`);
    expect(violations(JSON.parse(answer.slice(answer.indexOf('{'))), status)).toEqual([]);
  });
});
