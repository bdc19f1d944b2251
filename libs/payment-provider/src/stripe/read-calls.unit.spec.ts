import type { PaymentProvider } from '../port';
import { answers } from '../spec-support/scripted-server';
import { refusal, setStage, transaction } from '../spec-support/scripted-stage';

const stage = setStage();

const created = 1_772_366_400;
const createdSince = '2026-03-01T12:00:00.000Z';
const customer = { id: 'cus_a', balance: 0, created };
const subscription = {
  id: 'sub_a',
  customer: 'cus_a',
  status: 'active',
  cancel_at_period_end: false,
  items: { data: [{ id: 'si_a', price: { id: 'price_pro' } }] },
};
const schedule = { id: 'sub_sched_a', status: 'active', phases: [] };
const session = { id: 'cs_a', status: 'open', payment_status: 'unpaid', expires_at: created };
const invoice = { id: 'in_a', customer: 'cus_a', status: 'open', total: 1_900, currency: 'usd', created };
const recurring = { interval: 'month', interval_count: 1 };
const price = { id: 'price_pro', currency: 'usd', active: true, recurring };
const event = { id: 'evt_a', type: 'customer.updated', created, data: { object: { object: 'customer' } } };

describe('one object', () => {
  it.each<[keyof PaymentProvider, object, string]>([
    ['retrieveCustomer', customer, '/v1/customers/cus_a'],
    ['retrieveSubscription', subscription, '/v1/subscriptions/sub_a'],
    ['retrievePaymentMethod', { id: 'pm_a' }, '/v1/payment_methods/pm_a'],
    ['retrieveSchedule', schedule, '/v1/subscription_schedules/sub_sched_a'],
    ['retrievePrice', price, '/v1/prices/price_pro'],
    ['retrieveInvoice', invoice, '/v1/invoices/in_a'],
    ['retrieveCheckoutSession', session, '/v1/checkout/sessions/cs_a?expand[0]=subscription'],
  ])('%s reads by its id', async (name, answer, path) => {
    const { id } = answer as { readonly id: string };
    stage.server.script = answers.json(200, answer);
    const read = stage.provider[name] as (objectId: string) => Promise<unknown>;
    expect(await read(id)).toMatchObject({ outcome: 'succeeded', value: { id } });
    expect(stage.server.requests).toMatchObject([{ method: 'GET', path, body: '' }]);
  });

  it('is read with the key of the account, and without the key of a call', async () => {
    stage.server.script = answers.json(200, customer);
    await stage.provider.retrieveCustomer('cus_a');
    const { headers } = stage.server.requests[0]!;
    expect(headers.authorization).toMatch(/^Bearer sk_test_/);
    expect(headers['idempotency-key']).toBeUndefined();
  });
});

describe('the preview of a change', () => {
  const change = { subscriptionId: 'sub_a', itemId: 'si_a', priceId: 'price_pro' };
  const preview = { object: 'invoice', currency: 'usd', total: 3_000, amount_due: 3_000, starting_balance: 0 };
  const sent = () => Object.fromEntries(new URLSearchParams(stage.server.requests.at(-1)!.body));
  const always = {
    subscription: 'sub_a',
    'subscription_details[items][0][id]': 'si_a',
    'subscription_details[items][0][price]': 'price_pro',
    'subscription_details[proration_behavior]': 'always_invoice',
  };

  it('asks for the invoice of the change, at the quantity and the time that it names', async () => {
    stage.server.script = answers.json(200, preview);
    expect(await stage.provider.previewPriceChange(change)).toMatchObject({
      outcome: 'succeeded',
      value: { subscriptionId: 'sub_a', total: 3_000 },
    });
    expect(stage.server.requests[0]).toMatchObject({ method: 'POST', path: '/v1/invoices/create_preview' });
    expect(sent()).toEqual(always);
    await stage.provider.previewPriceChange({ ...change, quantity: 3, prorationDate: created });
    expect(sent()).toEqual({
      ...always,
      'subscription_details[items][0][quantity]': '3',
      'subscription_details[proration_date]': String(created),
    });
  });

  it('may be refused, unlike other reads', async () => {
    stage.server.script = answers.json(400, refusal('invalid_request_error'));
    expect(await stage.provider.previewPriceChange(change)).toMatchObject({
      outcome: 'failed',
      code: 'provider_refused',
    });
    expect(await stage.provider.retrieveCustomer('cus_a')).toMatchObject({ outcome: 'unknown' });
    stage.server.script = answers.json(401, refusal('invalid_request_error'));
    expect(await stage.provider.previewPriceChange(change)).toMatchObject({ outcome: 'unknown' });
  });
});

const page = (data: readonly object[], more = false) => answers.json(200, { object: 'list', data, has_more: more });

