/**
 * A page of the activity: a merge of indexed reads over the records themselves, newest first. Nothing is stored
 * for it; what people did to consumers is asked of lifecycle-delivery.
 */
import type { ActivityQuery, ActivityRow } from '@platform/contracts-operator';
import { boundedPage, type Lane } from '../../listing/bounded-page';
import { decodeListCursor, encodeListCursor } from '../../listing/list-cursor';
import type { Placed } from '../domain/rows';
import { ConsumerActionsUnavailable } from './consumer-lane';
import { hasAmount, lanesOf, type ActivityPorts } from './lanes';

export interface ListedActivity {
  readonly activity: readonly ActivityRow[];
  /** A peer that did not answer; its rows are missing. */
  readonly unavailable?: readonly { readonly service: string; readonly problem: string }[];
  readonly nextCursor?: string;
}

/** The most documents that one page reads from a collection when every row must be checked against the filters. */
const judged = 200;

/** Null for a cursor that this list did not issue. Throws StoreUnavailableError. */
export async function listActivity(ports: ActivityPorts, query: ActivityQuery): Promise<ListedActivity | null> {
  const after = query.cursor === undefined ? null : decodeListCursor(query.cursor);
  if (query.cursor !== undefined && !after) return null;
  const { workspace, actor, action, status } = query;
  const filters = [workspace, actor, action, status].filter((value) => value !== undefined).length;
  const batch = filters > 0 || hasAmount(query) ? Math.max(judged, query.limit + 1) : query.limit + 1;
  const missing = new Set<string>();
  const page = await boundedPage({
    lanes: lanesOf(ports, query).map((lane) => withoutSilent(lane, missing)),
    positionOf: (placed) => placed,
    order: query.order,
    after,
    limit: query.limit,
    batch,
    keep: ({ row }) => fits(row, query),
  });
  return {
    activity: page.rows.map(({ row }) => row),
    ...(missing.size > 0 && {
      unavailable: [...missing].map((code) => ({
        service: 'lifecycle-delivery',
        problem: `it does not answer (${code})`,
      })),
    }),
    ...(page.next && { nextCursor: encodeListCursor(page.next) }),
  };
}

/** A peer that does not answer must not hide what the gateway has on record. */
function withoutSilent(lane: Lane<Placed>, missing: Set<string>): Lane<Placed> {
  return async (after, limit) => {
    try {
      return await lane(after, limit);
    } catch (error) {
      if (!(error instanceof ConsumerActionsUnavailable)) throw error;
      missing.add(error.message);
      return [];
    }
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
