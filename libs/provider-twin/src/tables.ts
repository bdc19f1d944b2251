/**
 * What the twin stores, one table per kind of object. Rows are plain JSON, so the whole state can be saved, restored,
 * journalled and compared byte for byte.
 */
import type Stripe from 'stripe';
import type { ListEnvelope, Stored } from './stored';

export type Customer = Stored<Stripe.Customer>;
export type Product = Stored<Stripe.Product>;
export type Price = Stored<Stripe.Price>;
export type Plan = Stored<Stripe.Plan>;
export type PaymentMethod = Stored<Stripe.PaymentMethod>;
export type SubscriptionItem = Stored<Stripe.SubscriptionItem>;
export type Subscription = Omit<Stored<Stripe.Subscription>, 'items'> & { items: ListEnvelope<SubscriptionItem> };
export type Schedule = Stored<Stripe.SubscriptionSchedule>;
export type InvoiceLine = Stored<Stripe.InvoiceLineItem>;
export type Invoice = Omit<Stored<Stripe.Invoice>, 'lines' | 'payments'> & { lines: ListEnvelope<InvoiceLine> };
export type InvoiceItem = Stored<Stripe.InvoiceItem>;
export type InvoicePayment = Stored<Stripe.InvoicePayment>;
export type PaymentIntent = Stored<Stripe.PaymentIntent>;
export type SetupIntent = Stored<Stripe.SetupIntent>;
export type Charge = Stored<Stripe.Charge>;
export type Refund = Stored<Stripe.Refund>;
export type CreditNote = Stored<Stripe.CreditNote>;
export type BalanceTransaction = Stored<Stripe.CustomerBalanceTransaction>;
export type Session = Stored<Stripe.Checkout.Session>;
type WebhookEndpoint = Stored<Stripe.WebhookEndpoint>;
export interface StoredEvent {
  id: string;
  object: 'event';
  api_version: string;
  created: number;
  data: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> };
  livemode: false;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: string;
}

/** One effect: a request that was executed and changed something, or a charge that the clock caused. Money in cents. */
export interface LedgerEntry {
  id: string;
  at: number;
  method: string;
  path: string;
  idempotencyKey: string | null;
  metadata: Record<string, string>;
  /** The amount of the object that the effect created or changed, if it has one. */
  amount?: number;
  currency?: string;
  /** What this effect took from cards (negative: returned). */
  charged: number;
  objectId: string | null;
  requestId: string | null;
  status: number;
}

/** One arrived request, executed or not. */
export interface RequestEntry {
  id: string;
  at: number;
  method: string;
  path: string;
  idempotencyKey: string | null;
  status: number | null;
  outcome: 'in_flight' | 'executed' | 'replayed' | 'refused';
  fault: string | null;
  answered: boolean;
}

/** The first answer under an idempotency key. */
export interface KeyEntry {
  id: string;
  fingerprint: string;
  endpoint: string;
  status: number;
  body: string;
  requestId: string;
  at: number;
}

/** One event that is to be delivered to one endpoint. */
export interface Delivery {
  id: string;
  event: string;
  endpoint: string;
  attempts: number;
  status: 'pending' | 'delivered' | 'failed';
  lastStatus: number | null;
  lastError: string | null;
  notBefore: number;
}

/** What a checkout session sells and its result; the provider shows only parts of it, on request. */
export interface CheckoutContent {
  id: string;
  lines: { id: string; price: string; quantity: number; amount: number; currency: string; description: string }[];
  subscription: {
    metadata: Record<string, string>;
    description: string | null;
    trialDays: number;
    trialEnd: number | null;
  };
  payment: { metadata: Record<string, string>; description: string | null };
}

export interface Tables {
  customer: Customer;
  product: Product;
  price: Price;
  payment_method: PaymentMethod;
  subscription: Subscription;
  subscription_schedule: Schedule;
  invoice: Invoice;
  invoiceitem: InvoiceItem;
  invoice_payment: InvoicePayment;
  payment_intent: PaymentIntent;
  setup_intent: SetupIntent;
  charge: Charge;
  refund: Refund;
  credit_note: CreditNote;
  customer_balance_transaction: BalanceTransaction;
  'checkout.session': Session;
  event: StoredEvent;
  webhook_endpoint: WebhookEndpoint & { secret: string };
  delivery: Delivery;
  ledger: LedgerEntry;
  request: RequestEntry;
  key: KeyEntry;
  checkout_content: CheckoutContent;
  /** Cards that their holder authenticated for later payments, by method id. */
  card_set_up: { id: string };
  /** Methods that were detached and may not be used again, by id. */
  detached_method: { id: string };
  /** One-time announcements that were made, so that they are not repeated. */
  reminder: { id: string };
  counter: { id: string; n: number };
  setting: { id: string; value: number | string };
}

export type TableName = keyof Tables;

export const tableNames: TableName[] = [
  'customer',
  'product',
  'price',
  'payment_method',
  'subscription',
  'subscription_schedule',
  'invoice',
  'invoiceitem',
  'invoice_payment',
  'payment_intent',
  'setup_intent',
  'charge',
  'refund',
  'credit_note',
  'customer_balance_transaction',
  'checkout.session',
  'event',
  'webhook_endpoint',
  'delivery',
  'ledger',
  'request',
  'key',
  'checkout_content',
  'card_set_up',
  'detached_method',
  'reminder',
  'counter',
  'setting',
];

/** Fields other than the id by which rows are looked up. */
export const indexedFields: Partial<Record<TableName, string[]>> = {
  payment_method: ['customer'],
  subscription: ['customer'],
  invoice: ['customer'],
  invoiceitem: ['customer'],
  invoice_payment: ['invoice', 'intent'],
  payment_intent: ['customer'],
  charge: ['payment_intent'],
  refund: ['payment_intent'],
  credit_note: ['invoice'],
  customer_balance_transaction: ['customer'],
  price: ['product'],
  delivery: ['event', 'status'],
};
