/** The audit chain over many records: it is written in blocks and read in pages, and nothing falls between two of them. */
import { losingWrites } from '@platform/durable/testing';
import { auditRowsPerBlock } from '../domain/audit-block';
import type { Operation } from '../domain/operation';
import { auditBlocksCollection } from '../store/audit-blocks';
import { operationsCollection } from '../store/operations';
import { createOperatorWorld } from '../../testing/operator-world';
import { inStatus, running } from '../testing/action-fixtures';
import { keepAudit } from './keep-audit';
import { verifyAudit } from './verify-audit';

const start = new Date('2025-06-01T00:00:00.000Z').getTime();
const going = () => false;
const resolution = (at: Date) => ({
  outcome: 'applied' as const,
  executorStopped: 'the host is gone',
  providerObject: null,
  by: 'eve@platform.example',
  at,
});

function operation(n: number): Operation {
  // Two of each have the same instant: only their ids tell them apart.
  const createdAt = new Date(start + Math.floor(n / 2));
  const asked = running('credit_customer', { _id: `op-${String(n).padStart(5, '0')}`, createdAt });
  return inStatus(asked, 'succeeded', { result: {}, effectiveAt: createdAt });
}

async function chainOf(count: number) {
  const world = await createOperatorWorld();
  const operations = world.store.collection(operationsCollection);
  const blocks = world.store.collection(auditBlocksCollection);
  for (let n = 0; n < count; n += 1) operations.put({ ...operation(n) });
  const ports = { operations, blocks, clock: world.clock };
  return { world, operations, blocks, ports };
}

describe('an audit chain of many operations', () => {
  it('has every operation once, over several blocks and pages', async () => {
    const count = auditRowsPerBlock + 3;
    const { ports, blocks, operations } = await chainOf(count);
    expect(await keepAudit(ports, going)).toBe(count);
    expect(blocks.all().map(({ rows }) => rows.length)).toEqual([auditRowsPerBlock, 3]);
    expect(await verifyAudit({ operations, blocks })).toEqual({
      blocks: 2,
      rows: count,
      head: blocks.all().at(-1)!.hash,
      faults: [],
    });
    expect(await keepAudit(ports, going)).toBe(0);
  });

  it('is checked over more than one page of blocks', async () => {
    const { ports, blocks, operations } = await chainOf(0);
    for (let n = 0; n < 203; n += 1) {
      operations.put({ ...operation(n) });
      await keepAudit(ports, going);
    }
    const { head, ...report } = await verifyAudit({ operations, blocks });
    expect(report).toEqual({ blocks: 203, rows: 203, faults: [] });
    expect(head).toBe(blocks.all().at(-1)!.hash);
    const first = blocks.all()[0]!.hash;
    expect((await verifyAudit({ operations, blocks }, first)).faults).toEqual([]);
  });

  it('names every operation that it lacks, on every page', async () => {
    const { ports, blocks, operations } = await chainOf(401);
    await keepAudit(ports, going);
    for (const n of [0, 200, 400]) operations.put({ ...operation(n), _id: `op-${String(n).padStart(5, '0')}-more` });
    expect((await verifyAudit({ operations, blocks })).faults).toEqual(
      [0, 200, 400].map((n) => `operation op-${String(n).padStart(5, '0')}-more: is not in the chain`),
    );
  });

  it('names a resolution that it lacks, once the chain has come to its instant', async () => {
    const { ports, blocks, operations } = await chainOf(3);
    const at = new Date(start + 1_000);
    operations.put({ ...operation(1), resolution: resolution(at) });
    await keepAudit(ports, going);
    expect((await verifyAudit({ operations, blocks })).faults).toEqual([]);
    operations.put({ ...operation(0), resolution: resolution(at) });
    operations.put({ ...operation(2), resolution: resolution(new Date(start + 2_000)) });
    expect((await verifyAudit({ operations, blocks })).faults).toEqual([
      'operation op-00000: its resolution is not in the chain',
    ]);
  });

  it('that was cut short between two blocks does not have the head that a person noted', async () => {
    const { ports, blocks, operations } = await chainOf(auditRowsPerBlock + 1);
    await keepAudit(ports, going);
    const [first, last] = blocks.all();
    const cut = { find: async () => [first!] };
    expect((await verifyAudit({ operations, blocks: cut }, first!.hash)).faults).toEqual([]);
    expect((await verifyAudit({ operations, blocks: cut }, last!.hash)).faults).toEqual([
      expect.stringContaining(`no block carries the hash ${last!.hash}`),
    ]);
  });

  it('is of no operation that is newer than its end', async () => {
    const { ports, blocks, operations } = await chainOf(2);
    await keepAudit(ports, going);
    operations.put({ ...operation(90) });
    expect((await verifyAudit({ operations, blocks })).faults).toEqual([]);
  });

  it('without a block has no head and no fault', async () => {
    const { blocks, operations } = await chainOf(2);
    expect(await verifyAudit({ operations, blocks })).toEqual({ blocks: 0, rows: 0, head: null, faults: [] });
  });
});

describe('the keeping of the audit chain', () => {
  it('takes in what is a minute old, and not what is younger', async () => {
    const { world, ports, operations, blocks } = await chainOf(0);
    const now = world.clock.now();
    const frozen = { ...ports, clock: { ...world.clock, now: () => now } };
    operations.put({ ...operation(1), createdAt: new Date(now.getTime() - 60_000) });
    operations.put({ ...operation(2), createdAt: new Date(now.getTime() - 59_999) });
    expect(await keepAudit(frozen, going)).toBe(1);
    expect(blocks.all()[0]?.rows.map(({ operationId }) => operationId)).toEqual(['op-00001']);
  });

  it('ends between two blocks when the process stops, and goes on later', async () => {
    const { ports, blocks } = await chainOf(auditRowsPerBlock + 1);
    expect(await keepAudit(ports, () => true)).toBe(0);
    expect(await keepAudit(ports, () => blocks.all().length > 0)).toBe(auditRowsPerBlock);
    expect(await keepAudit(ports, going)).toBe(1);
  });

  it('ends where another replica was first, and counts only its own', async () => {
    const { ports, blocks } = await chainOf(1);
    expect(await keepAudit({ ...ports, blocks: losingWrites(blocks) }, going)).toBe(0);
  });
});
