/**
 * Plain tables: rows that pages read and that people import. They have no revision and no outbox, so they are separate
 * from the store of records. Reads are single aggregations with a time limit, and nothing here changes an existing row.
 */

/** The database ended a query at its time limit. Becomes 504 `query_too_slow` over HTTP. */
export class QueryTooSlowError extends Error {
  override name = 'QueryTooSlowError';
  constructor(readonly limitMs: number) {
    super(`the query did not end within ${limitMs} ms`);
  }
}

export type TableRow = Readonly<Record<string, unknown>>;
/** `{ $oid }` and `{ $numberDecimal }` in it mean an ObjectId and a Decimal128, as in inserted rows. */
export type TableStage = Readonly<Record<string, unknown>>;

export interface ReadOptions {
  /** The database ends the query after this time. */
  readonly maxTimeMs: number;
  /** Shown with the query in the database's log and profile. */
  readonly comment?: string;
  /** Ends the query: the connection is closed, and the call rejects. */
  readonly signal?: AbortSignal;
}

interface TableIndex {
  readonly name: string;
  readonly key: Readonly<Record<string, unknown>>;
}

export interface RefusedRow {
  /** Position among the given rows, from 0. */
  readonly index: number;
  readonly reason: string;
}

/** Reports the writes of a database, by any process. */
export interface WriteWatch {
  /** Resolves when no more writes are reported: the watch was closed, or it was lost, with the reason. */
  readonly ended: Promise<{ readonly lost?: string }>;
  close(): Promise<void>;
}

export interface Tables {
  /**
   * Exactly one command; at most `maxTableRows` rows. Throws QueryTooSlowError, StoreUnavailableError,
   * StoreRefusedError.
   */
  aggregate(table: string, pipeline: readonly TableStage[], options: ReadOptions): Promise<TableRow[]>;
  /** The database's own plan; with the number of documents that it reads, if it counts them within a second. */
  explain(table: string, pipeline: readonly TableStage[], options: ReadOptions): Promise<TableRow>;
  /** Adds rows one by one; returns those that the database refused (an `_id` that is taken). */
  insert(
    table: string,
    rows: readonly TableRow[],
  ): Promise<{ readonly inserted: number; readonly refused: readonly RefusedRow[] }>;
  /**
   * Reports each table that is written to, once the write is on a majority; without a name for all tables (a dropped
   * database). Returns a text, the reason, when the store reports no writes: a single server, or a user without that
   * right. Throws StoreUnavailableError.
   */
  watch(onWrite: (table: string | undefined) => void): Promise<WriteWatch | string>;
  indexes(table: string): Promise<TableIndex[]>;
  /** Creates the index unless one with this key exists. */
  createIndex(table: string, key: Readonly<Record<string, 1 | -1>>): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Most rows of one answer; more would need a second command. */
export const maxTableRows = 2_000;
