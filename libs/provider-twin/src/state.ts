// The single state of the twin, changed only through transactions: a request works on drafts, and either all of its
// changes become visible (and durable, when there is a journal) or none. Everything is synchronous, so one
// transaction is one indivisible instant and needs no further coordination.
import { clone } from './clone';
import { indexedFields, tableNames, type TableName, type Tables } from './tables';

type Row = Tables[TableName];
type Drafts = Map<TableName, Map<string, Row | null>>;

/** One committed change: the new row, or null when the row was removed. */
export type Change = [table: TableName, id: string, row: Row | null];

export interface State {
  /** The row as this transaction sees it; must not be changed in place. */
  get<T extends TableName>(table: T, id: string): Readonly<Tables[T]> | undefined;
  /** A draft of an existing row; changing it changes the row when the transaction commits. */
  edit<T extends TableName>(table: T, id: string): Tables[T];
  /** Adds a row and returns its draft. */
  add<T extends TableName>(table: T, row: Tables[T]): Tables[T];
  remove(table: TableName, id: string): void;
  /** All rows, oldest first. */
  rows<T extends TableName>(table: T): Generator<Readonly<Tables[T]>>;
  /** The rows whose indexed field has this value, oldest first. */
  where<T extends TableName>(table: T, field: string, value: string): Readonly<Tables[T]>[];
  /** Runs `work` as one transaction: commits when it returns, forgets everything when it throws. */
  transact<R>(work: () => R): R;
  /** Every committed row as changes, in an order from which the same state can be built. */
  dump(): Generator<Change>;
  /** Replaces the whole state. */
  load(changes: Iterable<Change>): void;
  /** Called with each commit before it becomes visible; a throw cancels the commit. */
  onCommit(listener: (changes: Change[]) => void): void;
  /** Called with each commit after it became visible, until the returned function is called. */
  watch(watcher: (changes: Change[]) => void): () => void;
}

interface Index {
  field: string;
  ids: Map<string, Set<string>>;
}

function fieldOf(row: Row, field: string): string | undefined {
  if (field === 'intent' && 'payment' in row && 'payment_intent' in row.payment) return String(row.payment.payment_intent);
  const value: unknown = Reflect.get(row, field);
  return typeof value === 'string' ? value : undefined;
}

/** Creates an empty state. */
export function createState(): State {
  const base = new Map<TableName, Map<string, Row>>();
  const indexes = new Map<TableName, Index[]>();
  const listeners: ((changes: Change[]) => void)[] = [];
  const watchers = new Set<(changes: Change[]) => void>();
  let drafts: Drafts | null = null;
  clear();

  function clear(): void {
    for (const name of tableNames) {
      base.set(name, new Map());
      indexes.set(name, (indexedFields[name] ?? []).map((field) => ({ field, ids: new Map() })));
    }
  }

  function rowsOf(table: TableName): Map<string, Row> {
    const rows = base.get(table);
    if (!rows) throw new Error(`no table ${table}`);
    return rows;
  }

  function find(table: TableName, id: string): Row | undefined {
    const drafted = drafts?.get(table)?.get(id);
    return drafted === null ? undefined : (drafted ?? rowsOf(table).get(id));
  }

  function draftsOf(table: TableName): Map<string, Row | null> {
    if (!drafts) throw new Error('a change outside a transaction');
    let rows = drafts.get(table);
    if (!rows) drafts.set(table, (rows = new Map()));
    return rows;
  }

  function apply([table, id, row]: Change): void {
    const rows = rowsOf(table);
    const before = rows.get(id);
    for (const index of indexes.get(table) ?? []) {
      const old = before && fieldOf(before, index.field);
      const next = row ? fieldOf(row, index.field) : undefined;
      if (old === next) continue;
      if (old !== undefined) index.ids.get(old)?.delete(id);
      if (next !== undefined) index.ids.set(next, (index.ids.get(next) ?? new Set<string>()).add(id));
    }
    if (row) rows.set(id, row);
    else rows.delete(id);
  }

  function commit(): void {
    const changes: Change[] = [];
    for (const [table, rows] of drafts ?? []) for (const [id, row] of rows) changes.push([table, id, row]);
    if (changes.length > 0) for (const listener of listeners) listener(changes);
    changes.forEach(apply);
    for (const watcher of watchers) watcher(changes);
  }

  function* rows(table: TableName): Generator<Row> {
    const drafted = drafts?.get(table);
    const stored = rowsOf(table);
    for (const [id, row] of stored) {
      const draft = drafted?.get(id);
      if (draft !== null) yield draft ?? row;
    }
    for (const [id, row] of drafted ?? []) if (row && !stored.has(id)) yield row;
  }

  function where(table: TableName, field: string, value: string): Row[] {
    const index = indexes.get(table)?.find((each) => each.field === field);
    if (!index) throw new Error(`no index on ${table}.${field}`);
    const ids = new Set(index.ids.get(value));
    for (const [id, row] of drafts?.get(table) ?? []) if (row && fieldOf(row, field) === value) ids.add(id);
    const found: Row[] = [];
    for (const id of ids) {
      const row = find(table, id);
      if (row && fieldOf(row, field) === value) found.push(row);
    }
    return found;
  }

  const state = {
    get: find,
    edit(table: TableName, id: string): Row {
      const drafted = draftsOf(table).get(id);
      if (drafted) return drafted;
      const row = find(table, id);
      if (!row) throw new Error(`no ${table} ${id}`);
      const draft = clone(row);
      draftsOf(table).set(id, draft);
      return draft;
    },
    add(table: TableName, row: Row): Row {
      if (find(table, row.id)) throw new Error(`${table} ${row.id} exists`);
      draftsOf(table).set(row.id, row);
      return row;
    },
    remove: (table: TableName, id: string) => void draftsOf(table).set(id, null),
    rows,
    where,
    transact<R>(work: () => R): R {
      if (drafts) throw new Error('a transaction inside a transaction');
      drafts = new Map();
      try {
        const result = work();
        commit();
        return result;
      } finally {
        drafts = null;
      }
    },
    *dump(): Generator<Change> {
      for (const [table, all] of base) for (const [id, row] of all) yield [table, id, row];
    },
    load(changes: Iterable<Change>): void {
      clear();
      for (const change of changes) apply(change);
    },
    onCommit: (listener: (changes: Change[]) => void) => void listeners.push(listener),
    watch(watcher: (changes: Change[]) => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
  // The table name decides the row type; the map of maps inside cannot express that, the interface can.
  return state as State;
}
