/**
 * Random histories of a platform's requests to its provider. At the end the books must agree: every cent in the ledger
 * is in the charges and refunds, every balance is the sum of its transactions, every invoice adds up, and the second
 * half of the history, repeated from the snapshot of its middle, ends in the same bytes.
 */
import { proofSize } from '@platform/testing';
import fc from 'fast-check';
import Stripe from 'stripe';
import type { Charge, Customer, BalanceTransaction, Invoice, LedgerEntry, Refund, Subscription } from '../tables';
import { openHarness, sdkFor, type Harness } from './harness';

type Row = Record<string, unknown>;
interface Snapshot {
  changes: [table: string, id: string, row: Row][];
}

const cards = ['pm_card_visa', 'pm_card_chargeCustomerFail', 'pm_card_authenticationRequired'] as const;
const prices = ['price_0', 'price_500', 'price_1900', 'price_9900', 'price_year'];

type Step =
  | { do: 'subscribe'; who: number; price: string; behaviour: 'allow_incomplete' | 'default_incomplete'; trial: number }
  | {
      do: 'change';
      who: number;
      price: string;
      quantity: number;
      proration: 'create_prorations' | 'always_invoice' | 'none';
    }
  | { do: 'credit'; who: number; cents: number }
  | { do: 'card'; who: number; card: string }
  | { do: 'pay' | 'void' | 'refund' | 'note' | 'cancel' | 'pause' | 'resume' | 'schedule'; who: number; price: string }
  | { do: 'wait'; seconds: number };

const who = fc.integer({ min: 0, max: 2 });
const price = fc.constantFrom(...prices);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('subscribe' as const),
      who,
      price,
      behaviour: fc.constantFrom('allow_incomplete' as const, 'default_incomplete' as const),
      trial: fc.constantFrom(0, 0, 5),
    }),
  },
  fc.record({
    do: fc.constant('change' as const),
    who,
    price,
    quantity: fc.integer({ min: 1, max: 3 }),
    proration: fc.constantFrom('create_prorations' as const, 'always_invoice' as const, 'none' as const),
  }),
  fc.record({ do: fc.constant('credit' as const), who, cents: fc.integer({ min: -3000, max: 3000 }) }),
  fc.record({ do: fc.constant('card' as const), who, card: fc.constantFrom(...cards) }),
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'pay' as const,
        'void' as const,
        'refund' as const,
        'note' as const,
        'cancel' as const,
        'pause' as const,
        'resume' as const,
        'schedule' as const,
      ),
      who,
      price,
    }),
  },
  fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 40 * 86_400 }) }),
);

let harness: Harness;
let stripe: Stripe;
beforeAll(async () => {
  harness = await openHarness();
  stripe = sdkFor(harness.url);
});
afterAll(() => harness.close());

const newest = async (customer: string): Promise<Stripe.Subscription | undefined> =>
  (await stripe.subscriptions.list({ customer, limit: 1 })).data[0];
const openInvoice = async (customer: string): Promise<string> =>
  (await stripe.invoices.list({ customer, status: 'open', limit: 1 })).data[0]?.id ?? 'in_none';
const paidInvoice = async (customer: string): Promise<Stripe.Invoice | undefined> =>
  (await stripe.invoices.list({ customer, status: 'paid', limit: 1 })).data[0];

const acts: Record<Step['do'], (customer: string, step: Step) => Promise<unknown>> = {
  subscribe: async (customer, s) =>
    s.do === 'subscribe' &&
    stripe.subscriptions.create({
      customer,
      items: [{ price: s.price }],
      payment_behavior: s.behaviour,
      ...(s.trial ? { trial_period_days: s.trial } : {}),
    }),
  change: async (customer, s) => {
    const subscription = await newest(customer);
    const item = subscription?.items.data[0];
    return (
      s.do === 'change' &&
      subscription &&
      stripe.subscriptions.update(subscription.id, {
        items: [{ id: item?.id, price: s.price, quantity: s.quantity }],
        proration_behavior: s.proration,
      })
    );
  },
  credit: async (customer, s) =>
    s.do === 'credit' && stripe.customers.createBalanceTransaction(customer, { amount: s.cents, currency: 'usd' }),
  card: async (customer, s) => {
    if (s.do !== 'card') return;
    const method = await stripe.paymentMethods.attach(s.card, { customer });
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method.id } });
  },
  pay: async (customer) => stripe.invoices.pay(await openInvoice(customer), { payment_method: 'pm_card_visa' }),
  void: async (customer) => stripe.invoices.voidInvoice(await openInvoice(customer)),
  refund: async (customer) => {
    const charge = (await stripe.charges.list({ customer, limit: 1 })).data[0];
    return charge && stripe.refunds.create({ charge: charge.id, amount: Math.max(1, Math.floor(charge.amount / 3)) });
  },
  note: async (customer) => {
    const invoice = await paidInvoice(customer);
    return invoice && stripe.creditNotes.create({ invoice: invoice.id, amount: 100, credit_amount: 100 });
  },
  cancel: async (customer) =>
    stripe.subscriptions.cancel((await newest(customer))?.id ?? 'sub_none', { prorate: true, invoice_now: true }),
  pause: async (customer) =>
    stripe.subscriptions.update((await newest(customer))?.id ?? 'sub_none', { pause_collection: { behavior: 'void' } }),
  resume: async (customer) =>
    stripe.subscriptions.update((await newest(customer))?.id ?? 'sub_none', { pause_collection: '' }),
  schedule: async (customer, s) => {
    const subscription = await newest(customer);
    if (s.do !== 'schedule' || !subscription) return;
    const made = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
    const [phase] = made.phases;
    const now = phase?.items[0];
    await stripe.subscriptionSchedules.update(made.id, {
      phases: [
        {
          items: [{ price: String(now?.price), quantity: now?.quantity }],
          start_date: phase?.start_date,
          end_date: phase?.end_date,
        },
        { items: [{ price: s.price }] },
      ],
    });
  },
  wait: async (_customer, s) =>
    s.do === 'wait' && harness.control('POST', '/_twin/clock', { advanceSeconds: s.seconds }),
};

