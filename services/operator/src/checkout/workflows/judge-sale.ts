/**
 * The state of a sale on the provider's page, before an executor is admitted to complete it: the sale is valid, waits
 * for a bank, for the provider or for the decision about its trial, or is not valid. The judgement binds the card to
 * the trial and has no other effect; a repeat gets the same answer.
 */
import type { ProviderInvoice, ProviderSubscription } from '@platform/payment-provider';
import type { CheckoutSession, OperationError } from '../../operations/domain/operation';
import { readWithRetries } from '../../operations/workflows/read-with-retries';
import type { CheckoutPorts } from './checkout-ports';
import type { WaitingCheckout } from './read-checkout';

/** Why a sale is not valid, and the subscription that it began. */
export interface SaleRefusal {
  readonly sold: ProviderSubscription;
  readonly error: OperationError;
}

type Judged =
  | { readonly kind: 'sold' }
  | { readonly kind: 'waits'; readonly waitsFor: NonNullable<CheckoutSession['waitsFor']> }
  | ({ readonly kind: 'refused' } & SaleRefusal);

/** `bankRefused`: the provider has reported that the payment of this session failed. */
export async function judgeSale(ports: CheckoutPorts, waiting: WaitingCheckout, bankRefused: boolean): Promise<Judged> {
  const { session, recorded } = waiting;
  const { provider, retryPolicy } = ports;
  const read = await readWithRetries(retryPolicy, () => provider.retrieveSubscription(session.subscriptionId ?? ''));
  // The executor would read the sale again, and would complete it without this judgement.
  if (read.outcome === 'unknown') return { kind: 'waits', waitsFor: 'provider' };
  // The session names an object that does not exist: the executor stops, and people decide.
  if (read.outcome === 'failed') return { kind: 'sold' };
  const sold = read.value;
  const invoice = session.paymentStatus === 'unpaid' ? await firstInvoice(ports, session.invoiceId) : null;
  const payment = paymentOf(sold, session.paymentStatus, invoice, bankRefused);
  if (payment === 'failed') return { kind: 'refused', sold, error: paymentFailed };
  if (payment === 'waits') return { kind: 'waits', waitsFor: 'payment' };
  if (payment === 'unread') return { kind: 'waits', waitsFor: 'provider' };
  if (recorded.trialDays === 0) return { kind: 'sold' };
  const trial = await judgeTrial(ports, waiting);
  if (trial === 'uncertain') return { kind: 'waits', waitsFor: 'trial_decision' };
  // The provider charges at the end of a trial, and what was charged is not taken back with a refusal.
  return trial === 'held' && sold.status === 'trialing'
    ? { kind: 'refused', sold, error: trialRefused }
    : { kind: 'sold' };
}

const paymentFailed: OperationError = {
  code: 'payment_failed',
  message: 'The payment of this checkout failed. Nothing was charged, and the plan is as it was. Begin a new checkout.',
};
const trialRefused: OperationError = {
  code: 'trial_refused',
  message:
    'The card of this checkout has had a trial before, so that its trial was ended at once and nothing was charged. Begin a new checkout; it has no trial.',
};

async function firstInvoice(
  { provider, retryPolicy }: CheckoutPorts,
  id: string | null,
): Promise<ProviderInvoice | 'unread' | null> {
  if (id === null) return null;
  const read = await readWithRetries(retryPolicy, () => provider.retrieveInvoice(id));
  return read.outcome === 'succeeded' ? read.value : 'unread';
}

/**
 * A bank that answers later leaves the subscription active and its invoice open; when it refuses, the provider voids
 * the invoice. A void invoice is never paid. A sale that was paid is the executor's, whatever has become of it since: a
 * later invoice may be overdue, or a trial over. Only a first payment that the provider still works on leaves it
 * incomplete. An invoice that cannot be read may be paid.
 */
function paymentOf(
  { status }: ProviderSubscription,
  paymentStatus: WaitingCheckout['session']['paymentStatus'],
  invoice: ProviderInvoice | 'unread' | null,
  bankRefused: boolean,
): 'made' | 'waits' | 'unread' | 'failed' {
  const ended = status === 'canceled' || status === 'incomplete_expired' || status === 'unpaid';
  const state = invoice === 'unread' ? invoice : invoice?.status;
  if (paymentStatus !== 'unpaid' || state === 'paid') return status === 'incomplete' ? 'waits' : 'made';
  const given = state === 'void' || state === 'uncollectible';
  if (!ended && !bankRefused && !given) return 'waits';
  return state === 'unread' ? 'unread' : 'failed';
}

/**
 * Whether another operation has had a trial with the card of this session; a payment method without a card has no
 * fingerprint to bind.
 */
async function judgeTrial(
  { provider, reserveTrial, retryPolicy }: CheckoutPorts,
  { session: { paymentMethodId }, operation: { _id: operationId, tenantId, actor } }: WaitingCheckout,
): Promise<'bound' | 'held' | 'uncertain'> {
  if (!paymentMethodId || !reserveTrial || actor.email === undefined) return 'bound';
  const method = await readWithRetries(retryPolicy, () => provider.retrievePaymentMethod(paymentMethodId));
  if (method.outcome !== 'succeeded') return 'uncertain';
  const { cardFingerprint } = method.value;
  if (cardFingerprint === null) return 'bound';
  const request = {
    tenantId,
    operationId,
    email: actor.email,
    cardFingerprints: [cardFingerprint],
    begun: true,
  } as const;
  const answer = await reserveTrial(request);
  if (answer.kind !== 'decided') return 'uncertain';
  return answer.held ? 'held' : 'bound';
}
