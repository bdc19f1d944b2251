/**
 * Finds the object that a request names, or throws the provider's refusal: 404 for an id in the path, 400 with the
 * parameter's name for an id in the parameters.
 */
import { errors } from '../http/errors';
import type { Customer, TableName, Tables } from '../tables';
import type { Twin } from '../twin';

/** The provider's name of each kind of object in its messages. */
export const kindNames: Partial<Record<TableName, string>> = {
  payment_method: 'PaymentMethod',
  payment_intent: 'payment_intent',
  setup_intent: 'setupintent',
  invoiceitem: 'invoiceitem',
  invoice_payment: 'invoice_payment',
  'checkout.session': 'checkout.session',
  subscription_schedule: 'subscription_schedule',
  customer_balance_transaction: 'customer balance transaction',
};

const kindOf = (table: TableName): string => kindNames[table] ?? table;

/** The object that the path names. Throws 404. */
export function found<T extends TableName>(twin: Twin, table: T, id: string | undefined): Readonly<Tables[T]> {
  const row = twin.state.get(table, id ?? '');
  if (!row) throw errors.noSuch(kindOf(table), id ?? '');
  return row;
}

/** The object that a parameter names. Throws 400 naming the parameter. */
export function referenced<T extends TableName>(twin: Twin, table: T, id: string, param: string): Readonly<Tables[T]> {
  const row = twin.state.get(table, id);
  if (!row) throw errors.noSuchReference(kindOf(table), id, param);
  return row;
}

/** The rows of a table, newest first. */
export function newestFirst<T extends TableName>(
  twin: Twin,
  table: T,
  keep: (row: Readonly<Tables[T]>) => boolean = () => true,
): Readonly<Tables[T]>[] {
  return [...twin.state.rows(table)].filter(keep).reverse();
}

/** A customer that a parameter names and that was not deleted. */
export function customerNamed(twin: Twin, id: string): Readonly<Customer> {
  const customer = referenced(twin, 'customer', id, 'customer');
  if (isDeleted(customer)) throw errors.noSuchReference('customer', id, 'customer');
  return customer;
}

/** A deleted object stays in its table, in the short form that the provider returns for it. */
export const isDeleted = (row: object): boolean => Reflect.get(row, 'deleted') === true;
