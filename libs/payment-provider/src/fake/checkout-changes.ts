/** The fake's checkout sessions: created open, then paid or expired by the person whom a test plays. */
import { assert, type Ids } from '@platform/kernel';
import type { ValuesOf } from '../effects';
import type { ProviderCheckoutSession, ProviderSubscriptionStatus } from '../objects';
import { invalid, missing, type Behaviours, type Metadata } from './behaviour';
import type { createProviderState } from './provider-state';

type CheckoutDraft = ValuesOf<'create_session'>;

interface Sold {
  readonly session: ProviderCheckoutSession;
  readonly draft: CheckoutDraft;
}

/** How a person pays on the page: with which card, and whether the bank answers later. */
export interface Purchase {
  /** The status of the sold subscription. */
  readonly status?: ProviderSubscriptionStatus;
  /** Absent: a new card. */
  readonly cardFingerprint?: string;
  /** The bank answers when the session's invoice is confirmed or given up. */
  readonly bankAnswersLater?: boolean;
}

const dayMs = 86_400_000;
const firstTotal = 1_900;

function openSession(id: string, metadata: Metadata, draft: CheckoutDraft, at: Date): ProviderCheckoutSession {
  return {
    id,
    status: 'open',
    url: `https://checkout.test/${id}`,
    customerId: draft.customerId,
    subscriptionId: null,
    paymentMethodId: null,
    paymentStatus: 'unpaid',
    invoiceId: null,
    expiresAt: new Date(at.getTime() + dayMs),
    metadata,
  };
}

/** The subscription that begins when the session is paid. */
function soldSubscription(
  id: string,
  { session, draft }: Sold,
  status: ProviderSubscriptionStatus | undefined,
  at: Date,
) {
  return {
    id,
    customerId: draft.customerId,
    priceId: draft.priceId,
    itemId: `si_${id}`,
    status: status ?? (draft.trialDays > 0 ? 'trialing' : 'active'),
    currentPeriodEnd: new Date(at.getTime() + 30 * dayMs),
    metadata: session.metadata,
  } as const;
}

type State = ReturnType<typeof createProviderState>;

/** The first invoice of a sale whose bank has not answered yet. */
function openInvoice(state: State, ids: Ids, customerId: string, subscriptionId: string): string {
  const id = `in_${ids.next()}`;
  const hostedUrl = `https://invoice.test/${id}`;
  const invoice = { id, customerId, subscriptionId, status: 'open', total: firstTotal, hostedUrl } as const;
  state.invoices.set(id, { ...invoice, paymentMethodId: '' });
  return id;
}

/** The session after its person has finished, with the new card and subscription. */
function paidSession(
  state: State,
  ids: Ids,
  sale: Sold,
  { status, cardFingerprint, bankAnswersLater }: Purchase,
  at: Date,
): ProviderCheckoutSession {
  const { customerId, trialDays } = sale.draft;
  const [subscriptionId, paymentMethodId] = [`sub_${ids.next()}`, `pm_${ids.next()}`];
  const fingerprint = cardFingerprint ?? `fp_${paymentMethodId}`;
  state.addPaymentMethod({ id: paymentMethodId, customerId, cardFingerprint: fingerprint });
  state.seed({ subscriptions: [soldSubscription(subscriptionId, sale, status, at)] });
  return {
    ...sale.session,
    status: 'complete',
    url: null,
    subscriptionId,
    paymentMethodId,
    paymentStatus: bankAnswersLater ? 'unpaid' : trialDays > 0 ? 'no_payment_required' : 'paid',
    invoiceId: bankAnswersLater ? openInvoice(state, ids, customerId, subscriptionId) : null,
  };
}

export function createCheckouts(state: State, ids: Ids, now: () => Date) {
  const sold = new Map<string, Sold>();

  function open(id: string): Sold {
    const found = sold.get(id);
    assert(found?.session.status === 'open', `checkout session ${id} is not open`);
    return found;
  }

  function expire(id: string): ProviderCheckoutSession {
    const { session, draft } = open(id);
    const expired: ProviderCheckoutSession = { ...session, status: 'expired', url: null };
    sold.set(id, { session: expired, draft });
    return expired;
  }

  const behaviours: Behaviours<'create_session' | 'expire_session'> = {
    create_session: (draft, metadata) => {
      const customer = state.customers.get(draft.customerId);
      if (!customer || customer.deleted) return invalid('customer', 'resource_missing');
      if (!state.priceIds.has(draft.priceId)) return invalid('line_items[0][price]', 'resource_missing');
      return {
        apply: () => {
          const id = `cs_${ids.next()}`;
          const session = openSession(id, metadata, draft, now());
          sold.set(id, { session, draft });
          return session;
        },
      };
    },
    expire_session: ({ sessionId }) => {
      const found = sold.get(sessionId);
      if (!found) return missing('session');
      return found.session.status === 'open' ? { apply: () => expire(sessionId) } : invalid('session');
    },
  };

  /** The current session: one with a bank that answers later is paid when its invoice is. */
  const current = ({ session }: Sold): ProviderCheckoutSession =>
    session.paymentStatus === 'unpaid' && state.invoices.get(session.invoiceId ?? '')?.status === 'paid'
      ? { ...session, paymentStatus: 'paid' }
      : session;

  function complete(id: string, purchase: Purchase = {}): ProviderCheckoutSession {
    const { draft } = open(id);
    const session = paidSession(state, ids, open(id), purchase, now());
    sold.set(id, { session, draft });
    return session;
  }

  return {
    behaviours,
    ofCustomer: (id: string) => [...sold.values()].map(current).filter((each) => each.customerId === id),
    find: (id: string) => {
      const found = sold.get(id);
      return found && current(found);
    },
    complete,
    expire,
  };
}
