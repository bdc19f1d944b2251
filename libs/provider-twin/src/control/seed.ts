/**
 * Contents on demand: products, prices, customers and subscriptions with ids that the caller chooses. They are created
 * by the same code as through the interface, so seeded objects are complete; no event announces them, because they
 * count as made before. All are added or none; an existing id is not changed, so seeding twice is harmless.
 */
import { z } from 'zod';
import { createSubscription } from '../billing/subscriptions';
import { collect } from '../billing/collection';
import { answerAuthentication } from '../billing/confirm';
import { paymentOf } from '../billing/invoice-payment';
import { setStatus } from '../billing/settlement';
import { ProviderError } from '../http/errors';
import { enterEffect } from '../ledger';
import { blankCustomer } from '../resources/customers';
import { attach } from '../resources/payment-methods';
import { newPrice, newProduct } from '../resources/catalog';
import { newEndpoint } from '../resources/webhook-endpoints';
import type { Twin } from '../twin';
import { ControlRefusal } from './refusal';

const id = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[A-Za-z0-9_-]+$/);
const metadata = z.record(z.string().max(40), z.string().max(500)).default({});
const interval = z.enum(['day', 'week', 'month', 'year']);

/** A moment: seconds since 1970 or an ISO date and time. */
export const instant = z.union([
  z.number().int().min(0).max(9_999_999_999),
  z.iso.datetime({ offset: true }).transform((text) => Math.floor(Date.parse(text) / 1000)),
]);

export const seedBody = z.strictObject({
  startAt: instant.optional(),
  products: z
    .array(z.strictObject({ id, name: z.string().min(1), description: z.string().optional(), metadata }))
    .default([]),
  prices: z
    .array(
      z.strictObject({
        id,
        product: id,
        unitAmount: z.number().int().min(0),
        currency: z.string().length(3).default('usd'),
        recurring: z
          .strictObject({
            interval,
            intervalCount: z.number().int().min(1).default(1),
          })
          .nullable()
          .default({ interval: 'month', intervalCount: 1 }),
        nickname: z.string().optional(),
        lookupKey: z.string().optional(),
        metadata,
      }),
    )
    .default([]),
  customers: z
    .array(
      z.strictObject({
        id,
        email: z.string().optional(),
        name: z.string().optional(),
        description: z.string().optional(),
        metadata,
        /** A documented test name such as `pm_card_visa`; becomes the default for invoices. */
        paymentMethod: z.string().optional(),
        balance: z.number().int().optional(),
      }),
    )
    .default([]),
  subscriptions: z
    .array(
      z.strictObject({
        id,
        customer: id,
        price: id,
        quantity: z.number().int().min(1).default(1),
        metadata,
        status: z.enum(['active', 'past_due', 'trialing', 'incomplete']).default('active'),
        trialDays: z.number().int().min(1).optional(),
        /** Stored with the subscription and its schedules; the twin calculates no discounts and no taxes. */
        discounts: z.array(id).default([]),
        defaultTaxRates: z.array(id).default([]),
        automaticTax: z.boolean().default(false),
      }),
    )
    .default([]),
  webhookEndpoints: z
    .array(
      z.strictObject({
        url: z.url(),
        secret: z.string().min(8),
        enabledEvents: z.array(z.string()).default(['*']),
      }),
    )
    .default([]),
  dunning: z
    .strictObject({
      retryDays: z.array(z.number().int().min(1)).max(8),
      finally: z.enum(['cancel', 'unpaid', 'past_due']),
    })
    .optional(),
});
export type SeedBody = z.infer<typeof seedBody>;

function seedEndpoint(twin: Twin, { url, secret, enabledEvents }: SeedBody['webhookEndpoints'][number]): void {
  if (![...twin.state.rows('webhook_endpoint')].some((each) => each.url === url && each.secret === secret))
    newEndpoint(twin, { url, secret, enabledEvents, metadata: {} });
}

function seedProduct(twin: Twin, given: SeedBody['products'][number]): void {
  if (twin.state.get('product', given.id)) return;
  Object.assign(twin.state.add('product', newProduct(given.id, given.name, twin.now())), {
    description: given.description ?? null,
    metadata: given.metadata,
  });
}

