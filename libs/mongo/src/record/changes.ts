/**
 * What a write changes: the difference between a record as it was read and as it shall be, field by field at the top
 * level. Only the difference is sent, so that the outbox, which the relay shortens meanwhile, is never written back.
 */
import { assert, requireRevision, type OutboxEntry, type Revisioned } from '@platform/kernel';
import type { CollectionDeclaration } from '../port';
import { samePlain, toPlainRecord, type Plain, type PlainRecord } from './plain';

const STAMPED: ReadonlySet<string> = new Set(['revision', 'createdAt', 'updatedAt', 'outbox']);

type Announcing = Pick<CollectionDeclaration<Revisioned>, 'name' | 'announces'>;

export interface Changes {
  readonly set: PlainRecord;
  readonly unset: readonly string[];
}

/** A draft without the fields that the collection stamps, checked to be storable. */
export function draftFields(collection: string, draft: object): PlainRecord {
  const fields = toPlainRecord(draft, collection);
  assert(typeof fields['_id'] === 'string' && fields['_id'].length > 0, `${collection}: a record needs a non-empty text as _id`);
  const own: Record<string, Plain> = {};
  for (const name of Object.keys(fields)) if (!STAMPED.has(name)) own[name] = fields[name]!;
  return own;
}

/** Refuses a collection that is not declared to announce: its messages would have no index, and no relay. */
export function requireAnnouncing({ name, announces }: Announcing): void {
  assert(announces, `${name}: its declaration does not say that its records announce (announces: true)`);
}

/** Messages as they are stored, checked to be storable. */
export function outboxFields(declaration: Announcing, announce: readonly OutboxEntry[]): OutboxEntry[] {
  const { name } = declaration;
  if (announce.length > 0) requireAnnouncing(declaration);
  const entries = announce.map((entry, index) => toPlainRecord(entry, `${name} outbox ${index}`) as unknown as OutboxEntry);
  assert(new Set(announce.map((entry) => entry.id)).size === announce.length, `${name}: two messages carry the same id`);
  return entries;
}

/** Refuses a `current` without a revision and a `next` of another record; answers the top-level difference. */
export function changesBetween(collection: string, current: Revisioned, next: object): Changes {
  requireRevision(current);
  const before = draftFields(collection, current);
  const after = draftFields(collection, next);
  assert(before['_id'] === after['_id'], `${collection}: a record cannot change its _id`);
  const set: [string, Plain][] = Object.entries(after).filter(([name, value]) => !samePlain(before[name], value));
  return { set: Object.fromEntries(set), unset: Object.keys(before).filter((name) => !Object.hasOwn(after, name)) };
}

/** Refuses to remove a record without a revision, or one whose messages still wait: no mutation can have added others under that revision. */
export function assertRemovable(collection: string, current: Revisioned & { readonly outbox?: readonly unknown[] }): void {
  requireRevision(current);
  assert((current.outbox ?? []).length === 0, `${collection}: record ${current._id} has messages that wait and cannot be removed`);
}
