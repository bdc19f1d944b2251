/** The committed rows and their indexes. Rows keep the order in which they were added, which is the order of lists. */
import { indexedFields, tableNames, type TableName, type Tables } from './tables';

export type Row = Tables[TableName];

/** One committed change: the new row, or null when the row was removed. */
export type Change = [table: TableName, id: string, row: Row | null];

interface Index {
  field: string;
  ids: Map<string, Set<string>>;
}

export interface Store {
  rows(table: TableName): Map<string, Row>;
  /** The ids of the rows whose indexed field has this value. */
  ids(table: TableName, field: string, value: string): ReadonlySet<string>;
  apply(change: Change): void;
  clear(): void;
}

/** The value of an indexed field; `intent` means the payment intent inside an invoice payment. */
export function indexedValue(row: Row, field: string): string | undefined {
  if (field === 'intent' && 'payment' in row && 'payment_intent' in row.payment)
    return String(row.payment.payment_intent);
  const value: unknown = Reflect.get(row, field);
  return typeof value === 'string' ? value : undefined;
}

const noIds: ReadonlySet<string> = new Set();

/** Empty tables with the indexes of `indexedFields`. */
export function createStore(): Store {
  const tables = new Map<TableName, Map<string, Row>>();
  const indexes = new Map<TableName, Index[]>();

  function rows(table: TableName): Map<string, Row> {
    const found = tables.get(table);
    if (!found) throw new Error(`no table ${table}`);
    return found;
  }

  function clear(): void {
    for (const name of tableNames) {
      tables.set(name, new Map());
      indexes.set(
        name,
        (indexedFields[name] ?? []).map((field) => ({ field, ids: new Map() })),
      );
    }
  }

  clear();
  return {
    rows,
    clear,
    ids(table, field, value) {
      const index = indexes.get(table)?.find((each) => each.field === field);
      if (!index) throw new Error(`no index on ${table}.${field}`);
      return index.ids.get(value) ?? noIds;
    },
    apply([table, id, row]) {
      const before = rows(table).get(id);
      for (const index of indexes.get(table) ?? []) {
        const old = before && indexedValue(before, index.field);
        const next = row ? indexedValue(row, index.field) : undefined;
        if (old === next) continue;
        if (old !== undefined) index.ids.get(old)?.delete(id);
        if (next !== undefined) index.ids.set(next, (index.ids.get(next) ?? new Set<string>()).add(id));
      }
      if (row) rows(table).set(id, row);
      else rows(table).delete(id);
    },
  };
}
