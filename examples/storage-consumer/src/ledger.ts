/**
 * The buckets of this example and what was done to them, one JSON line per effect, on disk before the effect counts.
 * An operation that stands in the ledger is never applied again: its first receipt is the answer for ever.
 */
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { TenantLifecycleMessage, TenantLifecycleTransition } from '@platform/workspace-platform/tenant-lifecycle';

const effects: Readonly<Record<TenantLifecycleTransition, string>> = {
  created: 'bucket created',
  suspended: 'bucket made read-only',
  reactivation_requested: 'bucket made writable',
};

export interface LedgerRow {
  readonly operationId: string;
  readonly tenantId: string;
  readonly effect: string;
  readonly receiptId: string;
  readonly effectiveAt: string;
}

export interface Ledger {
  /** The row of this operation, and whether it is new: then the effect has just been applied. */
  apply(message: TenantLifecycleMessage, now: Date): { readonly row: LedgerRow; readonly applied: boolean };
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
  // Whatever was cut short stays on a line of its own.
  if (text !== '' && !text.endsWith('\n')) write('\n');
  return {
    apply({ operationId, tenantId, transition }, now) {
      const known = rows.get(operationId);
      if (known) return { row: known, applied: false };
      const row = { operationId, tenantId, effect: effects[transition], receiptId: `storage:${operationId}`, effectiveAt: now.toISOString() };
      write(`${JSON.stringify(row)}\n`);
      rows.set(operationId, row);
      return { row, applied: true };
    },
    close: () => {
      if (descriptor !== null) closeSync(descriptor);
    },
  };
}
