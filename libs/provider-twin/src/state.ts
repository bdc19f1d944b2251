/**
 * The single state of the twin, changed only through transactions: a request works on drafts, and either all of its
 * changes become visible (and durable, when there is a journal) or none. Everything is synchronous, so one transaction
 * is one indivisible instant and needs no further coordination.
 */
import { clone } from './clone';
import { createStore, indexedValue, type Change, type Row, type Store } from './store';
import { tableNames, type TableName, type Tables } from './tables';

export type { Change } from './store';

type Watcher = (changes: Change[]) => void;

export interface State {
  /** The row as this transaction sees it; must not be changed in place. */
  get<T extends TableName>(table: T, id: string): Readonly<Tables[T]> | undefined;
  /** A draft of an existing row; changing it changes the row when the transaction commits. */
  edit<T extends TableName>(table: T, id: string): Tables[T];
  /** Adds a row and returns its draft. */
  add<T extends TableName>(table: T, row: Tables[T]): Tables[T];
  remove(table: TableName, id: string): void;
  /** The number of committed rows. */
  count(table: TableName): number;
  /** All rows, oldest first. */
  rows<T extends TableName>(table: T): Generator<Readonly<Tables[T]>>;
  /** The rows whose indexed field has this value, oldest first. */
  where<T extends TableName>(table: T, field: string, value: string): Readonly<Tables[T]>[];
  /** Runs `work` as one transaction: commits when it returns, rolls back when it throws. */
  transact<R>(work: () => R): R;
  /** Runs `work` on its own drafts inside a transaction that has changed nothing yet, and discards its changes. */
  rehearse<R>(work: () => R): R;
  /** Every committed row as changes, in an order from which the same state can be rebuilt. */
  dump(): Generator<Change>;
  /** Replaces the whole state without notifying observers. */
  load(changes: Iterable<Change>): void;
  /** Called with each commit before it becomes visible; a throw cancels the commit. */
  onCommit(listener: Watcher): void;
  /** Called with each commit after it became visible, until the returned function is called. */
  watch(watcher: Watcher): () => void;
}

/** The changes of a running transaction: drafts, and null for removed rows. */
interface Drafts {
  get(table: TableName, id: string): Row | null | undefined;
  set(table: TableName, id: string, row: Row | null): void;
  of(table: TableName): ReadonlyMap<string, Row | null>;
  changes(): Change[];
}

const none: ReadonlyMap<string, Row | null> = new Map();

function createDrafts(): Drafts {
  const tables = new Map<TableName, Map<string, Row | null>>();
  return {
    get: (table, id) => tables.get(table)?.get(id),
    set(table, id, row) {
      let rows = tables.get(table);
      if (!rows) tables.set(table, (rows = new Map()));
      rows.set(id, row);
    },
    of: (table) => tables.get(table) ?? none,
    changes: () => [...tables].flatMap(([table, rows]) => [...rows].map(([id, row]): Change => [table, id, row])),
  };
}

/** Reads through a transaction's drafts. */
function createView(store: Store, drafts: () => Drafts | null) {
  function get(table: TableName, id: string): Row | undefined {
    const draft = drafts()?.get(table, id);
    return draft === null ? undefined : (draft ?? store.rows(table).get(id));
  }
  return {
    get,
    *rows(table: TableName): Generator<Row> {
      const drafted = drafts()?.of(table) ?? none;
      const stored = store.rows(table);
      for (const [id, row] of stored) {
        const draft = drafted.get(id);
        if (draft !== null) yield draft ?? row;
      }
      for (const [id, row] of drafted) if (row && !stored.has(id)) yield row;
    },
    where(table: TableName, field: string, value: string): Row[] {
      const ids = new Set(store.ids(table, field, value));
      for (const [id, row] of drafts()?.of(table) ?? none) if (row && indexedValue(row, field) === value) ids.add(id);
      return [...ids]
        .map((id) => get(table, id))
        .filter((row): row is Row => row !== undefined && indexedValue(row, field) === value);
    },
  };
}

/** Writes into a transaction's drafts. */
function createEditor(get: (table: TableName, id: string) => Row | undefined, drafts: () => Drafts | null) {
  function open(): Drafts {
    const running = drafts();
    if (!running) throw new Error('a change outside a transaction');
    return running;
  }
  return {
    edit(table: TableName, id: string): Row {
      const drafted = open().get(table, id);
      if (drafted) return drafted;
      const row = get(table, id);
      if (!row) throw new Error(`no ${table} ${id}`);
      const draft = clone(row);
      open().set(table, id, draft);
      return draft;
    },
    add(table: TableName, row: Row): Row {
      if (get(table, row.id)) throw new Error(`${table} ${row.id} exists`);
      open().set(table, row.id, row);
      return row;
    },
    remove: (table: TableName, id: string): void => open().set(table, id, null),
  };
}

/** Creates an empty state. */
export function createState(): State {
  const store = createStore();
  const listeners: Watcher[] = [];
  const watchers = new Set<Watcher>();
  let drafts: Drafts | null = null;
  const view = createView(store, () => drafts);

  function commit(changes: Change[]): void {
    if (changes.length === 0) return;
    for (const listener of listeners) listener(changes);
    for (const change of changes) store.apply(change);
    for (const watcher of watchers) watcher(changes);
  }

  const state = {
    ...view,
    ...createEditor(view.get, () => drafts),
    transact<R>(work: () => R): R {
      if (drafts) throw new Error('a transaction inside a transaction');
      const own = (drafts = createDrafts());
      try {
        const result = work();
        commit(own.changes());
        return result;
      } finally {
        drafts = null;
      }
    },
    rehearse<R>(work: () => R): R {
      const outer = drafts;
      if (!outer || outer.changes().length > 0) throw new Error('a rehearsal after a change');
      drafts = createDrafts();
      try {
        return work();
      } finally {
        drafts = outer;
      }
    },
    count: (table: TableName): number => store.rows(table).size,
    *dump(): Generator<Change> {
      for (const table of tableNames) for (const [id, row] of store.rows(table)) yield [table, id, row];
    },
    load(changes: Iterable<Change>): void {
      store.clear();
      for (const change of changes) store.apply(change);
    },
    onCommit: (listener: Watcher) => void listeners.push(listener),
    watch(watcher: Watcher): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
  // The table name determines the row type; the inner maps cannot express that, but the interface can.
  return state as State;
}