describe('a list', () => {
  it.each<[keyof PaymentProvider, object, string]>([
    ['listPaymentMethods', { id: 'pm_a' }, '/v1/customers/cus_a/payment_methods?limit=100'],
    ['listBalanceTransactions', transaction, '/v1/customers/cus_a/balance_transactions?limit=100'],
    ['listSubscriptions', subscription, '/v1/subscriptions?customer=cus_a&status=all&limit=100'],
    ['listSchedules', schedule, '/v1/subscription_schedules?customer=cus_a&limit=100'],
    ['listCheckoutSessions', session, '/v1/checkout/sessions?customer=cus_a&limit=100'],
    ['listInvoices', invoice, '/v1/invoices?customer=cus_a&limit=100'],
  ])('of a customer is read by %s to its end', async (name, entry, path) => {
    const { id } = entry as { readonly id: string };
    const list = stage.provider[name] as (customerId: string) => Promise<unknown>;
    stage.server.script = (request, ...rest) =>
      request.path.includes('starting_after')
        ? page([{ ...entry, id: 'last' }])(request, ...rest)
        : page([{ ...entry, id: 'first' }, { ...entry, id: 'second' }, entry], true)(request, ...rest);
    expect(await list('cus_a')).toMatchObject({
      outcome: 'succeeded',
      value: [{ id: 'first' }, { id: 'second' }, { id }, { id: 'last' }],
    });
    expect(stage.server.requests.map((request) => request.path)).toEqual([path, `${path}&starting_after=${id}`]);
  });

  it('of events begins with the second of the instant', async () => {
    stage.server.script = page([event]);
    expect(await stage.provider.listEvents('2026-03-01T12:00:00.999Z')).toMatchObject({
      outcome: 'succeeded',
      value: [{ id: 'evt_a' }],
    });
    expect(stage.server.requests[0]!.path).toBe(`/v1/events?created[gte]=${created}&limit=100`);
  });

  it('ends with an empty page, whatever the provider says of more', async () => {
    stage.server.script = page([], true);
    expect(await stage.provider.listSubscriptions('cus_a')).toEqual({ outcome: 'succeeded', value: [] });
    expect(stage.server.requests).toHaveLength(1);
  });

  it('is unknown when one page of it is', async () => {
    stage.server.script = (request, ...rest) =>
      request.path.includes('starting_after')
        ? answers.json(500, refusal('api_error'))(request, ...rest)
        : page([subscription], true)(request, ...rest);
    expect(await stage.provider.listSubscriptions('cus_a')).toMatchObject({ outcome: 'unknown' });
  });
});

/** Answers with full pages of customers; `createdOf` tells when each page's customers were created. */
function endlessCustomers(createdOf: (pageNumber: number) => number): void {
  let pages = 0;
  stage.server.script = (...exchange) => {
    pages += 1;
    const entry = { ...customer, created: createdOf(pages) };
    return page(
      Array.from({ length: 100 }, (_, index) => ({ ...entry, id: `cus_${pages}_${index}` })),
      true,
    )(...exchange);
  };
}

describe('the clock', () => {
  it('is the date of an answer, and not known without one', async () => {
    stage.server.script = answers.json(200, { data: [], has_more: false }, { date: 'Sun, 01 Mar 2026 12:00:00 GMT' });
    const value = new Date(created * 1_000);
    expect(await stage.provider.readClock()).toEqual({ outcome: 'succeeded', value });
    expect(stage.server.requests).toMatchObject([{ method: 'GET', path: '/v1/events?limit=1' }]);
    stage.server.script = answers.json(200, { data: [], has_more: false }, { date: 'soon' });
    expect(await stage.provider.readClock()).toMatchObject({ outcome: 'unknown' });
  });
});

describe('a list without an end', () => {
  it('is read for 10,000 objects, and proves nothing then', async () => {
    endlessCustomers(() => created);
    const answer = await stage.provider.listCustomers(createdSince);
    expect(answer).toEqual({ outcome: 'unknown', reason: expect.stringContaining('10000 objects') as string });
    expect(stage.server.requests).toHaveLength(100);
  });

  it('of events is read on, because a day of many workspaces has more of them', async () => {
    let pages = 0;
    stage.server.script = (...exchange) => {
      pages += 1;
      const entries = Array.from({ length: 100 }, (_, index) => ({ ...event, id: `evt_${pages}_${index}` }));
      return page(entries, pages < 120)(...exchange);
    };
    const answer = await stage.provider.listEvents(createdSince);
    expect(answer.outcome === 'succeeded' && answer.value).toHaveLength(12_000);
  });

  it('of customers is enough after the first thousand, once they are older than the instant', async () => {
    endlessCustomers(() => created - 1);
    expect(await stage.provider.listCustomers(createdSince)).toMatchObject({ outcome: 'succeeded' });
    expect(stage.server.requests).toHaveLength(10);
  });

  it('of customers is read on while they are as new as the instant', async () => {
    endlessCustomers((pageNumber) => (pageNumber < 12 ? created : created - 1));
    const answer = await stage.provider.listCustomers(createdSince);
    expect(answer.outcome === 'succeeded' && answer.value).toHaveLength(1_200);
    expect(stage.server.requests).toHaveLength(12);
  });
});
