/**
 * The audit chain of requests: each block of rows carries the hash of the block before it, so a row that is changed,
 * removed or inserted later is detected. Rows hold digests of the operations, so a changed operation is detected too.
 * The chain proves changes after the fact; it cannot hinder a writer with access to the database.
 */
import { blockFaults, digestOf, sealBlock, type ChainLink, type Revisioned } from '@platform/kernel';
import type { Operation } from './operation';

export interface AuditRow {
  readonly kind: 'requested' | 'resolved';
  readonly operationId: string;
  readonly tenantId: string;
  readonly action: string;
  /** Subject of the caller's token, or the e-mail address of the person who answers for a resolution. */
  readonly by: string;
  readonly at: Date;
  /** SHA-256 over the fields of the operation that this row covers. */
  readonly digest: string;
}

/** The last operation of each kind that the chain has taken in. */
export interface AuditPosition {
  readonly at: Date;
  readonly operationId: string;
}

export interface AuditBlock extends Revisioned, ChainLink {
  readonly rows: readonly AuditRow[];
  readonly requestedUpTo: AuditPosition | null;
  readonly resolvedUpTo: AuditPosition | null;
}

export type AuditBlockDraft = Omit<AuditBlock, 'revision' | 'createdAt' | 'updatedAt'>;

export const auditRowsPerBlock = 500;

export function requestedRow({
  _id: operationId,
  tenantId,
  action,
  actor,
  reason,
  values,
  fingerprint,
  createdAt,
}: Operation): AuditRow {
  return {
    kind: 'requested',
    operationId,
    tenantId,
    action,
    by: actor.id,
    at: createdAt,
    digest: digestOf({ operationId, tenantId, action, actor, reason, values, fingerprint, createdAt }),
  };
}

/** Null for an operation that was not resolved. */
export function resolvedRow({ _id: operationId, tenantId, action, resolution }: Operation): AuditRow | null {
  return resolution
    ? {
        kind: 'resolved',
        operationId,
        tenantId,
        action,
        by: resolution.by,
        at: resolution.at,
        digest: digestOf({ operationId, ...resolution }),
      }
    : null;
}

function upTo(rows: readonly AuditRow[], kind: AuditRow['kind'], before: AuditPosition | null): AuditPosition | null {
  const last = rows.filter((row) => row.kind === kind).at(-1);
  return last ? { at: last.at, operationId: last.operationId } : before;
}

/** The block after `last` (null: the first) with these rows, each kind in the order of time. */
export function nextBlock(last: AuditBlockDraft | null, rows: readonly AuditRow[]): AuditBlockDraft {
  return sealBlock(last, {
    rows,
    requestedUpTo: upTo(rows, 'requested', last?.requestedUpTo ?? null),
    resolvedUpTo: upTo(rows, 'resolved', last?.resolvedUpTo ?? null),
  });
}

/** What is wrong with a block that follows `last`; empty when it is valid. */
export function faultsOf(last: AuditBlockDraft | null, block: AuditBlockDraft): string[] {
  const { rows, requestedUpTo, resolvedUpTo } = block;
  return blockFaults(last, block, { rows, requestedUpTo, resolvedUpTo });
}

/** How a row and the current operation differ. */
export function faultOfRow(row: AuditRow, operation: Operation | undefined): string | null {
  if (!operation)
    return `operation ${row.operationId}: ${row.kind} by ${row.by} on ${row.at.toISOString()}, but there is no such operation any more`;
  const now = row.kind === 'requested' ? requestedRow(operation) : resolvedRow(operation);
  return now?.digest === row.digest
    ? null
    : `operation ${row.operationId}: what was ${row.kind} by ${row.by} is not what the record says now`;
}
