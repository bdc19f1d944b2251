/**
 * A page of the work queue: money at risk × age, largest first, read by index. The store returns the items of each
 * weight oldest first in small portions; the page is their merge, and weights that can no longer reach the page are not
 * read.
 */
import type { WorkKind, WorkState } from '@platform/contracts-operator';
import type { Filter, RevisionedCollection } from '@platform/mongo';
import { compareRanked, startIn, type QueuePosition } from '../domain/rank';
import type { WorkItem } from '../domain/work-item';
import { batchesOf, type KnownWeights } from './known-weights';
import { encodeQueueCursor } from './queue-cursor';

export interface WorkFilter {
  readonly kind?: WorkKind | undefined;
  readonly state?: WorkState | undefined;
  readonly tenantId?: string | undefined;
  readonly cause?: string | undefined;
}

export interface WorkPage {
  readonly items: readonly WorkItem[];
  readonly asOf: Date;
  readonly nextCursor?: string;
}

const portion = 12;

export type Items = Pick<RevisionedCollection<WorkItem>, 'find'>;

/** `position` continues an earlier page; without it the list begins, as of `now`. */
export async function listWork(
  items: Items,
  known: KnownWeights,
  filter: WorkFilter,
  position: QueuePosition | null,
  limit: number,
  now: Date,
): Promise<WorkPage> {
  const asOf = position?.asOf ?? now;
  const where = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Filter;
  const best: WorkItem[] = [];
  for await (const weights of batchesOf(known, where)) {
    const found = await Promise.all(
      weights.map((weight) => firstOf(items, where, weight, position, Math.min(portion, limit + 1))),
    );
    for (const lane of found) await mergeLane(best, lane, limit + 1, asOf);
    // The next lighter weight, at the greatest possible age, does not exceed the last item of a full page, so no
    // lighter item can enter.
    const lightest = weights.at(-1)!;
    const last = best[limit];
    if (
      last &&
      lightest > 0 &&
      compareRanked(last, { _id: '', weight: lightest, since: await oldestSince(items) }, asOf) < 0
    )
      break;
  }
  const shown = best.slice(0, limit);
  const last = shown.at(-1);
  return best.length > limit && last
    ? { items: shown, asOf, nextCursor: encodeQueueCursor({ asOf, last }) }
    : { items: shown, asOf };
}

/** The age of the oldest item, whatever the filter: no item is older. */
async function oldestSince(items: Items): Promise<Date> {
  const [oldest] = await items.find({}, { sort: { since: 1, _id: 1 }, limit: 1 });
  return oldest?.since ?? new Date(0);
}

interface Lane {
  readonly rows: readonly WorkItem[];
  readonly more: (after: WorkItem) => Promise<readonly WorkItem[]>;
}

async function firstOf(
  items: Items,
  where: Filter,
  weight: number,
  position: QueuePosition | null,
  count: number,
): Promise<Lane> {
  const start = startIn(weight, position);
  const read = (bounds: Filter, after?: WorkItem | { since: Date; _id: string }, size = count) =>
    items.find(
      { ...where, weight, ...bounds },
      { sort: { since: 1, _id: 1 }, limit: size, ...(after && { after: [after.since, after._id] }) },
    );
  const more = (after: WorkItem) => read({}, after, count * 4);
  switch (start.kind) {
    case 'done':
      return { rows: [], more };
    case 'start':
      return { rows: await read({}), more };
    case 'after':
      return { rows: await read({}, start), more };
    case 'from':
      return { rows: await read({ since: { $gte: start.since } }), more };
  }
}

/** Merges the lane's items into the best ones as long as they enter. */
async function mergeLane(best: WorkItem[], lane: Lane, size: number, asOf: Date): Promise<void> {
  let rows = lane.rows;
  while (rows.length > 0) {
    for (const row of rows) {
      const last = best[size - 1];
      if (last && compareRanked(row, last, asOf) > 0) return;
      insert(best, row, asOf);
      if (best.length > size) best.pop();
    }
    rows = await lane.more(rows.at(-1)!);
  }
}

function insert(best: WorkItem[], row: WorkItem, asOf: Date): void {
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareRanked(best[middle]!, row, asOf) < 0) low = middle + 1;
    else high = middle;
  }
  best.splice(low, 0, row);
}
