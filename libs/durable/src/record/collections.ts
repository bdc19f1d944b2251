/** What decisions need of a collection of records. */
import type { OutboxEntry, Revisioned } from '@platform/kernel';
import type { Draft, InsertOutcome, MutationOutcome, RevisionedCollection } from '@platform/mongo';
import type { Checked } from './steps';

/** A collection of records with a table of steps: it takes checked drafts only. */
export interface CheckedCollection<T extends Revisioned> extends Omit<RevisionedCollection<T>, 'insert' | 'mutate'> {
  insert(draft: Checked<T>, announce?: readonly OutboxEntry[]): Promise<InsertOutcome<T>>;
  mutate(current: T, next: Checked<T>, announce?: readonly OutboxEntry[]): Promise<MutationOutcome<T>>;
}

/** What a decision needs of a collection; `Next` is what its writes accept. */
export interface DecidedCollection<T extends Revisioned, Next extends Draft<T>> {
  readonly name: string;
  readonly derived?: readonly string[];
  findById(id: string): Promise<T | null>;
  insert(draft: Next, announce?: readonly OutboxEntry[]): Promise<InsertOutcome<T>>;
  mutate(current: T, next: Next, announce?: readonly OutboxEntry[]): Promise<MutationOutcome<T>>;
}
