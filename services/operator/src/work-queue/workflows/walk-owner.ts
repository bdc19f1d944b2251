/**
 * Compares all rows of one kind with their owner, page by page in the order of `since`, and repairs what differs. It
 * finds changes that no message announced: resolutions recorded off-line, executors that ended, rows of an empty queue.
 */
import type { Filter } from '@platform/mongo';
import { hasSameFacts, workItemKey, type WorkItem, type WorkItemFacts } from '../domain/work-item';
import { isUnavailable, type Segment, type Unavailable, type WorkOwner, type WorkQueuePorts } from './ports';
import { insertRow, refreshItem, type Refreshed } from './refresh-item';

export interface Walked {
  readonly seen: number;
  readonly repaired: number;
}

interface Walk {
  readonly ports: WorkQueuePorts;
  readonly owner: WorkOwner;
  readonly stopping: () => boolean;
  seen: number;
  repaired: number;
}

const rowsAtOnce = 500;
const repairedAtOnce = 16;
const beginning = new Date(0);

/** One whole walk, or why it ended early. Throws StoreUnavailableError. */
export async function walkOwner(
  ports: WorkQueuePorts,
  owner: WorkOwner,
  stopping: () => boolean = () => false,
): Promise<Walked | Unavailable> {
  const walk: Walk = { ports, owner, stopping, seen: 0, repaired: 0 };
  for (const segment of owner.segments) {
    const trouble = await walkSegment(walk, segment);
    if (trouble) return trouble;
  }
  return { seen: walk.seen, repaired: walk.repaired };
}

async function walkSegment(walk: Walk, segment: Segment): Promise<Unavailable | null> {
  let cursor: string | undefined;
  let from = beginning;
  let carried: readonly WorkItemFacts[] = [];
  do {
    if (walk.stopping()) return { unavailable: 'the service is closing' };
    const page = await segment.page(cursor);
    if (isUnavailable(page)) return page;
    walk.seen += page.facts.length;
    cursor = page.nextCursor;
    const facts = [...carried, ...page.facts];
    // The next page may continue with the last instant of this page, so that instant is compared with the next page.
    const until = cursor === undefined ? null : (facts.at(-1)?.since ?? from);
    const complete = until ? facts.filter(({ since }) => since < until) : facts;
    carried = until ? facts.filter(({ since }) => since >= until) : [];
    await compareRange(walk, segment, complete, from, until);
    from = until ?? from;
  } while (cursor !== undefined);
  return null;
}

async function compareRange(
  walk: Walk,
  { status }: Segment,
  facts: readonly WorkItemFacts[],
  from: Date,
  until: Date | null,
): Promise<void> {
  const { kind } = walk.owner;
  const missing = new Map(facts.map((each) => [workItemKey(each.kind, each.itemId), each]));
  const doubtful: WorkItem[] = [];
  const filter: Filter = {
    kind,
    ...(status !== undefined && { status }),
    since: { $gte: from, ...(until && { $lt: until }) },
  };
  const sort: Readonly<Record<string, 1>> =
    status === undefined ? { status: 1, since: 1, _id: 1 } : { since: 1, _id: 1 };
  let rows: WorkItem[];
  let after: WorkItem | undefined;
  do {
    const position =
      after && (status === undefined ? [after.status, after.since, after._id] : [after.since, after._id]);
    rows = await walk.ports.items.find(filter, { sort, limit: rowsAtOnce, ...(position && { after: position }) });
    for (const row of rows) {
      const facts = missing.get(row._id);
      if (!facts || !hasSameFacts(row, facts)) doubtful.push(row);
      missing.delete(row._id);
    }
    after = rows.at(-1);
  } while (rows.length === rowsAtOnce);
  await eachOf([...missing.values()], async (facts) => {
    // The row may exist with another status, in the range of another segment.
    const inserted = await insertRow(walk.ports, facts);
    if (repairs(inserted === 'raced' ? await refreshItem(walk.ports, kind, facts.itemId) : inserted))
      walk.repaired += 1;
  });
  await eachOf(doubtful, async ({ itemId }) => {
    if (repairs(await refreshItem(walk.ports, kind, itemId))) walk.repaired += 1;
  });
}

function repairs(refreshed: Refreshed): boolean {
  return refreshed === 'changed' || refreshed === 'removed';
}

async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < all.length; at = next++) await work(all[at]!);
  };
  await Promise.all(Array.from({ length: Math.min(repairedAtOnce, all.length) }, lane));
}
