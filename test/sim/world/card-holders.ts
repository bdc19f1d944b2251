/**
 * Card holders whose bank requires a confirmation, in some of the histories: the provider holds an upgrade, and its
 * holder confirms the payment, lets it expire, or confirms it while a colleague changes the price once more at the
 * provider. A separate generator makes their choices, so all other histories are the same with and without this module.
 */
import { createRandom } from '@platform/testing';
import { operationsCollection } from '../../../services/operator/src/operations/store/operations';
import type { Operation } from '../../../services/operator/src/operations/domain/operation';
import { paymentEnds } from './held-payments';
import type { ProviderCaller } from './provider-events';
import type { World } from './world';

const chanceOfAct = 0.004;
const chanceOfEvent = 0.7;
const heldSubscription = 'sub_acme';

export interface CardHolders {
  /** Between steps of the history; usually does nothing. */
  mayAct(): Promise<void>;
  /** Every payment that still waits comes to its end. */
  actAtLast(): Promise<void>;
}

/**
 * The holders react only to what is recorded as waiting, because only a recorded address was sent to them. Null in
 * histories in which no payment waits.
 */
export function createCardHolders(world: World, caller: ProviderCaller, seed: number): CardHolders | null {
  if (!world.holdsPayments) return null;
  const random = createRandom(seed ^ 0x71374491);
  const operations = world.databases.operator.store.collection(operationsCollection);
  const waiting = (): Operation[] => operations.all().filter(({ status }) => status === 'awaiting_payment');
  const act = async ({ payment }: Operation): Promise<void> => {
    if (!payment) return;
    const end = random.pick(paymentEnds);
    const { provider, payments, marks } = world;
    try {
      if (end === 'expired') provider.expirePayment(payment.invoiceId);
      else provider.confirmPayment(payment.invoiceId);
    } catch {
      // The upgrade was given up, or this payment has come to its end; the round of the service finds it.
      return;
    }
    if (end === 'confirmed, and the price changed') await changePrice(world, payment.subscriptionId);
    payments.set(payment.invoiceId, end);
    marks.push(`payment: ${end}`);
    if (random.next() >= chanceOfEvent) return;
    caller.send(end === 'expired' ? 'invoice.voided' : 'invoice.paid', {
      id: payment.invoiceId,
      subscription: payment.subscriptionId,
      billing_reason: 'subscription_update',
    });
  };
  world.provider.askForConfirmation(heldSubscription);
  return {
    async mayAct() {
      if (random.next() >= chanceOfAct) return;
      const [first] = waiting();
      if (first) await act(first);
    },
    async actAtLast() {
      for (const each of waiting()) await act(each);
    },
  };
}

async function changePrice({ provider }: World, subscriptionId: string): Promise<void> {
  const read = await provider.retrieveSubscription(subscriptionId);
  if (read.outcome !== 'succeeded') throw new Error(`${subscriptionId} cannot be read`);
  const currentPeriodEnd = read.value.currentPeriodEnd!;
  provider.seed({ subscriptions: [{ ...read.value, priceId: 'price_starter', currentPeriodEnd }] });
}

const wanted = { confirmed: 'succeeded', expired: 'failed', 'confirmed, and the price changed': 'unknown' } as const;

/** Upgrades that did not end as their payments did. What stopped, or was resolved by a person, is judged elsewhere. */
export function unfollowedPayments({ databases, payments }: World): string[] {
  return databases.operator.store
    .collection(operationsCollection)
    .all()
    .flatMap(({ _id, status, payment, resolution }) => {
      if (!payment || resolution || status === 'reconciliation_required') return [];
      const end = payments.get(payment.invoiceId);
      if (status === 'awaiting_payment') return [`operation ${_id} still waits for a payment that has come to its end`];
      const isTrue = end ? status === wanted[end] : status !== 'succeeded';
      return isTrue ? [] : [`operation ${_id} is ${status}, and its payment was ${end ?? 'never made'}`];
    });
}
