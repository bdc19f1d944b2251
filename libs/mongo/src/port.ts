/**
 * The document store as the services see it: records with a revision, written only by fenced compare-and-set (laws 1
 * and 5). Every write answers `applied`, `not_applied` or `unknown`; for `unknown`, the implementation has already
 * tried to resolve the lost answer by the revision that it generated. Reads throw {@link StoreUnavailableError}.
 */
import { InvariantError, type OutboxEntry, type Revisioned } from '@platform/kernel';

/** The store cannot be reached at the moment; no effect is known. Becomes 503 `store_unavailable` over HTTP. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
}

/** A mutation would give two records the same unique key; proven not applied, and an error in the caller's design. */
export class UniqueKeyError extends InvariantError {
  override name = 'UniqueKeyError';

  constructor(
    collection: string,
    readonly conflict: readonly string[],
  ) {
    super(`${collection}: another record holds the unique key (${conflict.join(', ')})`);
  }
}

/** A row that this build cannot read as a record, and what is wrong with it, for people. */
export interface QuarantinedRecord {
  readonly collection: string;
  readonly id: string;
  readonly why: string;
}

/**
 * This build cannot read the row with this id as a record, so nothing is decided on it. Becomes 409 `record_unreadable`
 * over HTTP.
 */
export class UnreadableRecordError extends InvariantError {
  override name = 'UnreadableRecordError';

  constructor(readonly record: QuarantinedRecord) {
    super(`${record.collection}: record ${record.id} ${record.why}`);
  }
}

type Stamped = 'revision' | 'createdAt' | 'updatedAt' | 'outbox';

/** A record as the caller writes it: without the fields that the collection adds. Distributes over unions. */
export type Draft<T extends Revisioned> = T extends unknown ? Omit<T, Stamped> : never;

export type InsertOutcome<T> =
  | { readonly outcome: 'applied'; readonly record: T }
  /** Another record has the id (`existing`) or a unique key (`existing` null, `conflict` the key's fields). */
  | { readonly outcome: 'not_applied'; readonly existing: T | null; readonly conflict: readonly string[] }
  | { readonly outcome: 'unknown'; readonly reason: string };

export type MutationOutcome<T> =
  | { readonly outcome: 'applied'; readonly record: T }
  /** Lost race: no record with that id has the revision that was read. */
  | { readonly outcome: 'not_applied' }
  | { readonly outcome: 'unknown'; readonly reason: string };

export type RemovalOutcome =
  /** The record was removed. */
  | { readonly outcome: 'applied' }
  /** Lost race, or already removed: no record with that id has the revision that was read. */
  | { readonly outcome: 'not_applied' }
  | { readonly outcome: 'unknown'; readonly reason: string };

export type Scalar = string | number | boolean | Date | null;

/** A predicate on one field (dotted paths allowed): an equal value, or bounds. All conditions must hold. */
export type Condition =
  | Scalar
  | { readonly $in: readonly Scalar[] }
  | {
      readonly $gt?: Scalar;
      readonly $gte?: Scalar;
      readonly $lt?: Scalar;
      readonly $lte?: Scalar;
      readonly $ne?: Scalar;
    }
  | { readonly $exists: boolean };

export type Filter = { readonly [path: string]: Condition };

export interface FindOptions {
  /** The order of the keys matters; every list query sorts by keys that an index serves, ending in `_id`. */
  readonly sort?: { readonly [path: string]: 1 | -1 };
  /** 1 to 1,000; required, because no list is unbounded. */
  readonly limit: number;
  /** Continue strictly after this position of the sort (values in the order of the sort keys). */
  readonly after?: readonly Scalar[];
}

/** A message row of one record, as the relay sees it. */
export interface PendingOutboxEntry {
  readonly recordId: string;
  readonly entry: OutboxEntry;
}

