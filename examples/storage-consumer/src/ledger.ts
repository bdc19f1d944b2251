/**
 * The buckets of this example and their history, one JSON line per effect, on disk before the effect counts. An
 * operation in the ledger is never applied again: its first receipt stays the answer.
 */
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { TenantLifecycleMessage, TenantLifecycleTransition } from '@platform/workspace-platform/tenant-lifecycle';

const effects: Readonly<Record<TenantLifecycleTransition, string>> = {
  created: 'bucket created',
  suspended: 'bucket made read-only',
  reactivation_requested: 'bucket made writable',
};

interface LedgerRow {
  readonly operationId: string;
  readonly tenantId: string;
  readonly effect: string;
  readonly receiptId: string;
  readonly effectiveAt: string;
}

export interface Applied {
  readonly row: LedgerRow;
  /** True: the effect has just been applied; false: it was applied before. */
  readonly applied: boolean;
}

export interface Ledger {
  /** The row of this operation. */
  apply(message: TenantLifecycleMessage, now: Date): Applied;
  /** Reserves the name of the bucket for a workspace that is being created. */
  reserve(tenantId: string, now: Date): Applied;
  /** Releases the name; not applied when none was reserved. */
  release(tenantId: string, now: Date): Applied | null;
  close(): void;
}

/** Complete rows of a ledger's text; a last line that a crash cut short counts as not written. */
function readRows(text: string): LedgerRow[] {
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  return complete.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as LedgerRow];
    } catch {
      return [];
    }
  });
}

/** A ledger in the given file, or in memory when none is given. */
export function openLedger(file: string | undefined): Ledger {
  const text = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '';
  const rows = new Map(readRows(text).map((row) => [row.operationId, row]));
  const descriptor = file === undefined ? null : openSync(file, 'a', 0o600);
  const write = (line: string): void => {
    if (descriptor === null) return;
    writeSync(descriptor, line);
    fdatasyncSync(descriptor);
  };
  // A line that was cut short stays separate from the next one.
  if (text !== '' && !text.endsWith('\n')) write('\n');
  const once = (operationId: string, tenantId: string, effect: string, now: Date): Applied => {
    const known = rows.get(operationId);
    if (known) return { row: known, applied: false };
    const row = { operationId, tenantId, effect, receiptId: `storage:${operationId}`, effectiveAt: now.toISOString() };
    write(`${JSON.stringify(row)}\n`);
    rows.set(operationId, row);
    return { row, applied: true };
  };
  return {
    apply: ({ operationId, tenantId, transition }, now) => once(operationId, tenantId, effects[transition], now),
    reserve: (tenantId, now) => once(`bucket-reserved:${tenantId}`, tenantId, 'bucket name reserved', now),
    release: (tenantId, now) =>
      rows.has(`bucket-reserved:${tenantId}`)
        ? once(`bucket-released:${tenantId}`, tenantId, 'bucket name released', now)
        : null,
    close: () => {
      if (descriptor !== null) closeSync(descriptor);
    },
  };
}
