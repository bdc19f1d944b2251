/** The tables of the status page: the newest rows of the twin's state. */
import type { Faults } from '../faults';
import type { TableName, Tables } from '../tables';
import type { Twin } from '../twin';
import { escape, money, table, when } from './html';

const shown = 25;

function latest<T extends TableName>(
  twin: Twin,
  name: T,
  keep: (row: Readonly<Tables[T]>) => boolean = () => true,
): { rows: Readonly<Tables[T]>[]; count: number } {
  const rows = [...twin.state.rows(name)].filter(keep);
  return { rows: rows.slice(-shown).reverse(), count: rows.length };
}

function section<T>(
  title: string,
  { rows, count }: { rows: T[]; count: number },
  headings: string[],
  cells: (row: T) => unknown[],
): string {
  const more = count > rows.length ? `, the newest ${rows.length} shown` : '';
  return `<h2>${escape(title)} <span class="quiet">(${count}${more})</span></h2>${table(headings, rows.map(cells))}`;
}

function nameOf(twin: Twin, id: unknown): string {
  const customer = twin.state.get('customer', String(id));
  return customer?.name ?? customer?.email ?? String(id);
}

export function customersTable(twin: Twin): string {
  return section('Customers', latest(twin, 'customer'), ['Id', 'Name', 'Email', 'Balance', 'Created'], (each) => [
    each.id,
    each.name,
    each.email,
    money(each.balance, each.currency),
    when(each.created),
  ]);
}

export function subscriptionsTable(twin: Twin): string {
  return section(
    'Subscriptions',
    latest(twin, 'subscription'),
    ['Id', 'Customer', 'Status', 'Prices', 'Period ends'],
    (each) => [
      each.id,
      nameOf(twin, each.customer),
      each.status + (each.pause_collection ? ' (collection paused)' : ''),
      each.items?.data.map((item) => item.price.id).join(', '),
      when(each.items?.data[0]?.current_period_end),
    ],
  );
}

export function ledgerTable(twin: Twin): string {
  return section(
    'Ledger',
    latest(twin, 'ledger'),
    ['At', 'Method', 'Path', 'Key', 'Amount', 'Charged', 'Object', 'Request'],
    (each) => [
      when(each.at),
      each.method,
      each.path,
      each.idempotencyKey,
      money(each.amount, each.currency),
      money(each.charged, each.currency ?? 'usd'),
      each.objectId,
      each.requestId,
    ],
  );
}

export function owedTable(twin: Twin): string {
  return section(
    'Webhooks not delivered',
    latest(twin, 'delivery', (each) => each.status !== 'delivered'),
    ['Event', 'Endpoint', 'Attempts', 'State', 'Last answer'],
    (each) => [
      each.event,
      twin.state.get('webhook_endpoint', each.endpoint)?.url ?? each.endpoint,
      each.attempts,
      each.status,
      each.lastStatus ?? each.lastError,
    ],
  );
}

export function faultsTable(faults: Faults): string {
  return table(
    ['Id', 'Fault', 'Matches', 'Left', 'Struck', 'Held'],
    faults
      .list()
      .map((each) => [
        each.id,
        each.fault,
        `${each.match.method} ${each.match.path}`,
        each.remaining ?? 'until removed',
        each.struck,
        each.held.length,
      ]),
  );
}
