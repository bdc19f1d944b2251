/**
 * A fenced write by a live executor. When the store does not answer, the same compare-and-set may be sent again: it
 * cannot apply twice, and the record afterwards shows whose write it was.
 */
import { canonicalJson, type OutboxEntry, type Revisioned } from '@platform/kernel';
import { StoreUnavailableError, type Draft } from '@platform/mongo';
import type { DecidedCollection } from './collections';

/** An outcome that an executor knows and the store has not accepted. */
export interface Unwritten {
  readonly collection: string;
  readonly id: string;
  /** The draft to write. */
  readonly next: object;
  /** Why the last try did not succeed. */
  readonly reason: string;
  readonly tries: number;
}

/** How long a running executor keeps retrying to record what it knows. It never repeats an effect. */
export interface RetryPolicy {
  /** The patience: after this many tries, callers and people learn that the store does not accept the write. */
  readonly tries: number;
  /** Resolves when the next try is due; `attempt` counts from 1. */
  pause(attempt: number): Promise<void>;
  /**
   * Whether to continue after the patience: true when the next try is due, false when the process ends and the write is
   * given up. Absent: the write is given up after the patience.
   */
  outlast?(unwritten: Unwritten): Promise<boolean>;
  /** Called when the write has its answer: it was recorded, or another writer was first. */
  decided?(unwritten: Pick<Unwritten, 'collection' | 'id'>): void;
}

/** Whether to try again after `unwritten.tries` tries; resolves when that try is due. */
export async function goesOn(policy: RetryPolicy, unwritten: Unwritten): Promise<boolean> {
  if (unwritten.tries < policy.tries) {
    await policy.pause(unwritten.tries);
    return true;
  }
  return policy.outlast ? policy.outlast(unwritten) : false;
}

/** A single try: an outcome that cannot be written now is left to another write. */
export const onceOnly: RetryPolicy = { tries: 1, pause: () => Promise.resolve() };

export type Written<T> =
  | { readonly kind: 'written'; readonly record: T }
  /** Another writer was first: this executor's knowledge is stale. */
  | { readonly kind: 'lost'; readonly record: T | null }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Writes `next` over `current` as read, and keeps trying while the store is unreachable, as long as the policy allows.
 */
export async function writeFenced<T extends Revisioned, Next extends Draft<T>>(
  collection: DecidedCollection<T, Next>,
  current: T,
  next: Next,
  announce: readonly OutboxEntry[],
  retryPolicy: RetryPolicy,
): Promise<Written<T>> {
  let reason = 'the store did not answer';
  const record = { collection: collection.name, id: current._id };
  for (let tries = 1; ; tries += 1) {
    const mutation = await collection.mutate(current, next, announce);
    if (mutation.outcome === 'unknown') reason = mutation.reason;
    const ended = mutation.outcome === 'applied' ? mutation.record : await standingAfter(collection, current);
    if (ended !== 'open') {
      retryPolicy.decided?.(record);
      if (mutation.outcome === 'applied') return { kind: 'written', record: mutation.record };
      if (ended && sameContent(ended, next, collection.derived)) return { kind: 'written', record: ended };
      return { kind: 'lost', record: ended };
    }
    if (!(await goesOn(retryPolicy, { ...record, next, reason, tries }))) return { kind: 'unknown', reason };
  }
}

export type Inserted<T> =
  | { readonly kind: 'written'; readonly record: T }
  /** Another writer holds the id; null when its record cannot be read. */
  | { readonly kind: 'exists'; readonly record: T | null }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Inserts a record, and keeps trying while the store is unreachable, as long as the policy goes on. An insert without an
 * answer may have applied: what is stored then is ours when it holds what the draft says, so drafts of one id that could
 * be equal are tried one after the other. `unanswered` is called for each try without an answer.
 */
export async function insertFenced<T extends Revisioned, Next extends Draft<T>>(
  collection: DecidedCollection<T, Next>,
  draft: Next,
  retryPolicy: RetryPolicy,
  unanswered: () => void = () => undefined,
): Promise<Inserted<T>> {
  const record = { collection: collection.name, id: draft._id };
  for (let tries = 1; ; tries += 1) {
    const insertion = await collection.insert(draft);
    if (insertion.outcome !== 'unknown') {
      retryPolicy.decided?.(record);
      if (insertion.outcome === 'applied') return { kind: 'written', record: insertion.record };
      const { existing } = insertion;
      const ours = tries > 1 && existing !== null && sameContent(existing, draft, collection.derived);
      return { kind: ours ? 'written' : 'exists', record: existing } as Inserted<T>;
    }
    unanswered();
    const { reason } = insertion;
    if (!(await goesOn(retryPolicy, { ...record, next: draft, reason, tries }))) return { kind: 'unknown', reason };
  }
}

/**
 * The record that is stored after a write that was not acknowledged; `open` while it may still apply or be tried again.
 */
async function standingAfter<T extends Revisioned, Next extends Draft<T>>(
  collection: Pick<DecidedCollection<T, Next>, 'findById'>,
  current: T,
): Promise<T | null | 'open'> {
  const standing = await readBack(collection, current._id);
  return standing === 'unavailable' || standing?.revision === current.revision ? 'open' : standing;
}

async function readBack<T extends Revisioned>(
  collection: Pick<DecidedCollection<T, never>, 'findById'>,
  id: string,
): Promise<T | null | 'unavailable'> {
  try {
    return await collection.findById(id);
  } catch (error) {
    if (error instanceof StoreUnavailableError) return 'unavailable';
    throw error;
  }
}

/**
 * Whether the record has the content of the draft, apart from stamps, messages and fields that the write itself
 * derives.
 */
export function sameContent(record: Revisioned, draft: object, derived: readonly string[] = []): boolean {
  return canonicalJson(content(record, derived)) === canonicalJson(content(draft, derived));
}

function content(record: object, derived: readonly string[]): object {
  const stamped = new Set(['revision', 'createdAt', 'updatedAt', 'outbox', ...derived]);
  return Object.fromEntries(Object.entries(record).filter(([field]) => !stamped.has(field)));
}
