/** The collection interface that decisions use. */
import type { OutboxEntry, Revisioned } from '@platform/kernel';
import type { Draft, InsertOutcome, MutationOutcome, RevisionedCollection } from '@platform/mongo';
import type { Checked } from './steps';

/** A collection of records with a table of steps: it accepts only checked drafts. */
export interface CheckedCollection<T extends Revisioned> extends Omit<RevisionedCollection<T>, 'insert' | 'mutate'> {
  insert(draft: Checked<T>, announce?: readonly OutboxEntry[]): Promise<InsertOutcome<T>>;
  mutate(current: T, next: Checked<T>, announce?: readonly OutboxEntry[]): Promise<MutationOutcome<T>>;
}

/** The part of a collection that a decision uses; `Next` is the type that its writes accept. */
export interface DecidedCollection<T extends Revisioned, Next extends Draft<T>> {
  readonly name: string;
  readonly derived?: readonly string[];
  findById(id: string): Promise<T | null>;
  insert(draft: Next, announce?: readonly OutboxEntry[]): Promise<InsertOutcome<T>>;
  mutate(current: T, next: Next, announce?: readonly OutboxEntry[]): Promise<MutationOutcome<T>>;
}
