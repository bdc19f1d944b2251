/**
 * Law 5, one decision one document: every record carries a `revision`; a mutation names the revision that it read and
 * writes a new one. A record without a revision is refused (specification §9).
 */
import { InvariantError } from './assert';

/** A record as a collection stores it. Dates are instants in UTC. */
export interface Revisioned {
  readonly _id: string;
  readonly revision: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export class MissingRevisionError extends InvariantError {
  override name = 'MissingRevisionError';
}

/** Refuses a record that was written without a revision; such a row needs the upgrade procedure. */
export function requireRevision(record: { readonly _id: unknown; readonly revision?: unknown }): void {
  if (typeof record.revision !== 'string' || record.revision.length === 0) {
    throw new MissingRevisionError(`record ${String(record._id)} carries no revision and cannot be changed`);
  }
}
