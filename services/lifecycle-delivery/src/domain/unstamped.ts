/** A record as the domain drafts it: revision and times are stamped by the collection that writes it. */
import type { Revisioned } from '@platform/kernel';

export type Unstamped<T extends Revisioned> = Omit<T, 'revision' | 'createdAt' | 'updatedAt'>;
