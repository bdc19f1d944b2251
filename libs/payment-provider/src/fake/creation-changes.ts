/** The fake's customers, cards, subscriptions and first invoices in a creation, and what it charged. */
import type { Ids } from '@platform/kernel';
import type {
  ProviderCustomer,
  ProviderInvoice,
  ProviderIssuedInvoice,
  ProviderPaymentMethod,
  ProviderSubscription,
} from '../objects';
import type { ValuesOf } from '../effects';
import { emailDigest } from '../email-digest';
import { invalid, missing, type Behaviours, type Change, type Invoices, type Metadata } from './behaviour';
import { expirePayment } from './held-payments';

interface Account {
  readonly customers: Map<string, ProviderCustomer>;
  readonly subscriptions: Map<string, ProviderSubscription>;
  readonly priceIds: ReadonlySet<string>;
  readonly issued: ProviderIssuedInvoice[];
  readonly tell: (type: string, customerId: string) => void;
  readonly ids: Ids;
  readonly now: () => Date;
}

type CardOfCustomer = ValuesOf<'attach_payment_method'>;
type SubscriptionDraft = ValuesOf<'create_subscription'>;
type CustomerStep = 'create_customer' | 'attach_payment_method' | 'set_default_payment_method' | 'delete_customer';

const periodMs = 30 * 86_400_000;
const dayMs = 86_400_000;
/** The total of every first invoice without a trial, in minor units. */
const firstTotal = 1_900;
const declined = {
  refusal: { httpStatus: 402, error: { type: 'card_error', code: 'card_declined', declineCode: 'generic_decline' } },
};

const unconfirmed = {
  refusal: { httpStatus: 402, error: { type: 'card_error', code: 'invoice_payment_intent_requires_action' } },
};

/** Cards whose holder must confirm each payment, including the provider's documented test cards of that kind. */
const askingCards: ReadonlySet<string> = new Set([
  'pm_card_authenticationRequired',
  'pm_card_authenticationRequiredOnSetup',
]);

/** Methods whose payments take days; the documented test account of bank debits. */
const delayedMethods: ReadonlySet<string> = new Set(['pm_usBankAccount_success']);

/** Cards whose charges fail once attached, including the provider's documented test card of that kind. */
const decliningCards: ReadonlySet<string> = new Set(['pm_card_chargeCustomerFail']);

/** Cards by id, with their customers, and which of them will be declined. */
interface Wallet {
  readonly paymentMethods: Map<string, ProviderPaymentMethod>;
  /** Payment methods that were detached from their customer; they may not be used again. */
  readonly detached: Set<string>;
  readonly declining: Set<string>;
  /** Cards whose holder must confirm each payment. */
  readonly asking: Set<string>;
  /** Methods whose payments take days. */
  readonly delayed: Set<string>;
  /** A method of this account, or one of the documented test cards. */
  method(id: string): ProviderPaymentMethod | undefined;
  usable(pair: CardOfCustomer): boolean;
}

function createWallet(): Wallet {
  const paymentMethods = new Map<string, ProviderPaymentMethod>();
  return {
    paymentMethods,
    detached: new Set(),
    declining: new Set(),
    asking: new Set(),
    delayed: new Set(),
    method: (id) =>
      paymentMethods.get(id) ??
      (id.startsWith('pm_card_') || delayedMethods.has(id)
        ? { id, customerId: null, cardFingerprint: delayedMethods.has(id) ? null : `fp_${id}` }
        : undefined),
    usable: ({ customerId, paymentMethodId }) => paymentMethods.get(paymentMethodId)?.customerId === customerId,
  };
}

export function createCreations(account: Account) {
  const wallet = createWallet();
  const invoices: Invoices = new Map();
  return {
    method: wallet.method,
    methodsOf: (customerId: string) =>
      [...wallet.paymentMethods.values()].filter((each) => each.customerId === customerId),
    addPaymentMethod: (added: ProviderPaymentMethod) => void wallet.paymentMethods.set(added.id, added),
    invoices,
    behaviours: { ...customerBehaviours(account, wallet), ...saleBehaviours(account, wallet, invoices) },
  };
}

/** The customer's subscriptions end with the customer. Its cards are detached permanently. */
function deletion(
  { customers, subscriptions }: Account,
  { paymentMethods, detached }: Wallet,
  id: string,
): Change<ProviderCustomer> {
  const customer = customers.get(id);
  if (!customer || customer.deleted) return missing('customer');
  return {
    apply: () => {
      const gone = { id, deleted: true, currency: null, balance: 0, metadata: {} };
      customers.set(id, gone);
      for (const each of subscriptions.values())
        if (each.customerId === id && each.status !== 'canceled')
          subscriptions.set(each.id, { ...each, status: 'canceled' });
      for (const each of paymentMethods.values())
        if (each.customerId === id) {
          paymentMethods.set(each.id, { ...each, customerId: null });
          detached.add(each.id);
        }
      return gone;
    },
  };
}