async function play(steps: Step[]): Promise<void> {
  for (const [at, each] of steps.entries()) {
    const customer = `cus_${'who' in each ? each.who : 0}`;
    try {
      await acts[each.do](customer, each);
    } catch (error) {
      const status = error instanceof Stripe.errors.StripeError ? (error.statusCode ?? 0) : 0;
      if (![400, 402, 404].includes(status)) throw new Error(`step ${at} ${JSON.stringify(each)}: ${String(error)}`);
    }
  }
}

const snapshot = (): Promise<Snapshot> => harness.control('GET', '/_twin/snapshot');
const rows = <T>({ changes }: Snapshot, table: string): T[] =>
  changes.filter(([name]) => name === table).map(([, , row]) => row as T);
const sum = (values: number[]): number => values.reduce((total, each) => total + each, 0);

function checkInvoice(invoice: Invoice): void {
  expect(invoice.subtotal).toBe(sum(invoice.lines.data.map((line) => line.amount)));
  expect(invoice.total).toBe(invoice.subtotal);
  expect(invoice.amount_due).toBeGreaterThanOrEqual(0);
  if (invoice.ending_balance !== null) {
    const left = invoice.total + invoice.starting_balance - invoice.ending_balance;
    expect(invoice.amount_due).toBe(left - invoice.pre_payment_credit_notes_amount);
  }
  if (invoice.status === 'paid')
    expect([invoice.amount_paid, invoice.amount_remaining]).toEqual([invoice.amount_due, 0]);
  else expect([invoice.amount_paid, invoice.amount_remaining]).toEqual([0, invoice.amount_due]);
}

function checkBooks(state: Snapshot): void {
  const charged =
    sum(rows<Charge>(state, 'charge').map((each) => each.amount_captured)) -
    sum(rows<Refund>(state, 'refund').map((each) => each.amount));
  expect(sum(rows<LedgerEntry>(state, 'ledger').map((each) => each.charged))).toBe(charged);
  const transactions = rows<BalanceTransaction>(state, 'customer_balance_transaction');
  for (const customer of rows<Customer>(state, 'customer')) {
    const own = transactions.filter((each) => each.customer === customer.id);
    expect(customer.balance).toBe(sum(own.map((each) => each.amount)));
    expect(own.at(-1)?.ending_balance ?? 0).toBe(customer.balance);
  }
  const invoices = rows<Invoice>(state, 'invoice');
  invoices.forEach(checkInvoice);
  expect(sum(rows<Charge>(state, 'charge').map((each) => each.amount_captured))).toBe(
    sum(invoices.map((each) => each.amount_paid)),
  );
  const numbers = invoices.map((each) => each.number).filter((each) => each !== null);
  expect(new Set(numbers).size).toBe(numbers.length);
  const now = Number(rows<{ id: string; value: unknown }>(state, 'setting').find((each) => each.id === 'now')?.value);
  for (const subscription of rows<Subscription>(state, 'subscription')) {
    const [item] = subscription.items.data;
    if (['active', 'trialing', 'past_due'].includes(subscription.status))
      expect(item?.current_period_end).toBeGreaterThan(now);
    if (subscription.status === 'trialing') expect(subscription.trial_end).toBeGreaterThan(now);
    expect(subscription.ended_at === null).toBe(!['canceled', 'incomplete_expired'].includes(subscription.status));
  }
}

/** The part that does not depend on the SDK's own random keys. */
const comparable = ({ changes }: Snapshot): string =>
  JSON.stringify(changes.filter(([table]) => !['key', 'request'].includes(table))).replaceAll(
    /stripe-node-retry-[0-9a-f-]+/g,
    'key',
  );

describe('any history', () => {
  it('leaves books that agree, and continues from a snapshot to the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        fc.array(step, { maxLength: 6 }),
        async (first, second) => {
          await harness.control('POST', '/_twin/reset', {});
          await harness.control('POST', '/_twin/seed', {
            products: [{ id: 'plan', name: 'Plan' }],
            prices: [
              ...[0, 500, 1900, 9900].map((unitAmount) => ({ id: `price_${unitAmount}`, product: 'plan', unitAmount })),
              {
                id: 'price_year',
                product: 'plan',
                unitAmount: 90_000,
                recurring: { interval: 'year' },
              },
            ],
            customers: [0, 1, 2].map((n) => ({ id: `cus_${n}`, paymentMethod: cards[n] })),
          });
          await play(first);
          const middle = await snapshot();
          checkBooks(middle);
          await play(second);
          const end = await snapshot();
          checkBooks(end);
          await harness.control('POST', '/_twin/restore', middle);
          await play(second);
          expect(comparable(await snapshot()) === comparable(end)).toBe(true);
        },
      ),
      { numRuns: Number(process.env['TWIN_HISTORIES'] ?? proofSize({ lean: 15, full: 250 })) },
    );
  });
});
