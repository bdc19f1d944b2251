/** A list of proposals, newest first, in pages that neither repeat nor leave out what is proposed meanwhile. */
import type { Revisioned } from '@platform/kernel';
import { decodeCursor, encodeCursor, type RevisionedCollection } from '@platform/mongo';

const pageItems = 20;

export interface ProposalPage<T> {
  readonly proposals: readonly T[];
  /** Absent at the end of the list. */
  readonly nextCursor?: string;
}

/** At most 20 that have these fields; null for a cursor that no such list gave out. Throws StoreUnavailableError. */
export async function newestProposals<T extends Revisioned>(
  records: Pick<RevisionedCollection<T>, 'find'>,
  fields: Readonly<Record<string, string>>,
  cursor: string | undefined,
): Promise<ProposalPage<T> | null> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  if (after === null) return null;
  const sort = { createdAt: -1, _id: -1 } as const;
  const found = await records.find(fields, { sort, limit: pageItems + 1, ...(after && { after }) });
  const proposals = found.slice(0, pageItems);
  const last = proposals.at(-1);
  return found.length > pageItems && last ? { proposals, nextCursor: encodeCursor(last) } : { proposals };
}
