/**
 * Webhooks from a receiver's view: signed so that the official SDK accepts them, repeated until accepted, and corrupted
 * on demand in every way that a receiver must survive.
 */
import Stripe from 'stripe';
import {
  customerWithCard,
  daySeconds,
  monthlyPrice,
  openHarness,
  openReceiver,
  type Harness,
  type Receiver,
} from './harness';

let harness: Harness;
let receiver: Receiver;
let secret: string;
beforeEach(async () => {
  harness = await openHarness();
  receiver = await openReceiver();
  secret = String(
    (
      await harness.stripe.webhookEndpoints.create({
        url: receiver.url,
        enabled_events: ['customer.created', 'customer.updated', 'customer.subscription.created', 'invoice.paid'],
      })
    ).secret,
  );
});
afterEach(async () => {
  await harness.close();
  await receiver.close();
});

const read = (at: number): Stripe.Event => {
  const { body, signature } = receiver.received[at] ?? { body: '', signature: '' };
  return Stripe.webhooks.constructEvent(body, String(signature), secret);
};
const redeliver = (id: string, body: object): Promise<{ deliveries: { status: number }[]; dueAt?: number }> =>
  harness.control('POST', `/_twin/events/${id}/redeliver`, body);

describe('a webhook', () => {
  it('is signed so that the SDK accepts it, and is exactly the event', async () => {
    const customer = await harness.stripe.customers.create({ name: 'Ü' });
    await receiver.waitFor(1);
    const event = read(0);
    expect(event).toMatchObject({ type: 'customer.created', data: { object: { id: customer.id } } });
    await harness.control('POST', '/_twin/webhooks/flush', {});
    expect(await harness.stripe.events.retrieve(event.id)).toMatchObject({ id: event.id, pending_webhooks: 0 });
  });

  it('comes in the order of the events and only for the types that were asked for', async () => {
    const { customer } = await customerWithCard(harness.stripe);
    await harness.stripe.subscriptions.create({
      customer,
      items: [{ price: await monthlyPrice(harness.stripe, 900) }],
    });
    await receiver.waitFor(4);
    await harness.control('POST', '/_twin/webhooks/flush', {});
    expect(receiver.received.map((_, at) => read(at).type)).toEqual([
      'customer.created',
      'customer.updated',
      'customer.subscription.created',
      'invoice.paid',
    ]);
  });

  it('does not announce what a seed adds', async () => {
    const { now } = await harness.control<{ now: number }>('GET', '/_twin/clock');
    await harness.control('POST', '/_twin/seed', {
      products: [{ id: 'prod_old', name: 'Old' }],
      prices: [{ id: 'price_old', product: 'prod_old', unitAmount: 1_900 }],
      customers: [{ id: 'cus_old', paymentMethod: 'pm_card_visa' }],
      subscriptions: [{ id: 'sub_old', customer: 'cus_old', price: 'price_old' }],
    });
    await harness.stripe.customers.update('cus_old', { name: 'Old' });
    await receiver.waitFor(1);
    expect(read(0)).toMatchObject({ type: 'customer.updated', data: { object: { id: 'cus_old' } } });
    expect((await harness.stripe.events.list({ created: { gte: now } })).data).toHaveLength(1);
  });

  it('is repeated until the receiver takes it', async () => {
    receiver.answer(500);
    await harness.stripe.customers.create({});
    await receiver.waitFor(2);
    receiver.answer(200);
    await harness.control('POST', '/_twin/webhooks/flush', {});
    expect(await harness.control('GET', '/_twin/webhooks')).toMatchObject({ pending: [] });
    expect(new Set(receiver.received.map((each) => each.body)).size).toBe(1);
  });

  it('does not wait for another receiver that hangs', async () => {
    const hanging = await openReceiver();
    hanging.answer(null);
    await harness.stripe.webhookEndpoints.create({ url: hanging.url, enabled_events: ['*'] });
    await harness.stripe.customers.create({});
    await harness.stripe.customers.create({});
    await Promise.all([receiver.waitFor(2), hanging.waitFor(1)]);
    expect(hanging.received).toHaveLength(1);
    await hanging.close();
  });

  it('waits while sending is held, and can be sent swapped', async () => {
    await harness.control('POST', '/_twin/webhooks/hold');
    const first = await harness.stripe.customers.create({});
    const second = await harness.stripe.customers.create({});
    expect(await harness.control('GET', '/_twin/webhooks')).toMatchObject({
      held: true,
      pending: [{ attempts: 0 }, { attempts: 0 }],
    });
    await harness.control('POST', '/_twin/webhooks/flush', { order: 'swapped' });
    expect(receiver.received.map((_, at) => (read(at).data.object as Stripe.Customer).id)).toEqual([
      second.id,
      first.id,
    ]);
    expect(read(0).created).toBe(read(1).created);
  });
});

describe('a redelivery', () => {
  async function event(): Promise<string> {
    await harness.stripe.customers.create({});
    await receiver.waitFor(1);
    await harness.control('POST', '/_twin/webhooks/flush', {});
    return read(0).id;
  }

  it('sends the same bytes again, once or twice', async () => {
    const id = await event();
    expect((await redeliver(id, { mode: 'normal' })).deliveries).toMatchObject([{ status: 200 }]);
    expect((await redeliver(id, { mode: 'duplicate' })).deliveries).toHaveLength(2);
    expect(receiver.received.map((_, at) => read(at).id)).toEqual([id, id, id, id]);
    expect(new Set(receiver.received.map((each) => each.body)).size).toBe(1);
  });

  it('comes days later when asked', async () => {
    const id = await event();
    await redeliver(id, { mode: 'late' });
    expect(read(1).id).toBe(id);
    const { dueAt } = await redeliver(id, { mode: 'late', days: 3 });
    await harness.control('POST', '/_twin/webhooks/flush', {});
    expect(receiver.received).toHaveLength(2);
    await harness.control('POST', '/_twin/clock', { advanceSeconds: 3 * daySeconds });
    await receiver.waitFor(3);
    expect(dueAt).toBe(read(2).created + 3 * daySeconds);
  });

  it('is refused by a careful receiver when unsigned, wrongly signed or stale', async () => {
    const id = await event();
    await redeliver(id, { mode: 'unsigned' });
    expect(receiver.received[1]?.signature).toBeUndefined();
    await redeliver(id, { mode: 'wrong_secret' });
    expect(() => read(2)).toThrow(Stripe.errors.StripeSignatureVerificationError);
    await redeliver(id, { mode: 'stale_signature' });
    expect(() => read(3)).toThrow('tolerance');
  });

  it('of an unknown event or in an unknown mode is refused', async () => {
    await expect(redeliver('evt_no', {})).rejects.toThrow('404');
    await expect(redeliver(await event(), { mode: 'loud' })).rejects.toThrow('400');
  });
});
