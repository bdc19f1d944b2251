/**
 * What a write changes: the difference between a record as it was read and as it should be, field by field at the top
 * level. Only the difference is sent, so the outbox, which the relay shortens meanwhile, is never written back.
 */
import { assert, requireRevision, type OutboxEntry, type Revisioned } from '@platform/kernel';
import type { CollectionDeclaration } from '../port';
import { requireFieldName, samePlain, toPlain, toPlainRecord, type Plain, type PlainRecord } from './plain';

const stamped: ReadonlySet<string> = new Set(['revision', 'createdAt', 'updatedAt', 'outbox']);

type Announcing = Pick<CollectionDeclaration<Revisioned>, 'name' | 'announces'>;

export interface Changes {
  readonly set: PlainRecord;
  readonly unset: readonly string[];
}

function requireId(collection: string, id: unknown): void {
  assert(typeof id === 'string' && id.length > 0, `${collection}: a record needs a non-empty text as _id`);
}

/** A draft without the fields that the collection adds, checked to be storable. */
export function draftFields(collection: string, draft: object): PlainRecord {
  const fields = toPlainRecord(draft, collection);
  requireId(collection, fields['_id']);
  const own: Record<string, Plain> = {};
  for (const name of Object.keys(fields)) if (!stamped.has(name)) own[name] = fields[name]!;
  return own;
}

/** Refuses a collection that is not declared to announce, because its messages would have no index and no relay. */
export function requireAnnouncing({ name, announces }: Announcing): void {
  assert(announces, `${name}: its declaration does not say that its records announce (announces: true)`);
}

/** Messages in their stored form, checked to be storable. */
export function outboxFields(declaration: Announcing, announce: readonly OutboxEntry[]): OutboxEntry[] {
  const { name } = declaration;
  if (announce.length > 0) requireAnnouncing(declaration);
  const entries = announce.map(
    (entry, index) => toPlainRecord(entry, `${name} outbox ${index}`) as unknown as OutboxEntry,
  );
  assert(
    new Set(announce.map((entry) => entry.id)).size === announce.length,
    `${name}: two messages carry the same id`,
  );
  return entries;
}

/**
 * Refuses a `current` without a revision and a `next` of another record; returns the top-level difference. A value of
 * `next` that is the identical object in `current` came from the store and needs neither copy nor comparison; most of a
 * record is.
 */
export function changesBetween(collection: string, current: Revisioned, next: object): Changes {
  requireRevision(current);
  const before = current as unknown as Readonly<Record<string, Plain | undefined>>;
  const after = next as Readonly<Record<string, unknown>>;
  requireId(collection, after['_id']);
  assert(current._id === after['_id'], `${collection}: a record cannot change its _id`);
  const set: [string, Plain][] = [];
  for (const name of Object.keys(after)) {
    requireFieldName(name, collection);
    const value = after[name];
    if (stamped.has(name) || value === undefined || value === before[name]) continue;
    const plain = toPlain(value, `${collection}.${name}`);
    if (!samePlain(before[name], plain)) set.push([name, plain]);
  }
  return {
    set: Object.fromEntries(set),
    unset: Object.keys(before).filter(
      (name) => !stamped.has(name) && before[name] !== undefined && after[name] === undefined,
    ),
  };
}

/**
 * Refuses to remove a record without a revision, or one with waiting messages. No mutation can have added others with
 * that revision.
 */
export function assertRemovable(
  collection: string,
  current: Revisioned & { readonly outbox?: readonly unknown[] },
): void {
  requireRevision(current);
  assert(
    (current.outbox ?? []).length === 0,
    `${collection}: record ${current._id} has messages that wait and cannot be removed`,
  );
}
