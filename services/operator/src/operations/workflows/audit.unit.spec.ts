import type { FakeCollection } from '@platform/mongo/testing';
import type { AuditBlock } from '../domain/audit-block';
import type { Operation } from '../domain/operation';
import { auditBlocksCollection } from '../store/audit-blocks';
import { operationsCollection } from '../store/operations';
import { bootOperator, createOperatorWorld, type OperatorWorld } from '../../testing/operator-world';
import { keepAudit } from './keep-audit';
import { runOperation } from './run-operation';
import { verifyAudit } from './verify-audit';

interface Trail {
  readonly world: OperatorWorld;
  readonly operations: FakeCollection<Operation>;
  readonly blocks: FakeCollection<AuditBlock>;
}

const going = () => false;
const credit = (operationId: string) => ({
  operationId,
  tenantId: 'acme',
  action: 'credit_customer' as const,
  values: { amountCents: 100, reason: 'Goodwill' },
  actor: { id: 'ada@platform.example' },
});

async function trailOf(...ids: string[]): Promise<Trail> {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 0);
  for (const id of ids) await runOperation(ports, credit(id));
  const operations = world.store.collection(operationsCollection);
  const blocks = world.store.collection(auditBlocksCollection);
  await keepAudit({ operations, blocks, clock: world.clock }, going, 0);
  return { world, operations, blocks };
}

/** Writes without the fences, as a person with the database's password could. */
async function tamper<T extends { _id: string }>(
  collection: FakeCollection<T & AuditBlock> | FakeCollection<T & Operation>,
  change: (record: T) => T,
  id: string,
): Promise<void> {
  const record = collection.all().find(({ _id }) => _id === id) as unknown as T;
  (collection as unknown as { put(record: T): void }).put(change(record));
}

describe('the audit chain', () => {
  it('says who asked for what, and is whole', async () => {
    const { operations, blocks } = await trailOf('op-audit-0001', 'op-audit-0002');
    expect(blocks.all()[0]?.rows.map(({ kind, operationId, action, by }) => [kind, operationId, action, by])).toEqual([
      ['requested', 'op-audit-0001', 'credit_customer', 'ada@platform.example'],
      ['requested', 'op-audit-0002', 'credit_customer', 'ada@platform.example'],
    ]);
    expect(await verifyAudit({ operations, blocks })).toMatchObject({ blocks: 1, rows: 2, faults: [] });
  });

  it('goes on where it ended, takes nothing twice, and takes resolutions in', async () => {
    const { world, operations, blocks } = await trailOf('op-audit-0001');
    expect(await keepAudit({ operations, blocks, clock: world.clock }, going, 0)).toBe(0);
    const [record] = operations.all();
    await operations.mutate(record!, {
      ...record!,
      resolution: {
        outcome: 'applied',
        executorStopped: 'the pod is gone',
        providerObject: null,
        by: 'eve@platform.example',
        at: world.clock.now(),
      },
    });
    expect(await keepAudit({ operations, blocks, clock: world.clock }, going, 0)).toBe(1);
    expect(blocks.all().at(-1)).toMatchObject({
      previous: blocks.all()[0]?.hash,
      rows: [{ kind: 'resolved', by: 'eve@platform.example' }],
    });
    expect((await verifyAudit({ operations, blocks })).faults).toEqual([]);
  });

  it('leaves out what may still be on its way', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 0);
    await runOperation(ports, credit('op-audit-0001'));
    const operations = world.store.collection(operationsCollection);
    const blocks = world.store.collection(auditBlocksCollection);
    expect(await keepAudit({ operations, blocks, clock: world.clock }, going, 3_600_000)).toBe(0);
  });

  it('is written once by two replicas at the same time', async () => {
    const { world, operations, blocks } = await trailOf();
    const { ports } = bootOperator(world, 0);
    await runOperation(ports, credit('op-audit-0003'));
    const both = await Promise.all([1, 2].map(() => keepAudit({ operations, blocks, clock: world.clock }, going, 0)));
    expect(both.sort()).toEqual([0, 1]);
    expect((await verifyAudit({ operations, blocks })).rows).toBe(1);
  });

  it.each<[string, (trail: Trail) => Promise<void>, RegExp]>([
    [
      'an operation that says another amount',
      ({ operations }) =>
        tamper<Operation>(
          operations,
          (record) => ({ ...record, values: { ...record.values, amountCents: 1 } }),
          'op-audit-0001',
        ),
      /op-audit-0001: what was requested/,
    ],
    [
      'another name in a row',
      ({ blocks }) =>
        tamper<AuditBlock>(
          blocks,
          (block) => ({ ...block, rows: block.rows.map((row) => ({ ...row, by: 'mallory' })) }),
          '000000000001',
        ),
      /its content is not what was written/,
    ],
    [
      'a block that says nothing of its end',
      ({ blocks }) => tamper<AuditBlock>(blocks, (block) => ({ ...block, requestedUpTo: null }), '000000000001'),
      /its content is not what was written/,
    ],
    [
      'a block that continues another chain',
      ({ blocks }) => tamper<AuditBlock>(blocks, (block) => ({ ...block, previous: 'f'.repeat(64) }), '000000000001'),
      /does not continue/,
    ],
  ])('shows %s', async (_name, change, fault) => {
    const trail = await trailOf('op-audit-0001', 'op-audit-0002');
    await change(trail);
    expect((await verifyAudit(trail)).faults.join('\n')).toMatch(fault);
  });

  it('shows operations that were removed, slipped in, or fell with the end of the chain', async () => {
    const trail = await trailOf('op-audit-0001', 'op-audit-0002');
    const { operations, blocks } = trail;
    const { head } = await verifyAudit(trail);
    const without = {
      findById: async (id: string) => (id === 'op-audit-0001' ? null : operations.findById(id)),
      find: operations.find.bind(operations),
    };
    expect((await verifyAudit({ operations: without, blocks })).faults).toEqual([
      expect.stringMatching(/op-audit-0001: requested by ada.* there is no such operation any more/),
    ]);
    const [first] = operations.all();
    await tamper<Operation>(operations, () => ({ ...first!, _id: 'op-audit-0000' }), first!._id);
    expect((await verifyAudit(trail)).faults).toContain('operation op-audit-0000: is not in the chain');
    expect((await verifyAudit(trail, head ?? '')).faults.join()).not.toMatch(/cut short/);
    expect((await verifyAudit({ operations, blocks: { find: async () => [] } }, head ?? '')).faults).toEqual([
      expect.stringMatching(/cut short/),
    ]);
  });
});
