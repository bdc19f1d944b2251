/** A list of proposals in pages that neither repeat nor leave out what is proposed meanwhile. */
import type { ListOrder } from '@platform/contracts-operator';
import type { Revisioned } from '@platform/kernel';
import { decodeCursor, encodeCursor, type RevisionedCollection } from '@platform/mongo';

export interface PageQuery {
  readonly order: ListOrder;
  /** Proposals of a page, 1 to 100. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface ProposalPage<T> {
  readonly proposals: readonly T[];
  /** Absent at the end of the list. */
  readonly nextCursor?: string;
}

/** Those that have these fields; null for a cursor that no such list gave out. Throws StoreUnavailableError. */
export async function pageOfProposals<T extends Revisioned>(
  records: Pick<RevisionedCollection<T>, 'find'>,
  fields: Readonly<Record<string, string>>,
  { order, limit, cursor }: PageQuery,
): Promise<ProposalPage<T> | null> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  if (after === null) return null;
  const direction = order === 'newest' ? -1 : 1;
  const sort = { createdAt: direction, _id: direction } as const;
  const found = await records.find(fields, { sort, limit: limit + 1, ...(after && { after }) });
  const proposals = found.slice(0, limit);
  const last = proposals.at(-1);
  return found.length > limit && last ? { proposals, nextCursor: encodeCursor(last) } : { proposals };
}
