/**
 * A fenced write by an executor that is still alive. When the store does not answer, the same compare-and-set may be
 * sent again: it cannot apply twice, and what the record holds afterwards shows whose write it was.
 */
import { canonicalJson, type OutboxEntry, type Revisioned } from '@platform/kernel';
import { StoreUnavailableError, type Draft } from '@platform/mongo';
import type { DecidedCollection } from './collections';

/** How long an executor that is alive keeps trying to write down what it knows. Never a reason to repeat an effect. */
export interface RetryPolicy {
  readonly tries: number;
  /** Resolves when the next try is due; `attempt` counts from 1. */
  pause(attempt: number): Promise<void>;
}

/** One try: what cannot be written now is not written here. */
export const onceOnly: RetryPolicy = { tries: 1, pause: () => Promise.resolve() };

export type Written<T> =
  | { readonly kind: 'written'; readonly record: T }
  /** Another writer was first: this executor's knowledge is stale. */
  | { readonly kind: 'lost'; readonly record: T | null }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Writes `next` over `current` as read, and keeps trying while the store is away, at most `retryPolicy.tries` times. */
export async function writeFenced<T extends Revisioned, Next extends Draft<T>>(
  collection: DecidedCollection<T, Next>,
  current: T,
  next: Next,
  announce: readonly OutboxEntry[],
  retryPolicy: RetryPolicy,
): Promise<Written<T>> {
  let reason = 'the store did not answer';
  for (let attempt = 1; attempt <= retryPolicy.tries; attempt += 1) {
    if (attempt > 1) await retryPolicy.pause(attempt - 1);
    const mutation = await collection.mutate(current, next, announce);
    if (mutation.outcome === 'applied') return { kind: 'written', record: mutation.record };
    if (mutation.outcome === 'unknown') reason = mutation.reason;
    const standing = await readBack(collection, current._id);
    if (standing === 'unavailable') continue;
    if (standing?.revision === current.revision) continue;
    if (standing && sameContent(standing, next)) return { kind: 'written', record: standing };
    return { kind: 'lost', record: standing };
  }
  return { kind: 'unknown', reason };
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

/** Whether the record holds what the draft says; stamps and messages aside. */
export function sameContent(record: Revisioned, draft: object): boolean {
  return canonicalJson(content(record)) === canonicalJson(content(draft));
}

function content(record: object): object {
  const stamped = new Set(['revision', 'createdAt', 'updatedAt', 'outbox']);
  return Object.fromEntries(Object.entries(record).filter(([field]) => !stamped.has(field)));
}
