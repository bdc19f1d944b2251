/** Steps that the suites about money repeat: begin a subscription, advance time, and read what was charged. */
import type Stripe from 'stripe';
import { customerWithCard, monthlyPrice, type Harness } from './harness';

interface Ledger {
  entries: { method: string; path: string; charged: number; objectId: string | null }[];
}

export function moneySteps(harness: () => Harness) {
  const seconds = (count: number): Promise<unknown> =>
    harness().control('POST', '/_twin/clock', { advanceSeconds: count });
  const charged = async (): Promise<number> =>
    (await harness().control<Ledger>('GET', '/_twin/ledger')).entries.reduce((sum, each) => sum + each.charged, 0);
  const latest = async (id: string): Promise<{ subscription: Stripe.Subscription; invoice: Stripe.Invoice }> => {
    const subscription = await harness().stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
    return { subscription, invoice: subscription.latest_invoice as Stripe.Invoice };
  };

  async function start(
    cents: number,
    card?: string,
    extra: Stripe.SubscriptionCreateParams = {},
  ): Promise<{ id: string; item: string; customer: string }> {
    const { customer } = await customerWithCard(harness().stripe, card);
    const made = await harness().stripe.subscriptions.create({
      customer,
      items: [{ price: await monthlyPrice(harness().stripe, cents) }],
      ...extra,
    });
    return { id: made.id, item: String(made.items.data[0]?.id), customer };
  }
  return { seconds, charged, latest, start };
}
