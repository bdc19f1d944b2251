/** The workspaces of a closed job that were never begun: all of them skipped, now or at the next start. */
import { forged, losingWrites, overtakenWrites } from '@platform/durable/testing';
import { emptyTally, newMigration, type PlanMigration } from '../domain/migration';
import { newItem, type MigrationItem } from '../domain/migration-item';
import { bootMigrations, createMigrationWorld } from '../testing/migration-world';
import { finishClosings, skipNeverBegun } from './skip-never-begun';

const at = new Date('2026-03-01T00:00:00.000Z');
const job = 'mig-00000001';

/** A record in a status that no step has led to. */
const staged = (record: object) => record as never;

async function listed(count: number, ...jobs: string[]) {
  const world = await createMigrationWorld(count);
  const { ports } = bootMigrations(world, 1);
  for (const migrationId of [job, ...jobs])
    for (const [place, subscription] of world.subscriptions().entries())
      await ports.items.insert(newItem(migrationId, place + 1, subscription));
  const skipped = (migrationId = job) =>
    world.items().filter((item) => item.migrationId === migrationId && item.status === 'skipped');
  return { world, ports, skipped };
}

describe('workspaces that were never begun', () => {
  it.each([
    [0, 1],
    [63, 1],
    [64, 2],
    [65, 2],
  ])('are skipped, all %d of them and no others, page by page', async (count, reads) => {
    const { ports, skipped } = await listed(count, 'mig-00000002');
    let asked = 0;
    const find: typeof ports.items.find = async (...query) => {
      if ((asked += 1) > reads) throw new Error('one read too many');
      return ports.items.find(...query);
    };
    expect(await skipNeverBegun({ ...ports, items: { ...ports.items, find } }, job, at)).toBe(true);
    expect(skipped()).toHaveLength(count);
    expect(skipped('mig-00000002')).toEqual([]);
    expect(skipped().every((item) => item.status === 'skipped' && item.reason === 'job_closed')).toBe(true);
    expect(asked).toBe(reads);
  });

  it('keep what was begun as it is', async () => {
    const { world, ports } = await listed(2);
    const [first] = world.items();
    await ports.items.mutate(first!, forged<MigrationItem>(staged({ ...first, status: 'running' })));
    expect(await skipNeverBegun(ports, job, at)).toBe(true);
    expect(world.items().map(({ status }) => status)).toEqual(['running', 'skipped']);
  });

  it.each(['changes meanwhile', 'cannot be written'])('are not all skipped when one of them %s', async (how) => {
    const { ports, skipped } = await listed(3);
    const second = (next: { readonly _id: string }) => next._id.endsWith('ws-002');
    const interfered = how === 'cannot be written' ? losingWrites : overtakenWrites;
    const items = interfered(ports.items, second);
    expect(await skipNeverBegun({ ...ports, items }, job, at)).toBe(false);
    expect(skipped().map(({ tenantId }) => tenantId)).toEqual(['ws-001', 'ws-003']);
  });
});

describe('the sweep of closed jobs at start', () => {
  const resolution = { executorStopped: 'its host is gone', by: 'ann@example.com', at };

  async function jobs() {
    const { world, ports, skipped } = await listed(2, 'mig-00000002', 'mig-00000003');
    const insert = (migrationId: string, change: object) => {
      const request = { migrationId, fromPlanId: 'starter', targetPlanId: 'pro', notifyMembers: false };
      const draft = newMigration({ ...request, requestedBy: { id: 'ann' }, reason: 'no longer sold' });
      return ports.migrations.insert(forged<PlanMigration>(staged({ ...draft, ...change })));
    };
    await insert(job, { status: 'completed', resolution, tally: emptyTally });
    await insert('mig-00000002', { status: 'reconciliation_required' });
    await insert('mig-00000003', { status: 'completed', resolution });
    return { world, ports, skipped };
  }

  it('skips what a late executor listed in jobs that people have closed, and counts these jobs', async () => {
    const { ports, skipped } = await jobs();
    expect(await skipNeverBegun(ports, 'mig-00000003', at)).toBe(true);
    expect(await finishClosings(ports)).toBe(1);
    expect([skipped().length, skipped('mig-00000002').length]).toEqual([2, 0]);
    expect(await finishClosings(ports)).toBe(0);
  });

  it('sets a job aside that it cannot deal with, and goes on with the others', async () => {
    const { ports, skipped } = await jobs();
    const count: typeof ports.items.count = async (filter) => {
      if (filter['migrationId'] === job) throw new TypeError('not a record');
      return ports.items.count(filter);
    };
    expect(await finishClosings({ ...ports, items: { ...ports.items, count } })).toBe(1);
    expect([skipped().length, skipped('mig-00000003').length]).toEqual([0, 2]);
    expect(ports.migrations.quarantine.ids()).toEqual([job]);
  });
});
