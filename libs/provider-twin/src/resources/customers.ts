/**
 * Customers and their balance. The balance is money that is not yet invoiced: negative is credit. It changes only by
 * customer balance transactions, each of which contains the balance after it.
 */
import { created, endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
import {
  changedMetadata,
  currency,
  flag,
  hash,
  integer,
  list,
  metadata,
  notOffered,
  oneOf,
  required,
  text,
  unsettable,
  type Read,
} from '../http/params';
import { balanceChange } from '../billing/balance';
import { cancelSubscription } from '../billing/cancellation';
import { hashText } from '../ids';
import type { Customer } from '../tables';
import type { Twin } from '../twin';
import { selected } from './listing';
import { found, isDeleted, newestFirst, referenced } from './lookup';
import { attach, forgetOwner, ownMethod } from './payment-methods';

const address = hash({
  city: unsettable(text()),
  country: unsettable(text(2)),
  line1: unsettable(text()),
  line2: unsettable(text()),
  postal_code: unsettable(text()),
  state: unsettable(text()),
});
const noTax = notOffered('tax');

const shared = {
  address: unsettable(address),
  balance: integer(-99_999_999, 99_999_999),
  description: unsettable(text()),
  email: unsettable(text(512)),
  invoice_prefix: text(12),
  invoice_settings: hash({
    default_payment_method: unsettable(text()),
    footer: unsettable(text()),
    custom_fields: unsettable(list(hash({ name: required(text(40)), value: required(text(140)) }), 4)),
  }),
  metadata,
  name: unsettable(text(256)),
  next_invoice_sequence: integer(1),
  phone: unsettable(text(20)),
  preferred_locales: list(text(20)),
  shipping: unsettable(hash({ address: required(address), name: required(text()), phone: unsettable(text()) })),
  source: notOffered('sources and tokens on customers; attach a payment method'),
  tax: noTax,
  tax_exempt: unsettable(oneOf('none', 'exempt', 'reverse')),
  validate: flag,
};
const createParams = {
  ...shared,
  payment_method: text(),
  tax_id_data: noTax,
  test_clock: notOffered('test clocks; use POST /_twin/clock'),
};
type Changes = Read<typeof shared>;

function fullAddress(given: Read<typeof shared>['address'] | undefined): Customer['address'] {
  if (!given) return null;
  const { city = null, country = null, line1 = null, line2 = null, postal_code = null, state = null } = given;
  return { city, country, line1, line2, postal_code, state };
}

/** A customer with only an id. */
export function blankCustomer(id: string, createdAt: number): Customer {
  return {
    id,
    object: 'customer',
    address: null,
    balance: 0,
    created: createdAt,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: hashText(8, 'invoice prefix', id).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

function applyChanges(twin: Twin, customer: Customer, given: Changes): void {
  const {
    address: givenAddress,
    balance: _balance,
    invoice_settings: settings,
    metadata: change,
    shipping,
    source: _source,
    tax: _tax,
    validate: _validate,
    email,
    ...plain
  } = given;
  if (email && !/^[^\s@]+@[^\s@]+$/.test(email))
    throw errors.invalid(`Invalid email address: ${email}`, 'email', 'email_invalid');
  Object.assign(customer, plain, email === undefined ? {} : { email });
  if (givenAddress !== undefined) customer.address = fullAddress(givenAddress);
  if (shipping !== undefined)
    customer.shipping = shipping && {
      address: fullAddress(shipping.address) ?? undefined,
      name: shipping.name,
      phone: shipping.phone ?? null,
    };
  if (change !== undefined) customer.metadata = changedMetadata(customer.metadata, change);
  if (settings) {
    const method = settings.default_payment_method;
    if (method) ownMethod(twin, customer.id, method, 'invoice_settings[default_payment_method]');
    Object.assign(customer.invoice_settings, settings);
  }
}

function setBalance(twin: Twin, id: string, balance: number | undefined): void {
  const customer = twin.state.edit('customer', id);
  if (balance === undefined || balance === customer.balance) return;
  balanceChange(twin, customer, {
    amount: balance - customer.balance,
    currency: customer.currency ?? 'usd',
    type: 'adjustment',
  });
}

const live = (twin: Twin, id: string | undefined): Readonly<Customer> => {
  const customer = found(twin, 'customer', id);
  if (isDeleted(customer)) throw errors.noSuch('customer', customer.id);
  return customer;
};

const balancePath = '/v1/customers/:customer/balance_transactions';

export const customerEndpoints = [
  endpoint(
    'POST',
    '/v1/customers',
    createParams,
    (twin, { payment_method: method, tax_id_data: _ids, test_clock: _clock, ...given }) => {
      const customer = twin.state.add('customer', blankCustomer(twin.newId('cus'), twin.now()));
      const { invoice_settings: settings, ...rest } = given;
      applyChanges(twin, customer, rest);
      const attached = method === undefined ? undefined : attach(twin, method, customer.id);
      if (settings) {
        const same = settings.default_payment_method === method && attached;
        applyChanges(twin, customer, {
          invoice_settings: same ? { ...settings, default_payment_method: attached.id } : settings,
        });
      }
      setBalance(twin, customer.id, given.balance);
      twin.emit('customer.created', customer);
      return customer;
    },
  ),
  endpoint('GET', '/v1/customers/search', { query: text(), limit: integer(1, 100), page: text() }, () => {
    throw errors.notOffered('search, whose index lags behind at the provider; use a list');
  }),
  endpoint('GET', '/v1/customers/:customer', {}, (twin, _given, { customer }) => found(twin, 'customer', customer)),
  endpoint(
    'POST',
    '/v1/customers/:customer',
    {
      ...shared,
      default_source: notOffered('sources; use invoice_settings[default_payment_method]'),
    },
    (twin, { default_source: _source, ...given }, { customer: id }) => {
      const before = live(twin, id);
      const customer = twin.state.edit('customer', before.id);
      applyChanges(twin, customer, given);
      setBalance(twin, customer.id, given.balance);
      twin.emit('customer.updated', customer, before);
      return customer;
    },
  ),
  endpoint('DELETE', '/v1/customers/:customer', {}, (twin, _given, { customer: id }) => {
    const customer = live(twin, id);
    for (const subscription of twin.state.where('subscription', 'customer', customer.id))
      if (!['canceled', 'incomplete_expired'].includes(subscription.status))
        cancelSubscription(twin, subscription.id, {});
    for (const method of twin.state.where('payment_method', 'customer', customer.id))
      forgetOwner(twin, twin.state.edit('payment_method', method.id));
    twin.emit('customer.deleted', twin.state.get('customer', customer.id) ?? customer);
    const gone = twin.state.edit('customer', customer.id);
    for (const name of Object.keys(gone)) if (name !== 'id' && name !== 'object') Reflect.deleteProperty(gone, name);
    Object.assign(gone, { deleted: true });
    return gone;
  }),
  endpoint(
    'GET',
    '/v1/customers',
    { ...page, created, email: text(512), test_clock: notOffered('test clocks; use POST /_twin/clock') },
    (twin, given) =>
      pageOf(
        newestFirst(twin, 'customer', (each) => !isDeleted(each) && selected(each, given, ['email'])),
        given,
        '/v1/customers',
        'customer',
      ),
  ),
  endpoint(
    'POST',
    balancePath,
    {
      amount: required(integer(-99_999_999, 99_999_999)),
      currency: required(currency),
      description: unsettable(text(350)),
      metadata,
    },
    (twin, given, { customer: id }) => {
      const customer = twin.state.edit('customer', live(twin, id).id);
      return balanceChange(twin, customer, {
        amount: given.amount,
        currency: given.currency,
        type: 'adjustment',
        description: given.description ?? null,
        metadata: changedMetadata({}, given.metadata),
      });
    },
  ),
  endpoint('GET', balancePath, page, (twin, given, { customer: id }) => {
    const customer = found(twin, 'customer', id);
    return pageOf(
      [...twin.state.where('customer_balance_transaction', 'customer', customer.id)].reverse(),
      given,
      `/v1/customers/${customer.id}/balance_transactions`,
      'customer balance transaction',
    );
  }),
  endpoint('GET', `${balancePath}/:transaction`, {}, (twin, _given, { customer, transaction }) => {
    const row = found(twin, 'customer_balance_transaction', transaction);
    if (row.customer !== customer) throw errors.noSuch('customer balance transaction', row.id);
    return row;
  }),
  endpoint(
    'POST',
    `${balancePath}/:transaction`,
    { description: unsettable(text(350)), metadata },
    (twin, given, { customer, transaction }) => {
      const id = found(twin, 'customer_balance_transaction', transaction).id;
      const row = twin.state.edit('customer_balance_transaction', id);
      if (row.customer !== customer) throw errors.noSuch('customer balance transaction', id);
      if (given.description !== undefined) row.description = given.description;
      row.metadata = changedMetadata(row.metadata, given.metadata);
      return row;
    },
  ),
  endpoint(
    'GET',
    '/v1/customers/:customer/payment_methods',
    { ...page, type: oneOf('card') },
    (twin, given, { customer: id }) =>
      pageOf(
        [...twin.state.where('payment_method', 'customer', live(twin, id).id)].reverse(),
        given,
        `/v1/customers/${id}/payment_methods`,
        'PaymentMethod',
      ),
  ),
  endpoint('GET', '/v1/customers/:customer/payment_methods/:method', {}, (twin, _given, { customer, method }) => {
    const row = referenced(twin, 'payment_method', method ?? '', 'payment_method');
    if (row.customer !== customer) throw errors.noSuch('PaymentMethod', row.id);
    return row;
  }),
];
