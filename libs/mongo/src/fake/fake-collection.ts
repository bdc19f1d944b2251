/**
 * A collection in memory that answers exactly like the adapter (one suite runs on both). Every call yields once before
 * it touches a record, so concurrent callers interleave as over a network.
 */
import type { Clock, Ids, OutboxEntry, Revisioned } from '@platform/kernel';
import {
  StoreUnavailableError,
  UniqueKeyError,
  type CollectionDeclaration,
  type Draft,
  type Filter,
  type FindOptions,
  type InsertOutcome,
  type MutationOutcome,
  type PendingOutboxEntry,
  type RemovalOutcome,
  type RevisionedCollection,
} from '../port';
import { assertRemovable, changesBetween, draftFields, outboxFields, requireAnnouncing } from '../record/changes';
import { countedLimit, listQuery, type Declared } from '../record/query';
import type { Quarantine } from '../record/quarantine';
import { copyPlain, toPlain, type Plain, type PlainRecord } from '../record/plain';
import { compareScalars } from '../record/order';
import { comparePositions, matches, positionOf, valuesAt } from './match';

export interface FakeConditions {
  available: boolean;
  /** How the answer of the next write is lost: before the write took effect, or after. */
  loseNextWrite: 'before' | 'after' | null;
}

export interface FakeCollection<T extends Revisioned> extends RevisionedCollection<T> {
  /** Copies of all records in order of insertion, for assertions. */
  all(): T[];
  /** Inserts a document unchecked, to create what an older release may have left. */
  put(document: Readonly<Record<string, unknown>>): void;
}

interface Environment {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly conditions: FakeConditions;
  readonly quarantine: Quarantine;
}

type Rows = Map<string, PlainRecord>;

/** A copy for the caller. */
function recordOf<T extends Revisioned>(row: PlainRecord): T {
  return copyPlain(row) as unknown as T;
}

/** A copy of a row that another build has left; throws UnreadableRecordError when it is not a record. */
function readRow<T extends Revisioned>(quarantine: Quarantine, declaration: Declared, row: PlainRecord): T {
  quarantine.record(declaration, row);
  return recordOf<T>(row);
}

function conflictOf(declaration: Declared, rows: Rows, candidate: PlainRecord): readonly string[] | null {
  const keysOf = (row: PlainRecord, paths: readonly string[]): string =>
    JSON.stringify(paths.map((path) => valuesAt(row, path)[0] ?? null));
  for (const index of declaration.indexes.filter(({ unique }) => unique)) {
    const paths = Object.keys(index.key);
    const covered = (row: PlainRecord): boolean => matches(row, index.only ?? {});
    const collides = (row: PlainRecord): boolean =>
      row['_id'] !== candidate['_id'] && covered(row) && keysOf(row, paths) === keysOf(candidate, paths);
    if (covered(candidate) && [...rows.values()].some(collides)) return paths;
  }
  return null;
}

/** Rows that may match: those with the ids, when the filter names ids, as the id index would find them. */
function candidates(rows: Rows, { _id: wanted }: Filter): PlainRecord[] {
  const named = typeof wanted === 'object' && wanted !== null && '$in' in wanted ? wanted.$in : [wanted];
  if (named.some((id) => typeof id === 'object' && id !== null) || wanted === undefined) return [...rows.values()];
  const ids = new Set(named.filter((id) => typeof id === 'string'));
  return [...ids].map((id) => rows.get(id)).filter((row) => row !== undefined);
}

function plainOutbox(
  declaration: CollectionDeclaration<Revisioned>,
  announce: readonly OutboxEntry[],
): readonly Plain[] {
  return outboxFields(declaration, announce) as unknown as readonly Plain[];
}

function entriesOf(row: PlainRecord): OutboxEntry[] {
  return toPlain(row['outbox'] ?? [], 'outbox') as unknown as OutboxEntry[];
}

function createOutbox(
  declaration: CollectionDeclaration<Revisioned>,
  rows: Rows,
  reach: () => Promise<void>,
): RevisionedCollection<never>['outbox'] {
  const announcing = (row: PlainRecord): boolean => ((row['outbox'] ?? []) as readonly Plain[]).length > 0;
  const waiting = (): { readonly recordId: string; readonly entries: OutboxEntry[] }[] =>
    [...rows.entries()]
      .filter(([, row]) => announcing(row))
      .map(([recordId, row]) => ({ recordId, entries: entriesOf(row) }))
      .sort((a, b) => compareScalars(a.recordId, b.recordId));
  return {
    async pending(limit, afterRecordId) {
      requireAnnouncing(declaration);
      const most = countedLimit(limit);
      await reach();
      return waiting()
        .filter(({ recordId }) => afterRecordId === undefined || compareScalars(recordId, afterRecordId) > 0)
        .slice(0, most)
        .flatMap(({ recordId, entries }): PendingOutboxEntry[] => entries.map((entry) => ({ recordId, entry })));
    },
    async confirm(recordId, entryId) {
      await reach();
      const row = rows.get(recordId);
      if (!row) return;
      const left = entriesOf(row).filter((entry) => entry.id !== entryId);
      rows.set(recordId, { ...row, ...(row['outbox'] ? { outbox: left as unknown as Plain } : {}) });
    },
    async backlog() {
      requireAnnouncing(declaration);
      await reach();
      const times = waiting().flatMap(({ entries }) => entries.map(({ createdAt }) => createdAt.getTime()));
      return { count: times.length, oldest: times.length > 0 ? new Date(Math.min(...times)) : null };
    },
  };
}

