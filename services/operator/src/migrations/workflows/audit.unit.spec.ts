import { keepTrail, verifyTrail, type Trail } from '@platform/durable/trail';
import type { FakeCollection } from '@platform/mongo/testing';
import type { MigrationItem } from '../domain/migration-item';
import { migrationItemTrail, migrationTrail } from '../store/migration-trails';
import { planMigrationItemsCollection } from '../store/plan-migration-items';
import { bootMigrations, createMigrationWorld, request } from '../testing/migration-world';
import { closingInvestigation, itemInvestigation } from './resolve-migration';

const proofs = { executorStopped: 'the process list of its host was read', by: 'eve@platform.example' };
const itemId = 'mig-00000001:ws-001';
const minute = 60_000;

/** A job of which one workspace had to be investigated, and which was closed then. */
async function closedJob() {
  const world = await createMigrationWorld(2);
  world.provider.failNext('lost_answer_after_effect');
  const { submit, ports, sweepOutbox } = bootMigrations(world, 1);
  await submit();
  await sweepOutbox();
  const planned = await itemInvestigation.plan(ports, {
    id: itemId,
    outcome: 'applied',
    providerObject: 'sub_ws-001',
    ...proofs,
  });
  if (!planned.ok) throw new Error(planned.error);
  // A person takes longer to confirm than the trail waits.
  world.clock.advance(10 * minute);
  await itemInvestigation.record(ports, planned.value);
  const closing = await closingInvestigation.plan(ports, {
    id: request.migrationId,
    ...proofs,
    by: 'bob@platform.example',
  });
  if (!closing.ok) throw new Error(closing.error);
  world.clock.advance(10 * minute);
  expect(await closingInvestigation.record(ports, closing.value)).toMatchObject({ ok: true });
  const [jobs, items] = [migrationTrail(world.store), migrationItemTrail(world.store)];
  const keep = async () => [
    await keepTrail(jobs, world.clock, () => false),
    await keepTrail(items, world.clock, () => false),
  ];
  return { world, jobs, items, keep };
}

const rowsOf = async ({ blocks }: Pick<Trail<MigrationItem>, 'blocks'>) =>
  (await blocks.find({}, { sort: { _id: 1 }, limit: 10 })).flatMap(({ rows }) => rows);

describe('the audit chains of migrations', () => {
  it('say who resolved a workspace and who closed the job, a minute behind, once', async () => {
    const { world, jobs, items, keep } = await closedJob();
    expect(await keep()).toEqual([0, 1]);
    world.clock.advance(2 * minute);
    expect(await keep()).toEqual([1, 0]);
    expect(await keep()).toEqual([0, 0]);
    expect(await rowsOf(jobs)).toMatchObject([
      { recordId: request.migrationId, outcome: 'closed', by: 'bob@platform.example' },
    ]);
    expect(await rowsOf(items)).toMatchObject([{ recordId: itemId, outcome: 'applied', by: 'eve@platform.example' }]);
    expect([(await verifyTrail(jobs)).faults, (await verifyTrail(items)).faults]).toEqual([[], []]);
  });

  it('show a workspace whose outcome was changed after its resolution', async () => {
    const { world, items, keep } = await closedJob();
    await keep();
    const records: FakeCollection<MigrationItem> = world.store.collection(planMigrationItemsCollection);
    const resolved = records.all().find(({ _id }) => _id === itemId)!;
    records.put({ ...resolved, status: 'failed' });
    expect((await verifyTrail(items)).faults).toEqual([
      `${itemId}: what was resolved by eve@platform.example is not what the record says now`,
    ]);
  });
});
