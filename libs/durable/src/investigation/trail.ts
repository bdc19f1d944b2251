/**
 * The trail of resolutions in a service's own database: who ended which investigation and how, in a chain of blocks. It
 * runs a minute late, so that no write under way is missed. Several replicas may append at once: a block's number is
 * its id, and a second writer writes nothing.
 */
import { blockFaults, digestOf, sealBlock, type ChainLink, type Clock, type Revisioned } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';

/** A record whose investigation may have been ended. */
export interface Resolvable extends Revisioned {
  /** A resolution without an `outcome` is entered in the trail as `closed`. */
  readonly resolution?: { readonly outcome?: string; readonly by: string; readonly at: Date };
}

interface TrailRow {
  readonly recordId: string;
  readonly outcome: string;
  /** E-mail address of the person who answers for it. */
  readonly by: string;
  readonly at: Date;
  /** SHA-256 over the resolution and the facts of the record that follow from it. */
  readonly digest: string;
}

export interface TrailBlock extends Revisioned, ChainLink {
  readonly rows: readonly TrailRow[];
}

/** The index with which a collection of resolvable records serves its trail. */
export const byResolution = {
  name: 'by_resolution',
  key: { 'resolution.at': 1, _id: 1 },
  only: { 'resolution.at': { $exists: true } },
} as const;

export interface Trail<T extends Resolvable> {
  readonly records: Pick<RevisionedCollection<T>, 'find' | 'findById'>;
  readonly blocks: Pick<RevisionedCollection<TrailBlock>, 'find' | 'insert'>;
  /** The facts of the record that follow from the resolution and never change afterwards. */
  readonly vouched: (record: T) => object;
  /** Whether the service itself removed the record by retention. Default: it removes none. */
  readonly removed?: (recordId: string) => Promise<boolean>;
}

export interface TrailReport {
  readonly blocks: number;
  readonly rows: number;
  /**
   * Hash of the last block: a person who keeps a copy of it can detect later that the chain was truncated or rewritten.
   */
  readonly head: string | null;
  readonly faults: readonly string[];
}

/** Longer than a write may take between its timestamp and its commit; every wait of the store is bounded by seconds. */
const trailDelayMs = 60_000;
const rowsPerBlock = 500;
const pageSize = 200;

function rowOf<T extends Resolvable>(record: T, vouched: Trail<T>['vouched']): TrailRow | null {
  const { _id: recordId, resolution } = record;
  if (!resolution) return null;
  const { outcome = 'closed', by, at } = resolution;
  return { recordId, outcome, by, at, digest: digestOf({ recordId, resolution, ...vouched(record) }) };
}

/** Records resolved up to a moment, in the order of time, after a row of the trail. */
function resolvedUntil<T extends Resolvable>(
  { records }: Trail<T>,
  until: Date,
  after: Pick<TrailRow, 'at' | 'recordId'> | undefined,
  limit: number,
): Promise<T[]> {
  // The epoch as a bound also requires that the field exists, so that the query can use the partial index.
  return records.find(
    { 'resolution.at': { $gte: new Date(0), $lte: until } },
    { sort: { 'resolution.at': 1, _id: 1 }, limit, ...(after && { after: [after.at, after.recordId] }) },
  );
}

/**
 * Appends blocks until the trail is complete or the process stops; returns the number of rows. Throws when the store is
 * unreachable.
 */
export async function keepTrail<T extends Resolvable>(
  trail: Trail<T>,
  clock: Clock,
  stopping: () => boolean,
  delayMs = trailDelayMs,
): Promise<number> {
  const until = new Date(clock.now().getTime() - delayMs);
  let appended = 0;
  let last = (await trail.blocks.find({}, { sort: { _id: -1 }, limit: 1 }))[0] ?? null;
  while (!stopping()) {
    const resolved = await resolvedUntil(trail, until, last?.rows.at(-1), rowsPerBlock);
    const rows = resolved.map((record) => rowOf(record, trail.vouched)).filter((row) => row !== null);
    if (rows.length === 0) return appended;
    const written = await trail.blocks.insert(sealBlock(last, { rows }));
    // Another replica was first, or the outcome is unknown: the next round reads the chain again.
    if (written.outcome !== 'applied') return appended;
    last = written.record;
    appended += rows.length;
  }
  return appended;
}

/**
 * Checks the whole chain for consistency and against the records. `expectedHash`: a head that was noted earlier must
 * still be in it.
 */
export async function verifyTrail<T extends Resolvable>(trail: Trail<T>, expectedHash?: string): Promise<TrailReport> {
  const faults: string[] = [];
  const known = new Set<string>();
  let last: TrailBlock | null = null;
  let count = 0;
  let expectedSeen = expectedHash === undefined;
  for (;;) {
    const page: TrailBlock[] = await trail.blocks.find(
      {},
      { sort: { _id: 1 }, limit: pageSize, ...(last && { after: [last._id] }) },
    );
    for (const block of page) {
      faults.push(...blockFaults(last, block, { rows: block.rows }));
      for (const row of block.rows) {
        known.add(row.recordId);
        const fault = await faultOfRow(trail, row);
        if (fault !== null) faults.push(fault);
      }
      expectedSeen ||= block.hash === expectedHash;
      last = block;
      count += 1;
    }
    if (page.length < pageSize) break;
  }
  if (!expectedSeen) faults.push(`no block carries the hash ${expectedHash}: the chain was cut short or written again`);
  faults.push(...(await missing(trail, last?.rows.at(-1)?.at, known)));
  return { blocks: count, rows: known.size, head: last?.hash ?? null, faults };
}

async function faultOfRow<T extends Resolvable>(
  { records, vouched, removed }: Trail<T>,
  { recordId, by, at, digest }: TrailRow,
): Promise<string | null> {
  const record = await records.findById(recordId);
  if (!record)
    return (await removed?.(recordId))
      ? null
      : `${recordId}: resolved by ${by} on ${at.toISOString()}, but there is no such record any more`;
  return rowOf(record, vouched)?.digest === digest
    ? null
    : `${recordId}: what was resolved by ${by} is not what the record says now`;
}

/** Resolutions up to the chain's end that it does not contain. */
async function missing<T extends Resolvable>(
  trail: Trail<T>,
  end: Date | undefined,
  known: ReadonlySet<string>,
): Promise<string[]> {
  const faults: string[] = [];
  let last: Pick<TrailRow, 'at' | 'recordId'> | undefined;
  while (end) {
    const page = await resolvedUntil(trail, end, last, pageSize);
    for (const { _id, resolution } of page) {
      if (!known.has(_id)) faults.push(`${_id}: its resolution is not in the chain`);
      if (resolution) last = { at: resolution.at, recordId: _id };
    }
    if (page.length < pageSize) break;
  }
  return faults;
}
