/**
 * A page of the activity: a merge of indexed reads over the records themselves, newest first. Nothing is stored for it.
 */
import type { ActivityQuery, ActivityRow } from '@platform/contracts-operator';
import { boundedPage } from '../../listing/bounded-page';
import { decodeListCursor, encodeListCursor } from '../../listing/list-cursor';
import { hasAmount, lanesOf, type ActivityPorts } from './lanes';

export interface ListedActivity {
  readonly activity: readonly ActivityRow[];
  readonly nextCursor?: string;
}

/** Documents read of one collection per page, when rows are judged one by one. */
const judged = 200;

/** Null for a cursor that this list did not issue. Throws StoreUnavailableError. */
export async function listActivity(ports: ActivityPorts, query: ActivityQuery): Promise<ListedActivity | null> {
  const after = query.cursor === undefined ? null : decodeListCursor(query.cursor);
  if (query.cursor !== undefined && !after) return null;
  const { workspace, actor, action, status } = query;
  const filters = [workspace, actor, action, status].filter((value) => value !== undefined).length;
  const batch = filters > 0 || hasAmount(query) ? Math.max(judged, query.limit + 1) : query.limit + 1;
  const page = await boundedPage({
    lanes: lanesOf(ports, query),
    positionOf: (placed) => placed,
    order: query.order,
    after,
    limit: query.limit,
    batch,
    keep: ({ row }) => fits(row, query),
  });
  return {
    activity: page.rows.map(({ row }) => row),
    ...(page.next && { nextCursor: encodeListCursor(page.next) }),
  };
}

function fits(row: ActivityRow, { workspace, actor, action, status, amountFrom, amountTo }: ActivityQuery): boolean {
  const cents = row.amount?.amountCents;
  return (
    (workspace === undefined || row.tenantId === workspace) &&
    (actor === undefined || row.actor?.id === actor || row.actor?.email === actor) &&
    (action === undefined || row.action === action) &&
    (status === undefined || row.status === status) &&
    (amountFrom === undefined || (cents !== undefined && cents >= amountFrom)) &&
    (amountTo === undefined || (cents !== undefined && cents <= amountTo))
  );
}