function customerBehaviours(account: Account, wallet: Wallet): Behaviours<CustomerStep> {
  const { customers, ids, tell } = account;
  const { paymentMethods, detached, declining, asking, delayed, method, usable } = wallet;
  return {
    create_customer: ({ email }, metadata) => ({
      apply: () => {
        const account = { deleted: false, currency: null, balance: 0, metadata };
        const customer = { id: `cus_${ids.next()}`, ...account, ...(email && { emailDigest: emailDigest(email) }) };
        customers.set(customer.id, customer);
        tell('customer.created', customer.id);
        return customer;
      },
    }),
    attach_payment_method: ({ customerId, paymentMethodId }) => {
      const found = method(paymentMethodId);
      const customer = customers.get(customerId);
      if (!found) return missing('payment_method');
      if (!customer || customer.deleted) return invalid('customer', 'resource_missing');
      if (detached.has(found.id)) return invalid('payment_method');
      if (found.customerId !== null && found.customerId !== customer.id) return invalid('payment_method');
      return {
        apply: () => {
          // As at the provider, each use of a documented test card creates a new method.
          const attached = {
            ...found,
            id: paymentMethods.has(found.id) ? found.id : `pm_${ids.next()}`,
            customerId: customer.id,
          };
          paymentMethods.set(attached.id, attached);
          if (decliningCards.has(found.id)) declining.add(attached.id);
          if (askingCards.has(found.id)) asking.add(attached.id);
          if (delayedMethods.has(found.id)) delayed.add(attached.id);
          return attached;
        },
      };
    },
    set_default_payment_method: (setting, metadata) => {
      const customer = customers.get(setting.customerId);
      if (!customer || customer.deleted) return missing('customer');
      if (!usable(setting)) return invalid('invoice_settings[default_payment_method]', 'resource_missing');
      return {
        apply: () => {
          const next = { ...customer, metadata: { ...customer.metadata, ...metadata } };
          customers.set(next.id, next);
          return next;
        },
      };
    },
    delete_customer: ({ customerId }) => deletion(account, wallet, customerId),
  };
}

function startedSubscription(
  id: string,
  { customerId, priceId, trialDays }: SubscriptionDraft,
  invoice: ProviderInvoice,
  metadata: Metadata,
  at: Date,
): ProviderSubscription {
  return {
    id,
    customerId,
    status: trialDays > 0 ? 'trialing' : invoice.status === 'paid' ? 'active' : 'incomplete',
    collectionPaused: false,
    cancelAtPeriodEnd: false,
    itemId: `si_${id}`,
    priceId,
    quantity: 1,
    currentPeriodEnd: new Date(at.getTime() + (trialDays > 0 ? trialDays * dayMs : periodMs)),
    scheduleId: null,
    metadata,
  };
}

function voidInvoice(invoices: Invoices, subscriptions: Account['subscriptions'], id: string): Change<ProviderInvoice> {
  const found = invoices.get(id);
  if (!found) return missing('invoice');
  if (found.status !== 'open') return invalid('invoice', 'invoice_not_open');
  return { apply: () => expirePayment({ subscriptions, invoices }, id) };
}

function saleBehaviours(
  { customers, subscriptions, priceIds, issued, ids, now }: Account,
  { declining, asking, delayed, usable }: Wallet,
  invoices: Invoices,
): Behaviours<'create_subscription' | 'pay_invoice' | 'void_invoice'> {
  function firstInvoice(draft: SubscriptionDraft, subscriptionId: string, metadata: Metadata): ProviderInvoice {
    const total = draft.trialDays > 0 ? 0 : firstTotal;
    const id = `in_${ids.next()}`;
    const invoice = {
      id,
      hostedUrl: `https://invoice.test/${id}`,
      customerId: draft.customerId,
      subscriptionId,
      status: total === 0 ? 'paid' : 'open',
      total,
    } as const;
    invoices.set(invoice.id, { ...invoice, paymentMethodId: draft.paymentMethodId });
    const reason = 'subscription_create';
    issued.push({ ...invoice, currency: 'usd', reason, createdAt: now(), subscriptionMetadata: metadata });
    return invoice;
  }

  return {
    create_subscription: (draft, metadata) => {
      const customer = customers.get(draft.customerId);
      if (!customer || customer.deleted) return invalid('customer', 'resource_missing');
      if (!priceIds.has(draft.priceId)) return invalid('items[0][price]', 'resource_missing');
      if (!usable(draft)) return invalid('default_payment_method', 'resource_missing');
      return {
        apply: () => {
          const id = `sub_${ids.next()}`;
          const invoice = firstInvoice(draft, id, metadata);
          const subscription = startedSubscription(id, draft, invoice, metadata, now());
          subscriptions.set(id, subscription);
          customers.set(customer.id, { ...customer, currency: 'usd' });
          return { ...subscription, firstInvoice: invoice };
        },
      };
    },
    void_invoice: ({ invoiceId }) => voidInvoice(invoices, subscriptions, invoiceId),
    pay_invoice: ({ invoiceId: id }) => {
      const found = invoices.get(id);
      if (!found) return missing('invoice');
      if (found.status !== 'open')
        return invalid('invoice', found.status === 'paid' ? 'invoice_already_paid' : 'invoice_not_open');
      if (declining.has(found.paymentMethodId)) return declined;
      if (asking.has(found.paymentMethodId)) return unconfirmed;
      // Accepted and in transit: the invoice stays open until the bank has answered.
      if (delayed.has(found.paymentMethodId)) return { apply: () => found };
      return {
        apply: () => {
          const paid = { ...found, status: 'paid' as const };
          invoices.set(id, paid);
          const subscription = subscriptions.get(found.subscriptionId ?? '');
          if (subscription?.status === 'incomplete')
            subscriptions.set(subscription.id, { ...subscription, status: 'active' });
          return paid;
        },
      };
    },
  };
}
