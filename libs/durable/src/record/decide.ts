/**
 * One decision on one document (law 5): read, decide, write fenced, and again when another writer was faster. After a
 * write without an answer the record is read again, so the write is neither lost nor made twice.
 */
import type { OutboxEntry, Revisioned } from '@platform/kernel';
import {
  StoreUnavailableError,
  UniqueKeyError,
  type Draft,
  type InsertOutcome,
  type MutationOutcome,
} from '@platform/mongo';
import type { DecidedCollection } from './collections';
import type { KeyedMutex } from './keyed-mutex';
import type { Decision, Write } from './steps';
import { goesOn, sameContent, type RetryPolicy } from './write-fenced';

export type Decided<T, Answer> =
  | { readonly kind: 'written'; readonly record: T; readonly announced: readonly OutboxEntry[] }
  | { readonly kind: 'answered'; readonly answer: Answer }
  /**
   * The store did not answer within the retry policy, or the record changed too often; a write may have been applied.
   */
  | { readonly kind: 'unknown'; readonly reason: string };

export interface DecidePorts {
  readonly retryPolicy: RetryPolicy;
  /** Makes those who decide on one document of this process wait for each other, where they would race for it otherwise. */
  readonly mutex?: KeyedMutex;
  /** Lost races after which the decision is given up; {@link racesMax} by default. */
  readonly races?: number;
}

/** Each lost race means progress of another writer; this many in a row indicate a defect. */
const racesMax = 1_000;

/**
 * Decides on the record with this id and writes the decision. After a lost race, `decision` is called again with the
 * new record, so it must be a pure function of the record. `read` saves the first reading when the caller has just made
 * it; null tries an insert first.
 */
export async function decide<T extends Revisioned, Next extends Draft<T>, Answer = never>(
  ports: DecidePorts,
  collection: DecidedCollection<T, Next>,
  id: string,
  decision: (read: T | null) => Decision<Next, Answer> | Promise<Decision<Next, Answer>>,
  read?: T | null,
): Promise<Decided<T, Answer>> {
  const work = async () => {
    const decided = await decideAlone(ports, collection, id, decision, read);
    if (decided.kind !== 'unknown') ports.retryPolicy.decided?.({ collection: collection.name, id });
    return decided;
  };
  return ports.mutex ? ports.mutex.runExclusive(`${collection.name}/${id}`, work) : work();
}

async function decideAlone<T extends Revisioned, Next extends Draft<T>, Answer>(
  { retryPolicy, races = racesMax }: DecidePorts,
  collection: DecidedCollection<T, Next>,
  id: string,
  decision: (read: T | null) => Decision<Next, Answer> | Promise<Decision<Next, Answer>>,
  read: T | null | undefined,
): Promise<Decided<T, Answer>> {
  let known = read;
  let unanswered: Write<Next> | undefined;
  let reason = `${collection.name} did not answer`;
  let tries = 0;
  const record = { collection: collection.name, id };
  for (let race = 0; race < races; race += 1) {
    try {
      const current = known === undefined ? await collection.findById(id) : known;
      known = undefined;
      if (unanswered && current && sameContent(current, unanswered.write, collection.derived))
        return { kind: 'written', record: current, announced: unanswered.announce ?? [] };
      const decided = await decision(current);
      if ('answer' in decided) return { kind: 'answered', answer: decided.answer };
      const outcome = await write(collection, current, decided);
      if (outcome.outcome === 'applied')
        return { kind: 'written', record: outcome.record, announced: decided.announce ?? [] };
      if (outcome.outcome === 'not_applied') {
        if ('existing' in outcome && outcome.existing) known = outcome.existing;
        continue;
      }
      ({ reason } = outcome);
      unanswered = decided;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      reason = error.message;
    }
    tries += 1;
    const next = unanswered?.write ?? {};
    if (!(await goesOn(retryPolicy, { ...record, next, reason, tries }))) return { kind: 'unknown', reason };
  }
  return { kind: 'unknown', reason: `${collection.name}/${id} lost ${races} races` };
}

async function write<T extends Revisioned, Next extends Draft<T>>(
  collection: DecidedCollection<T, Next>,
  current: T | null,
  { write: next, announce }: Write<Next>,
): Promise<InsertOutcome<T> | MutationOutcome<T>> {
  if (current) return collection.mutate(current, next, announce);
  const inserted = await collection.insert(next, announce);
  // Another insert of this id may have been faster. When no record has this id, a record with the same unique key
  // exists.
  if (inserted.outcome === 'not_applied' && !inserted.existing && inserted.conflict.length > 0)
    throw new UniqueKeyError(collection.name, inserted.conflict);
  return inserted;
}
