/**
 * Expansion: `expand[]=latest_invoice.payments` replaces ids by their objects, at most four levels deep, and adds the
 * few fields that the provider sends only on request.
 */
import { clone } from '../clone';
import type { State } from '../state';
import type { TableName } from '../tables';
import { checkoutLines } from '../billing/checkout-lines';
import { errors } from './errors';
import { listOf } from './pagination';

type Json = Record<string, unknown>;

const tableOfField: Record<string, TableName> = {
  customer: 'customer',
  product: 'product',
  price: 'price',
  payment_method: 'payment_method',
  default_payment_method: 'payment_method',
  subscription: 'subscription',
  schedule: 'subscription_schedule',
  invoice: 'invoice',
  latest_invoice: 'invoice',
  payment_intent: 'payment_intent',
  charge: 'charge',
  latest_charge: 'charge',
  setup_intent: 'setup_intent',
  pending_setup_intent: 'setup_intent',
  credit_note: 'credit_note',
  customer_balance_transaction: 'customer_balance_transaction',
  checkout_session: 'checkout.session',
  default_price: 'price',
  released_subscription_object: 'subscription',
};

/** References that the provider expands and whose objects the twin does not have; they stay ids. */
const foreign = new Set([
  'application',
  'balance_transaction',
  'default_source',
  'failure_balance_transaction',
  'latest_attempt',
  'latest_revision',
  'mandate',
  'on_behalf_of',
  'review',
  'source_transfer',
  'test_clock',
  'account_tax_ids',
  'discounts',
  'discount',
  'payment_link',
  'single_use_mandate',
  'tax_code',
  'source',
]);

const onRequest: Record<string, Record<string, (state: State, owner: Json) => unknown>> = {
  invoice: {
    payments: (state, invoice) =>
      listOf(state.where('invoice_payment', 'invoice', String(invoice.id)), '/v1/invoice_payments'),
    confirmation_secret: (state, invoice) => {
      const payment = state.where('invoice_payment', 'invoice', String(invoice.id)).find((each) => each.is_default);
      const intent = state.get('payment_intent', payment?.payment.payment_intent ?? '');
      return intent?.client_secret ? { client_secret: intent.client_secret, type: 'payment_intent' } : null;
    },
  },
  customer: {
    subscriptions: (state, customer) =>
      listOf(
        state
          .where('subscription', 'customer', String(customer.id))
          .filter((each) => each.status !== 'canceled')
          .reverse(),
        `/v1/customers/${String(customer.id)}/subscriptions`,
      ),
    sources: (_state, customer) => listOf([], `/v1/customers/${String(customer.id)}/sources`),
    tax_ids: (_state, customer) => listOf([], `/v1/customers/${String(customer.id)}/tax_ids`),
  },
  charge: {
    refunds: (state, charge) =>
      listOf(
        state
          .where('refund', 'payment_intent', String(charge.payment_intent))
          .filter((each) => each.charge === charge.id),
        `/v1/charges/${String(charge.id)}/refunds`,
      ),
  },
  'checkout.session': {
    line_items: (state, session) =>
      listOf(checkoutLines(state, String(session.id)), `/v1/checkout/sessions/${String(session.id)}/line_items`),
  },
};

function failExpansion(path: string): never {
  throw errors.invalid(
    `This property cannot be expanded (${path}). You may want to try expanding a different property.`,
    'expand',
  );
}

function expandField(state: State, owner: Json, name: string, path: string): unknown {
  const special = onRequest[String(owner.object)]?.[name];
  if (special && owner[name] === undefined) return clone(special(state, owner));
  if (!(name in owner)) failExpansion(path);
  const value = owner[name];
  const table = tableOfField[name];
  if (foreign.has(name) || (typeof value === 'object' && value !== null)) return value;
  if (!table) failExpansion(path);
  if (typeof value !== 'string') return value;
  return clone(state.get(table, value)) ?? value;
}

function expandAt(state: State, target: unknown, segments: string[], path: string): void {
  const [name, ...rest] = segments;
  if (name === undefined || target === null || target === undefined) return;
  if (Array.isArray(target)) {
    for (const each of target) expandAt(state, each, segments, path);
    return;
  }
  if (typeof target !== 'object') failExpansion(path);
  const owner = target as Json;
  owner[name] = expandField(state, owner, name, path);
  expandAt(state, owner[name], rest, path);
}

/**
 * A copy of the answer with the requested references expanded. Throws a 400 refusal for a reference that cannot be
 * expanded.
 */
export function expand(state: State, answer: object, paths: string[]): object {
  if (paths.length === 0) return answer;
  const copy = clone(answer);
  for (const path of paths) {
    const segments = path.split('.');
    if (segments.filter((each) => each !== 'data').length > 4)
      throw errors.invalid('You cannot expand more than 4 levels of a property.', 'expand');
    expandAt(state, copy, segments, path);
  }
  return copy;
}