/** Runs a write, or loses its answer as the test requested. */
function createAnswers(name: string, conditions: FakeConditions) {
  return async <O extends { readonly outcome: string }>(
    write: () => O,
  ): Promise<O | { outcome: 'unknown'; reason: string }> => {
    await Promise.resolve();
    const lost = conditions.loseNextWrite;
    conditions.loseNextWrite = null;
    if (!conditions.available || lost === 'before')
      return { outcome: 'unknown', reason: `${name}: the store did not answer` };
    const outcome = write();
    return lost === 'after' ? { outcome: 'unknown', reason: `${name}: the answer was lost` } : outcome;
  };
}

function createWrites<T extends Revisioned>(
  declaration: CollectionDeclaration<T>,
  rows: Rows,
  { clock, ids, conditions, quarantine }: Environment,
): Pick<FakeCollection<T>, 'insert' | 'mutate' | 'remove'> {
  const { name } = declaration;
  const answered = createAnswers(name, conditions);
  return {
    async insert(draft: Draft<T>, announce: readonly OutboxEntry[] = []): Promise<InsertOutcome<T>> {
      const fields = draftFields(name, draft);
      const outbox = plainOutbox(declaration, announce);
      const at = clock.now();
      const row: PlainRecord = {
        ...fields,
        revision: ids.next(),
        createdAt: at,
        updatedAt: at,
        ...(outbox.length > 0 ? { outbox } : {}),
      };
      return answered((): InsertOutcome<T> => {
        const id = row['_id'] as string;
        const holder = rows.get(id);
        if (holder)
          return {
            outcome: 'not_applied',
            existing: readRow<T>(quarantine, declaration, holder),
            conflict: ['_id'],
          };
        const conflict = conflictOf(declaration, rows, row);
        if (conflict) return { outcome: 'not_applied', existing: null, conflict };
        rows.set(id, row);
        return { outcome: 'applied', record: recordOf<T>(row) };
      });
    },
    async mutate(current: T, next: Draft<T>, announce: readonly OutboxEntry[] = []): Promise<MutationOutcome<T>> {
      const { set, unset } = changesBetween(name, current, next);
      const appended = plainOutbox(declaration, announce);
      const stamp: PlainRecord = { revision: ids.next(), updatedAt: clock.now() };
      return answered((): MutationOutcome<T> => {
        const row = rows.get(current._id);
        if (!row || row['revision'] !== current.revision) return { outcome: 'not_applied' };
        const kept = Object.entries(row).filter(([field]) => !unset.includes(field));
        const after: Record<string, Plain> = { ...Object.fromEntries(kept), ...set, ...stamp };
        if (appended.length > 0) after['outbox'] = [...((row['outbox'] ?? []) as readonly Plain[]), ...appended];
        const conflict = conflictOf(declaration, rows, after);
        if (conflict) throw new UniqueKeyError(name, conflict);
        rows.set(current._id, after);
        return { outcome: 'applied', record: recordOf<T>(after) };
      });
    },
    async remove(current: T): Promise<RemovalOutcome> {
      assertRemovable(name, current);
      return answered((): RemovalOutcome => {
        if (rows.get(current._id)?.['revision'] !== current.revision) return { outcome: 'not_applied' };
        rows.delete(current._id);
        return { outcome: 'applied' };
      });
    },
  };
}

export function createFakeCollection<T extends Revisioned>(
  declaration: CollectionDeclaration<T>,
  environment: Environment,
): FakeCollection<T> {
  const { name } = declaration;
  const { quarantine } = environment;
  const rows: Rows = new Map();
  /** Collects records until there are enough; names the rows on the way that are not records. */
  const readableUpTo = (limit: number) => {
    let taken = 0;
    return ({ row }: { readonly row: PlainRecord }): boolean =>
      taken < limit && quarantine.admits(declaration, row) && (taken += 1) > 0;
  };
  const reach = async (): Promise<void> => {
    await Promise.resolve();
    if (!environment.conditions.available) throw new StoreUnavailableError(`${name}: the store is unreachable`);
  };

  return {
    name,
    ...createWrites(declaration, rows, environment),
    async findById(id) {
      await reach();
      const row = rows.get(id);
      return row ? readRow<T>(quarantine, declaration, row) : null;
    },
    async find(filter: Filter, options: FindOptions) {
      const { sort, limit, after } = listQuery(declaration, filter, options);
      await reach();
      return candidates(rows, filter)
        .filter((row) => matches(row, filter))
        .map((row) => ({ row, position: positionOf(row, sort) }))
        .filter(({ position }) => !after || comparePositions(sort, position, after) > 0)
        .sort((a, b) => comparePositions(sort, a.position, b.position))
        .filter(readableUpTo(limit))
        .map(({ row }) => recordOf<T>(row));
    },
    async count(filter) {
      await reach();
      return candidates(rows, filter).filter((row) => matches(row, filter)).length;
    },
    quarantine: quarantine.of(name),
    outbox: createOutbox(declaration, rows, reach),
    all: () => [...rows.values()].map((row) => copyPlain(row) as unknown as T),
    put(document) {
      const row = toPlain(document, name) as PlainRecord;
      rows.set(String(row['_id']), row);
    },
  };
}
