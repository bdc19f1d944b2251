/** Searches for the effect of a step whose answer was lost, as its description says. Reads only. */
import { succeeded, unknown, type Outcome } from '@platform/kernel';
import { effects, type EffectStep, type Finder, type Handles } from './effects';
import type { CallIntent, ProviderReads } from './port';
import { summaryOf, type FoundKind, type FoundObject } from './found-object';

/** The objects that searches examine; every object of the provider has an id. */
type Seen = Parameters<Finder['shows']>[0];

const kindsSeen: { readonly [Search in Finder['search']]: FoundKind } = {
  retrieveCustomer: 'customer',
  retrieveSubscription: 'subscription',
  retrievePaymentMethod: 'payment_method',
  retrieveInvoice: 'invoice',
  listBalanceTransactions: 'customer_balance_transaction',
  listSubscriptions: 'subscription',
  listSchedules: 'subscription_schedule',
  listCheckoutSessions: 'checkout_session',
  listCustomers: 'customer',
};

/** The handles that the search of a step needs and that are unknown. */
export function missingHandles(step: EffectStep, handles: Handles): readonly string[] {
  return effects[step].evidence.needs.filter((handle) => handles[handle] === undefined);
}

/**
 * Objects that show the effect. An empty list does not prove that the effect did not happen. `unknown` when a handle
 * that the search needs is unknown, or the provider does not answer.
 */
export async function findEffect(
  reads: ProviderReads,
  intent: CallIntent & { readonly step: EffectStep },
  handles: Handles,
): Promise<Outcome<readonly FoundObject[]>> {
  const { search, needs, shows } = effects[intent.step].evidence;
  const missing = missingHandles(intent.step, handles);
  if (missing.length > 0) return unknown(`${search} cannot be asked: ${missing.join(', ')} is not known`);
  const answer: Outcome<Seen | readonly Seen[]> = await reads[search](handles[needs[0]]!);
  if (answer.outcome === 'failed' && answer.code === 'not_found') return succeeded([]);
  if (answer.outcome !== 'succeeded') return answer;
  const seen = Array.isArray(answer.value) ? (answer.value as readonly Seen[]) : [answer.value as Seen];
  return succeeded(
    seen
      .filter((each) => (shows as (seen: Seen, about: object) => boolean)(each, { ...intent, ...handles }))
      .flatMap((each) => [{ kind: kindsSeen[search], id: each.id, summary: summaryOf(each) }, ...soldBy(each)]),
  );
}

/** The subscription that a paid session sold: the object that proves a completed checkout. */
function soldBy(seen: Seen): readonly FoundObject[] {
  if (!('expiresAt' in seen) || seen.subscriptionId === null) return [];
  const { id: session, customerId, subscriptionId: id } = seen;
  return [{ kind: 'subscription', id, summary: { session, customerId, status: seen.status } }];
}
