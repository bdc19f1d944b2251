/** The rows of the audit chain, what they cover of an operation, and up to where a block has taken operations in. */
import { faultOfRow, faultsOf, nextBlock, requestedRow, resolvedRow, type AuditRow } from './audit-block';
import { at, attempt, inStatus, now, periodEnd, running } from '../testing/action-fixtures';
import type { Operation, Resolution } from './operation';

const resolution: Resolution = {
  outcome: 'applied',
  executorStopped: 'its host was shut down',
  providerObject: 'sub_1',
  by: 'eve@example.com',
  at: now,
};
const operation = running('suspend', {
  values: { a: 1 },
  actor: { id: 'ann', email: 'ann@example.com' },
  reason: 'a call',
});
const resolved: Operation = inStatus(operation, 'succeeded', { result: {}, effectiveAt: now, resolution });
const { reason: _reason, ...unreasoned } = operation;

const row = (kind: AuditRow['kind'], operationId: string, on: Date): AuditRow => ({
  ...requestedRow(operation),
  kind,
  operationId,
  at: on,
});

describe('a row', () => {
  it('says who requested which operation, and who resolved it', () => {
    const whose = { operationId: 'op-00000001', tenantId: 'acme', action: 'suspend' };
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    expect(requestedRow(operation)).toEqual({ kind: 'requested', ...whose, by: 'ann', at, digest });
    expect(resolvedRow(resolved)).toEqual({ kind: 'resolved', ...whose, by: 'eve@example.com', at: now, digest });
    expect(resolvedRow(operation)).toBeNull();
  });

  it.each<[string, Partial<Operation>]>([
    ['id', { _id: 'op-00000002' }],
    ['workspace', { tenantId: 'globex' }],
    ['action', { action: 'reactivate' }],
    ['actor', { actor: { id: 'ann' } }],
    ['reason', { reason: 'another' }],
    ['values', { values: { a: 2 } }],
    ['fingerprint', { fingerprint: 'f' }],
    ['date', { createdAt: now }],
  ])('covers of the request the %s', (_what, change) => {
    expect(requestedRow({ ...operation, ...change } as Operation).digest).not.toBe(requestedRow(operation).digest);
  });

  it('covers that no reason was given, and nothing that comes after the request', () => {
    expect(requestedRow(unreasoned as Operation).digest).not.toBe(requestedRow(operation).digest);
    const later = { ...resolved, attempts: [attempt({ outcome: 'succeeded' })], updatedAt: now, revision: 'r2' };
    expect(requestedRow(later).digest).toBe(requestedRow(operation).digest);
  });

  it.each<[string, Partial<Resolution>]>([
    ['outcome', { outcome: 'not_applied' }],
    ['proof', { executorStopped: 'another' }],
    ['object', { providerObject: null }],
    ['investigator', { by: 'mallory@example.com' }],
    ['date', { at: periodEnd }],
  ])('covers of the resolution the %s', (_what, change) => {
    const changed = { ...resolved, resolution: { ...resolution, ...change } };
    expect(resolvedRow(changed)?.digest).not.toBe(resolvedRow(resolved)?.digest);
  });

  it('covers of which operation the resolution is', () => {
    expect(resolvedRow({ ...resolved, _id: 'op-00000002' })?.digest).not.toBe(resolvedRow(resolved)?.digest);
  });
});

describe('a row beside the operation as it is now', () => {
  it('has no fault while nothing that it covers was changed', () => {
    expect(faultOfRow(requestedRow(operation), resolved)).toBeNull();
    expect(faultOfRow(resolvedRow(resolved)!, resolved)).toBeNull();
  });

  it('shows another request, another resolution, and what was removed', () => {
    expect(faultOfRow(requestedRow(operation), { ...operation, values: { a: 2 } })).toBe(
      'operation op-00000001: what was requested by ann is not what the record says now',
    );
    const silent = 'operation op-00000001: what was resolved by eve@example.com is not what the record says now';
    expect(faultOfRow(resolvedRow(resolved)!, { ...resolved, resolution: { ...resolution, at } })).toBe(silent);
    expect(faultOfRow(resolvedRow(resolved)!, operation)).toBe(silent);
    expect(faultOfRow(requestedRow(operation), undefined)).toBe(
      'operation op-00000001: requested by ann on 2026-03-01T00:00:00.000Z, but there is no such operation any more',
    );
  });
});

describe('a block', () => {
  const rows = [row('requested', 'op-1', at), row('resolved', 'op-9', at), row('requested', 'op-2', now)];
  const first = nextBlock(null, rows);

  it('says up to which operation of each kind the chain has come', () => {
    expect(first).toMatchObject({
      _id: '000000000001',
      rows,
      requestedUpTo: { at: now, operationId: 'op-2' },
      resolvedUpTo: { at, operationId: 'op-9' },
    });
    expect(nextBlock(null, [])).toMatchObject({ requestedUpTo: null, resolvedUpTo: null });
  });

  it('goes on from the block before it, also for a kind of which it has no row', () => {
    const second = nextBlock(first, [row('resolved', 'op-2', periodEnd)]);
    expect(second).toMatchObject({
      _id: '000000000002',
      previous: first.hash,
      requestedUpTo: first.requestedUpTo,
      resolvedUpTo: { at: periodEnd, operationId: 'op-2' },
    });
    expect(nextBlock(second, []).resolvedUpTo).toEqual(second.resolvedUpTo);
    expect(faultsOf(null, first)).toEqual([]);
    expect(faultsOf(first, second)).toEqual([]);
    expect(faultsOf(null, second)).toHaveLength(2);
  });

  it.each([
    ['a row', { rows: rows.slice(1) }],
    ['the position of the requests', { requestedUpTo: null }],
    ['the position of the resolutions', { resolvedUpTo: null }],
  ])('shows that %s was changed', (_what, change) => {
    expect(faultsOf(null, { ...first, ...change })).toEqual([
      'block 000000000001: its content is not what was written',
    ]);
  });
});