function seedPrice(twin: Twin, given: SeedBody['prices'][number]): void {
  if (!twin.state.get('product', given.product)) throw new ControlRefusal(400, `prices: no product ${given.product}`);
  if (twin.state.get('price', given.id)) return;
  const { id, product, currency, unitAmount } = given;
  const recurring = given.recurring
    ? { interval: given.recurring.interval, interval_count: given.recurring.intervalCount }
    : undefined;
  const price = newPrice({ id, product, currency, unitAmount, recurring }, twin.now());
  Object.assign(twin.state.add('price', price), {
    nickname: given.nickname ?? null,
    lookup_key: given.lookupKey ?? null,
    metadata: given.metadata,
  });
}

function seedCustomer(twin: Twin, given: SeedBody['customers'][number]): void {
  if (twin.state.get('customer', given.id)) return;
  const customer = twin.state.add('customer', blankCustomer(given.id, twin.now()));
  Object.assign(customer, {
    email: given.email ?? null,
    name: given.name ?? null,
    description: given.description ?? null,
    metadata: given.metadata,
    balance: given.balance ?? 0,
  });
  if (given.paymentMethod !== undefined)
    customer.invoice_settings.default_payment_method = attach(twin, given.paymentMethod, given.id).id;
  twin.emit('customer.created', customer);
}

/** A card whose charges fail, for a subscription that is seeded as past due. */
const failingCard = 'pm_card_chargeCustomerFail';

function seedSubscription(twin: Twin, given: SeedBody['subscriptions'][number]): void {
  if (twin.state.get('subscription', given.id)) return;
  const customer = twin.state.get('customer', given.customer);
  const price = twin.state.get('price', given.price);
  if (!customer) throw new ControlRefusal(400, `subscriptions: no customer ${given.customer}`);
  if (!price) throw new ControlRefusal(400, `subscriptions: no price ${given.price}`);
  const trialDays = given.status === 'trialing' ? (given.trialDays ?? 14) : given.trialDays;
  const subscription = createSubscription(twin, {
    id: given.id,
    customer,
    items: [{ price, quantity: given.quantity }],
    metadata: given.metadata,
    behaviour: 'default_incomplete',
    trialEnd: trialDays === undefined ? null : twin.now() + trialDays * 86_400,
  });
  Object.assign(twin.state.edit('subscription', given.id), {
    discounts: given.discounts,
    default_tax_rates: given.defaultTaxRates,
    automatic_tax: { ...subscription.automatic_tax, enabled: given.automaticTax },
  });
  const invoice = subscription.latest_invoice ? twin.state.edit('invoice', subscription.latest_invoice) : undefined;
  if (!invoice || invoice.status === 'paid' || given.status === 'incomplete') return;
  if (given.status === 'active') {
    const attempt = collect(twin, invoice);
    if (attempt.kind === 'declined') throw attempt.error;
    // The holder of an active subscription's card has confirmed its first payment.
    if (attempt.kind === 'requires_action')
      answerAuthentication(twin, String(paymentOf(twin, invoice.id)?.payment.payment_intent), true);
    return;
  }
  setStatus(twin, given.id, 'past_due');
  if (paymentOf(twin, invoice.id))
    collect(twin, invoice, invoice.default_payment_method ?? attach(twin, failingCard, given.customer).id);
}

/** Adds everything in one transaction and returns the number of objects of each kind in the request. */
export function seedTwin(twin: Twin, body: SeedBody): Record<string, number> {
  try {
    twin.transact({ requestId: null, idempotencyKey: null, seed: true }, () => {
      if (body.startAt !== undefined) {
        if (body.startAt < twin.now())
          throw new ControlRefusal(409, 'startAt lies before the clock; reset with startAt instead');
        twin.setNow(body.startAt);
      }
      if (body.dunning) twin.setDunning(body.dunning);
      for (const given of body.webhookEndpoints) seedEndpoint(twin, given);
      for (const given of body.products) seedProduct(twin, given);
      for (const given of body.prices) seedPrice(twin, given);
      for (const given of body.customers) seedCustomer(twin, given);
      for (const given of body.subscriptions) seedSubscription(twin, given);
      enterEffect(twin, {
        method: 'SEED',
        path: '/_twin/seed',
        idempotencyKey: null,
        requestId: null,
        status: 200,
        answer: {},
      });
    });
  } catch (error) {
    if (error instanceof ProviderError) throw new ControlRefusal(400, error.message);
    throw error;
  }
  return Object.fromEntries(
    (['products', 'prices', 'customers', 'subscriptions', 'webhookEndpoints'] as const).map((kind) => [
      kind,
      body[kind].length,
    ]),
  );
}
