/** Idempotency keys behave as the provider documents them: one effect per key, and the first answer repeated. */
import { openHarness, refusal, customerWithCard, daySeconds, type Harness } from './harness';

interface Entry {
  path: string;
  idempotencyKey: string | null;
  objectId: string;
}
interface Held {
  faults: { held: string[] }[];
}

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());
afterEach(async () => {
  await harness.control('DELETE', '/_twin/faults');
  expect(harness.complaints.splice(0)).toEqual([]);
});

const effects = async (key: string): Promise<Entry[]> =>
  (await harness.control<{ entries: Entry[] }>('GET', '/_twin/ledger')).entries.filter(
    (each) => each.idempotencyKey === key,
  );
const fault = (fault: string, more: object = {}): Promise<unknown> =>
  harness.control('POST', '/_twin/faults', {
    match: { method: 'POST', path: '/v1/customers' },
    fault,
    ...more,
  });

async function untilHeld(count: number): Promise<void> {
  for (;;) {
    const { faults } = await harness.control<Held>('GET', '/_twin/faults');
    if (faults.reduce((sum, each) => sum + each.held.length, 0) >= count) return;
  }
}

describe('an idempotency key', () => {
  it('repeats a success byte for byte without a second effect', async () => {
    const send = () =>
      fetch(`${harness.url}/v1/customers`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk_test_x', 'idempotency-key': 'same' },
        body: new URLSearchParams({ name: 'A', email: 'a@b.co' }),
      });
    const [first, second] = [await send(), await send()];
    expect(await second.text()).toBe(await first.text());
    expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(second.headers.get('original-request')).toBe(first.headers.get('request-id'));
    expect(second.headers.get('request-id')).not.toBe(first.headers.get('request-id'));
    expect(await effects('same')).toHaveLength(1);
  });

  it('ignores the order of the parameters', async () => {
    const one = await harness.stripe.customers.create(
      { name: 'B', metadata: { x: '1', y: '2' } },
      { idempotencyKey: 'order' },
    );
    const two = await harness.stripe.customers.create(
      { metadata: { y: '2', x: '1' }, name: 'B' },
      { idempotencyKey: 'order' },
    );
    expect(two.id).toBe(one.id);
  });

  it('repeats a declined card', async () => {
    const customer = await harness.stripe.customers.create({});
    const attach = () =>
      refusal(
        harness.stripe.paymentMethods.attach(
          'pm_card_chargeDeclined',
          { customer: customer.id },
          { idempotencyKey: 'declined' },
        ),
      );
    const [first, second] = [await attach(), await attach()];
    expect(first).toMatchObject({ statusCode: 402, code: 'card_declined' });
    expect(second).toMatchObject({ statusCode: 402, code: 'card_declined', message: first.message });
    expect(second.headers?.['idempotent-replayed']).toBe('true');
  });

  it('repeats a server error, with and without its effect', async () => {
    await fault('status_500');
    expect(await refusal(harness.stripe.customers.create({ name: 'C' }, { idempotencyKey: 'broken' }))).toMatchObject({
      statusCode: 500,
    });
    expect(await refusal(harness.stripe.customers.create({ name: 'C' }, { idempotencyKey: 'broken' }))).toMatchObject({
      statusCode: 500,
    });
    expect(await effects('broken')).toHaveLength(0);
    await fault('status_500', { effect: true });
    expect(await refusal(harness.stripe.customers.create({ name: 'D' }, { idempotencyKey: 'half' }))).toMatchObject({
      statusCode: 500,
    });
    expect(await refusal(harness.stripe.customers.create({ name: 'D' }, { idempotencyKey: 'half' }))).toMatchObject({
      statusCode: 500,
    });
    expect(await effects('half')).toHaveLength(1);
  });

  it('repeats the answer that was lost after its effect', async () => {
    await fault('lose_answer_after');
    expect(await refusal(harness.stripe.customers.create({ name: 'E' }, { idempotencyKey: 'lost' }))).toMatchObject({
      type: 'StripeConnectionError',
    });
    const again = await harness.stripe.customers.create({ name: 'E' }, { idempotencyKey: 'lost' });
    expect((await effects('lost')).map((each) => each.objectId)).toEqual([again.id]);
  });

  it('refuses other parameters and other endpoints, and keeps the first answer', async () => {
    const first = await harness.stripe.customers.create({ name: 'F' }, { idempotencyKey: 'bound' });
    expect(await refusal(harness.stripe.customers.create({ name: 'G' }, { idempotencyKey: 'bound' }))).toMatchObject({
      type: 'StripeIdempotencyError',
      statusCode: 400,
    });
    expect(await refusal(harness.stripe.products.create({ name: 'F' }, { idempotencyKey: 'bound' }))).toMatchObject({
      type: 'StripeIdempotencyError',
      statusCode: 400,
    });
    expect((await harness.stripe.customers.create({ name: 'F' }, { idempotencyKey: 'bound' })).id).toBe(first.id);
  });

  it('answers 409 while its request runs: thirty at once make one effect', async () => {
    await fault('hold');
    const create = () => harness.stripe.customers.create({ name: 'H' }, { idempotencyKey: 'crowd' });
    const first = create();
    await untilHeld(1);
    const others = await Promise.all(Array.from({ length: 29 }, () => refusal(create())));
    expect(new Set(others.map((each) => `${each.statusCode} ${each.code} ${each.type}`))).toEqual(
      new Set(['409 idempotency_key_in_use StripeAPIError']),
    );
    expect(
      await refusal(harness.stripe.customers.create({ name: 'other' }, { idempotencyKey: 'crowd' })),
    ).toMatchObject({ type: 'StripeIdempotencyError' });
    await harness.control('POST', '/_twin/release');
    const made = await first;
    expect((await create()).id).toBe(made.id);
    expect((await effects('crowd')).map((each) => each.objectId)).toEqual([made.id]);
  });

  it('makes one effect when thirty requests race without a latch', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, () => harness.stripe.customers.create({ name: 'R' }, { idempotencyKey: 'race' })),
    );
    const ids = new Set(outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value.id] : [])));
    expect(ids.size).toBe(1);
    expect((await effects('race')).map((each) => each.objectId)).toEqual([...ids]);
    for (const each of outcomes) if (each.status === 'rejected') expect(each.reason).toMatchObject({ statusCode: 409 });
  });

  it('is not used up by bad parameters, a rate limit, bad credentials or a conflict', async () => {
    const create = (params: object) => harness.stripe.customers.create(params, { idempotencyKey: 'free' });
    expect(await refusal(create({ wrong: '1' }))).toMatchObject({ statusCode: 400, code: 'parameter_unknown' });
    expect(await refusal(create({ name: 'H', expand: ['name'] }))).toMatchObject({ statusCode: 400, param: 'expand' });
    await fault('rate_limit');
    expect(await refusal(create({ name: 'I' }))).toMatchObject({
      statusCode: 429,
      code: 'rate_limit',
      type: 'StripeRateLimitError',
    });
    expect(
      await refusal(harness.stripe.customers.create({ name: 'J' }, { idempotencyKey: 'free', apiKey: 'nonsense' })),
    ).toMatchObject({ statusCode: 401, type: 'StripeAuthenticationError' });
    expect((await create({ name: 'K' })).name).toBe('K');
  });

  it('meets the rate limit before its stored answer', async () => {
    await harness.stripe.customers.create({ name: 'L' }, { idempotencyKey: 'limited' });
    await fault('rate_limit');
    expect(await refusal(harness.stripe.customers.create({ name: 'L' }, { idempotencyKey: 'limited' }))).toMatchObject({
      statusCode: 429,
    });
    expect((await harness.stripe.customers.create({ name: 'L' }, { idempotencyKey: 'limited' })).name).toBe('L');
  });

  it('keeps a refusal of the executed request, such as an unknown id', async () => {
    const attach = (customer: string) =>
      harness.stripe.paymentMethods.attach('pm_card_visa', { customer }, { idempotencyKey: 'missing' });
    expect(await refusal(attach('cus_later'))).toMatchObject({ statusCode: 400, code: 'resource_missing' });
    await harness.control('POST', '/_twin/seed', { customers: [{ id: 'cus_later' }] });
    const replayed = await refusal(attach('cus_later'));
    expect(replayed).toMatchObject({ statusCode: 400, code: 'resource_missing' });
    expect(replayed.headers?.['idempotent-replayed']).toBe('true');
  });

  it('has no meaning on GET and DELETE', async () => {
    const { customer } = await customerWithCard(harness.stripe);
    await harness.stripe.customers.retrieve(customer, {}, { idempotencyKey: 'get' });
    await harness.stripe.customers.update(customer, { name: 'after' });
    expect(await harness.stripe.customers.retrieve(customer, {}, { idempotencyKey: 'get' })).toMatchObject({
      name: 'after',
    });
  });

  it('may have 255 characters and no more', async () => {
    expect((await harness.stripe.customers.create({}, { idempotencyKey: 'k'.repeat(255) })).object).toBe('customer');
    expect(await refusal(harness.stripe.customers.create({}, { idempotencyKey: 'k'.repeat(256) }))).toMatchObject({
      statusCode: 400,
      type: 'StripeIdempotencyError',
    });
  });

  it("is forgotten after 24 hours of the twin's clock, not a second earlier", async () => {
    const first = await harness.stripe.customers.create({ name: 'M' }, { idempotencyKey: 'day' });
    await harness.control('POST', '/_twin/clock', { advanceSeconds: daySeconds - 1 });
    expect((await harness.stripe.customers.create({ name: 'M' }, { idempotencyKey: 'day' })).id).toBe(first.id);
    await harness.control('POST', '/_twin/clock', { advanceSeconds: 1 });
    const second = await harness.stripe.customers.create({ name: 'M' }, { idempotencyKey: 'day' });
    expect(second.id).not.toBe(first.id);
    expect(await effects('day')).toHaveLength(2);
  });
});
