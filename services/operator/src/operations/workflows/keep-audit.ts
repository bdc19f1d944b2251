/**
 * Adds operations and resolutions to the audit chain, one block at a time and a minute late, so that no write under way
 * is missed and no operation waits for the chain. Several replicas may do it at once: a block's number is its id, and a
 * second writer writes nothing.
 */
import type { Clock } from '@platform/kernel';
import type { Filter, RevisionedCollection } from '@platform/mongo';
import {
  auditRowsPerBlock,
  nextBlock,
  requestedRow,
  resolvedRow,
  type AuditBlock,
  type AuditPosition,
  type AuditRow,
} from '../domain/audit-block';
import type { Operation } from '../domain/operation';

export interface AuditPorts {
  readonly operations: Pick<RevisionedCollection<Operation>, 'find'>;
  readonly blocks: Pick<RevisionedCollection<AuditBlock>, 'find' | 'insert'>;
  readonly clock: Clock;
}

/** Longer than a write may take between its timestamp and its commit; every wait of the store is bounded by seconds. */
const auditDelayMs = 60_000;

async function following(
  operations: AuditPorts['operations'],
  path: 'createdAt' | 'resolution.at',
  until: Date,
  after: AuditPosition | null,
): Promise<Operation[]> {
  // The epoch as a bound also requires that the field exists, so that the query can use the partial index of
  // resolutions.
  const filter: Filter = { [path]: { $gte: new Date(0), $lte: until } };
  return operations.find(filter, {
    sort: { [path]: 1, _id: 1 },
    limit: auditRowsPerBlock,
    ...(after && { after: [after.at, after.operationId] }),
  });
}

/** The end of the chain; null before the first block. */
async function lastBlock(blocks: Pick<RevisionedCollection<AuditBlock>, 'find'>): Promise<AuditBlock | null> {
  return (await blocks.find({}, { sort: { _id: -1 }, limit: 1 }))[0] ?? null;
}

/**
 * Appends blocks until the chain is complete or the process stops; returns the number of rows. Throws when the store is
 * unreachable.
 */
export async function keepAudit(
  { operations, blocks, clock }: AuditPorts,
  stopping: () => boolean,
  delayMs = auditDelayMs,
): Promise<number> {
  const until = new Date(clock.now().getTime() - delayMs);
  let appended = 0;
  for (let last = await lastBlock(blocks); !stopping();) {
    const [requested, resolved] = await Promise.all([
      following(operations, 'createdAt', until, last?.requestedUpTo ?? null),
      following(operations, 'resolution.at', until, last?.resolvedUpTo ?? null),
    ]);
    const rows: AuditRow[] = [
      ...requested.map(requestedRow),
      ...resolved.map(resolvedRow).filter((row) => row !== null),
    ];
    if (rows.length === 0) return appended;
    const written = await blocks.insert(nextBlock(last, rows));
    // Another replica was first, or the outcome is unknown: the next round reads the chain again.
    if (written.outcome !== 'applied') return appended;
    last = written.record;
    appended += rows.length;
  }
  return appended;
}
