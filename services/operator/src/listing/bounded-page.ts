/**
 * A page out of several ordered reads, with a bound on the rows read: each read returns at most `batch` rows, the rows
 * are merged, and conditions without an index are checked on these rows only. A page may therefore be short although
 * more rows follow; its `next` says so. No request scans a collection.
 */
export interface Position {
  readonly at: Date;
  readonly id: string;
}

export type Order = 'newest' | 'oldest';

/** One ordered read: rows strictly after the position in the given order, at most `limit` of them. */
export type Lane<T> = (after: Position | null, limit: number) => Promise<readonly T[]>;

export interface PageRequest<T> {
  readonly lanes: readonly Lane<T>[];
  readonly positionOf: (row: T) => Position;
  readonly order: Order;
  readonly after: Position | null;
  readonly limit: number;
  /** Rows read of each lane. With a batch of `limit + 1`, only the last page of a list is short. */
  readonly batch: number;
  /** Conditions that the lanes' indexes do not cover. */
  readonly keep?: (row: T) => boolean;
}

export interface BoundedPage<T> {
  readonly rows: readonly T[];
  /** The position where the list continues; absent at its end. */
  readonly next?: Position;
  /** How many rows were read. */
  readonly read: number;
}

/** Negative when `a` comes first. */
export function comparePositions(order: Order, a: Position, b: Position): number {
  const rising = a.at.getTime() - b.at.getTime() || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  return order === 'oldest' ? rising : -rising;
}

/** Throws what the lanes throw. */
export async function boundedPage<T>(request: PageRequest<T>): Promise<BoundedPage<T>> {
  const { lanes, positionOf, order, after, limit, batch, keep = () => true } = request;
  const reads = await Promise.all(lanes.map((lane) => lane(after, batch)));
  const compare = (a: Position, b: Position) => comparePositions(order, a, b);
  // A lane that reached its limit may have more rows: the page ends before the first such lane ends.
  const ends = reads.flatMap((rows) => (rows.length >= batch ? [positionOf(rows[rows.length - 1]!)] : []));
  const horizon = ends.sort(compare)[0];
  const merged = reads
    .flat()
    .map((row) => ({ row, position: positionOf(row) }))
    .sort((a, b) => compare(a.position, b.position))
    .filter(({ position }, at, all) => at === 0 || compare(position, all[at - 1]!.position) !== 0)
    .filter(({ position }) => !horizon || compare(position, horizon) <= 0);
  const kept = merged.filter(({ row }) => keep(row));
  const shown = kept.slice(0, limit);
  const next = kept.length > limit ? shown.at(-1)?.position : horizon;
  const read = reads.reduce((sum, { length }) => sum + length, 0);
  return { rows: shown.map(({ row }) => row), read, ...(next && { next }) };
}
