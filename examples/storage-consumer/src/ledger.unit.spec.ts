import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openLedger } from './ledger';

const message = (operationId: string) => ({
  tenantId: 'acme',
  operationId,
  transition: 'suspended' as const,
  requestedAt: '2026-01-01T00:00:00.000Z',
});
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));

describe('the ledger of the storage consumer', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'ledger-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('applies an operation once and answers repeats with the first receipt, also after a restart', () => {
    const file = path.join(folder, 'ledger.jsonl');
    const first = openLedger(file);
    const { row, applied } = first.apply(message('operation-1'), at(1));
    expect(applied).toBe(true);
    expect(first.apply(message('operation-1'), at(2))).toEqual({ row, applied: false });
    first.close();
    const second = openLedger(file);
    expect(second.apply(message('operation-1'), at(3))).toEqual({ row, applied: false });
    expect(second.apply(message('operation-2'), at(3)).applied).toBe(true);
    second.close();
  });

  it('reserves a name once, and releases only what was reserved, also after a restart', () => {
    const file = path.join(folder, 'ledger.jsonl');
    const first = openLedger(file);
    expect(first.release('acme', at(0))).toBeNull();
    expect([first.reserve('acme', at(1)).applied, first.reserve('acme', at(2)).applied]).toEqual([true, false]);
    first.close();
    const second = openLedger(file);
    expect([
      second.reserve('acme', at(3)).applied,
      second.release('acme', at(4))?.applied,
      second.release('acme', at(5))?.applied,
    ]).toEqual([false, true, false]);
    second.close();
  });

  it('takes a row that a crash cut short for not written, and goes on behind it', () => {
    const file = path.join(folder, 'ledger.jsonl');
    const first = openLedger(file);
    first.apply(message('operation-1'), at(1));
    first.close();
    appendFileSync(file, '{"operationId":"operation-2","tena');
    const second = openLedger(file);
    expect(second.apply(message('operation-2'), at(2)).applied).toBe(true);
    second.close();
    const third = openLedger(file);
    expect(['operation-1', 'operation-2'].map((id) => third.apply(message(id), at(3)).applied)).toEqual([false, false]);
    third.close();
  });
});
