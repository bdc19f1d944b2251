/**
 * Determines the outcome of a write whose answer was lost. The revision that this process generated is the evidence: a
 * record with it was written by this write. A record that still has the revision that was read has not been written
 * yet, and the same write may be sent again, because a compare-and-set with one new revision takes effect at most once.
 * Everything else proves nothing (another writer may have followed) and stays unknown. See docs/decisions/0002.
 */
import { backoffMs, type Log } from '@platform/kernel';

export type Sent<R> =
  | { readonly kind: 'applied'; readonly record: R }
  /** The fence did not match: no record with that id has the revision that was read. */
  | { readonly kind: 'no_match' }
  /** A unique key is taken; `conflict` names its fields. */
  | { readonly kind: 'duplicate'; readonly conflict: readonly string[] };

export type Settled<R> = Sent<R> | { readonly kind: 'unknown'; readonly reason: string };

/** What an error proves about the write: it was never sent, it was refused permanently, or neither. */
export type Doubt = 'never_sent' | 'refused' | 'uncertain';

/** Which sending of a write: a repeated one may find the result of the first. */
export type Time = 'first' | 'again';

export interface FencedWrite<R extends { readonly revision?: unknown }> {
  /** For the log: collection and id. */
  readonly subject: string;
  /** The revision that this write creates. */
  readonly leaves: string;
  /** The revision that it replaces; null when it creates the record. */
  readonly replaces: string | null;
  /** Sends the write, for the first time or again; rejects when there is no usable answer. */
  send(time: Time): Promise<Sent<R>>;
  /** The durably stored record. */
  read(): Promise<R | null>;
}

export interface ResolutionDependencies {
  doubtOf(error: unknown): Doubt;
  wait(milliseconds: number): Promise<void>;
  readonly log: Log;
  /** How often a re-read without an answer is tried. */
  readonly readAttempts: number;
}

type Seen<R> = { readonly state: 'ours'; readonly record: R } | { readonly state: 'before' | 'other' | 'unreadable' };

async function look<R extends { readonly revision?: unknown }>(
  write: FencedWrite<R>,
  dependencies: ResolutionDependencies,
): Promise<Seen<R>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const record = await write.read();
      if (record?.revision === write.leaves) return { state: 'ours', record };
      return { state: (record ? record.revision : null) === write.replaces ? 'before' : 'other' };
    } catch {
      if (attempt >= dependencies.readAttempts) return { state: 'unreadable' };
      await dependencies.wait(backoffMs(attempt, 100, 1_000));
    }
  }
}

async function resolve<R extends { readonly revision?: unknown }>(
  write: FencedWrite<R>,
  dependencies: ResolutionDependencies,
): Promise<Settled<R>> {
  const first = await look(write, dependencies);
  if (first.state === 'ours') return { kind: 'applied', record: first.record };
  if (first.state === 'unreadable')
    return { kind: 'unknown', reason: 'the answer was lost and the record cannot be read' };
  if (first.state === 'other')
    return { kind: 'unknown', reason: 'the answer was lost and another writer has followed' };
  const again = await write.send('again').catch(() => null);
  if (again?.kind === 'applied') return again;
  const second = await look(write, dependencies);
  if (second.state === 'ours') return { kind: 'applied', record: second.record };
  return { kind: 'unknown', reason: `the answer was lost twice or contradicts itself (record ${second.state})` };
}

/** Sends a fenced write and resolves a lost answer as far as it can be proven. Rejects only for a permanent refusal. */
export async function settleWrite<R extends { readonly revision?: unknown }>(
  write: FencedWrite<R>,
  dependencies: ResolutionDependencies,
): Promise<Settled<R>> {
  try {
    return await write.send('first');
  } catch (error) {
    const doubt = dependencies.doubtOf(error);
    if (doubt === 'refused') throw error;
    if (doubt === 'never_sent')
      return { kind: 'unknown', reason: 'the store could not be reached; the write was not sent' };
    const settled = await resolve(write, dependencies);
    dependencies.log.warn(
      { record: write.subject, resolved: settled.kind, cause: error instanceof Error ? error.name : 'error' },
      'the answer of a write was lost',
    );
    return settled;
  }
}