export interface RevisionedCollection<T extends Revisioned> {
  readonly name: string;
  /** Fields that the collection's writes compute from the others; drafts do not contain them. */
  readonly derived?: readonly string[];
  /**
   * The record, or null. Throws {@link StoreUnavailableError}, and {@link UnreadableRecordError} for a row that is not
   * a record.
   */
  findById(id: string): Promise<T | null>;
  /** Full pages of records; unreadable rows are skipped and set aside. */
  find(filter: Filter, options: FindOptions): Promise<T[]>;
  /** Counts rows, whether they can be read or not. */
  count(filter: Filter): Promise<number>;
  readonly quarantine: {
    /** Sets aside a record that a sweep cannot handle; the first reason for a record is kept. */
    setAside(id: string, why: string): void;
    /** The rows that this process has set aside since its start. */
    ids(): readonly string[];
  };
  /** Creates the record with a new revision and, in the same document, its messages. */
  insert(draft: Draft<T>, announce?: readonly OutboxEntry[]): Promise<InsertOutcome<T>>;
  /**
   * Fenced write: replaces the fields that differ between `current` (as read) and `next`, removes fields that `next`
   * lacks, adds a new revision and appends messages, in one round trip. Never creates a record.
   */
  mutate(current: T, next: Draft<T>, announce?: readonly OutboxEntry[]): Promise<MutationOutcome<T>>;
  /**
   * Fenced removal, only for retention: removes the record if it still has the revision that was read. Throws
   * InvariantError for a record that was read with waiting messages, because they would be lost.
   */
  remove(current: T): Promise<RemovalOutcome>;
  readonly outbox: {
    /**
     * The entries of at most `limit` records (1 to 1,000), in the order of the record ids, strictly after
     * `afterRecordId`; those of one record in the order written. Paged by record, so that entries which wait long for
     * their receiver never hide younger ones. Served by an index that contains only records with messages.
     */
    pending(limit: number, afterRecordId?: string): Promise<PendingOutboxEntry[]>;
    /**
     * Removes one entry; does not change the revision. Repeating it is harmless. Throws {@link StoreUnavailableError}.
     */
    confirm(recordId: string, entryId: string): Promise<void>;
    /** How many entries wait and when the oldest was written. */
    backlog(): Promise<{ readonly count: number; readonly oldest: Date | null }>;
  };
}

export interface IndexDeclaration {
  readonly name: string;
  readonly key: { readonly [path: string]: 1 | -1 };
  readonly unique?: boolean;
  /**
   * Partial index: only records that match. Equality, bounds and `$exists: true`; other conditions do not work on every
   * version.
   */
  readonly only?: Filter;
}

/** One per collection, in the owning service's `store/` folder. */
export interface CollectionDeclaration<T extends Revisioned> {
  readonly name: string;
  readonly indexes: readonly IndexDeclaration[];
  /**
   * The allowed texts of the named top-level fields. A row with another text was written by a newer build, or by none;
   * it is set aside instead of misread.
   */
  readonly vocabulary?: { readonly [field: string]: readonly string[] };
  /** True when its records carry messages; adds the index that the relay needs. Without it, messages are refused. */
  readonly announces?: boolean;
  /**
   * Describes the steps of its records; each step is then logged in one line. A method, so that declarations of all
   * records fit into one list.
   */
  tells?(record: T): StepFacts;
  /** Type carrier only; never read. */
  readonly record?: T;
}

/**
 * A record as its log lines show it: its kind, the state that its steps change, and the ids by which people search for
 * it.
 */
export interface StepFacts {
  readonly record: string;
  readonly state: string;
  readonly attempt?: number | undefined;
  readonly operationId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly [id: string]: string | number | undefined;
}

export interface Store {
  /**
   * Declares a collection; throws InvariantError for a declaration that no database accepts. {@link
   * Store.ensureIndexes} creates the indexes.
   */
  collection<T extends Revisioned>(declaration: CollectionDeclaration<T>): RevisionedCollection<T>;
  /** The unreadable rows that this process has set aside since its start. */
  quarantined(): readonly QuarantinedRecord[];
  /** Creates the declared indexes; throws an error that names the index when one exists with another definition. */
  ensureIndexes(): Promise<void>;
  /** The database's clock: the one clock by which windows are judged. Throws {@link StoreUnavailableError}. */
  now(): Promise<Date>;
  /** Resolves when the store answers; throws {@link StoreUnavailableError}. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
