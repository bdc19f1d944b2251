/** The end of an investigation of a whole job: what prevents it, and what it leaves. */
import { forged, losingWrites } from '@platform/durable/testing';
import { newMigration, type PlanMigration } from '../domain/migration';
import { newItem, type MigrationItem } from '../domain/migration-item';
import { bootMigrations, createMigrationWorld, itemStatuses, jobOf, request } from '../testing/migration-world';
import { closingInvestigation } from './resolve-migration';

const asked = {
  id: request.migrationId,
  executorStopped: 'the process list of its host was read',
  by: 'ann@example.com',
};

/** A record in a status that no step has led to. */
const staged = (record: object) => record as never;

/** A stopped job with an item in each of these states. */
async function stoppedWith(...statuses: MigrationItem['status'][]) {
  const world = await createMigrationWorld(statuses.length);
  const { ports } = bootMigrations(world, 1);
  const stopped = { status: 'reconciliation_required', error: { code: 'interrupted', message: 'stopped' } };
  await ports.migrations.insert(forged<PlanMigration>(staged({ ...newMigration(request), ...stopped })));
  for (const [place, status] of statuses.entries()) {
    const item = newItem(request.migrationId, place + 1, world.subscriptions()[place]!);
    await ports.items.insert(forged<MigrationItem>(staged({ ...item, status })));
  }
  return { world, ports };
}

describe('the closing of a stopped job', () => {
  it.each<[MigrationItem['status'][], string]>([
    [['running', 'pending'], 'The outcome of 1 workspace is'],
    [['reconciliation_required', 'succeeded'], 'The outcome of 1 workspace is'],
    [['running', 'running', 'reconciliation_required'], 'The outcome of 3 workspaces'],
  ])('is refused while an outcome is not known: %j', async (statuses, error) => {
    const { ports } = await stoppedWith(...statuses);
    expect(await closingInvestigation.plan(ports, asked)).toMatchObject({
      ok: false,
      error: expect.stringContaining(error),
    });
  });

  it('skips what was never begun, and counts every outcome', async () => {
    const { world, ports } = await stoppedWith('succeeded', 'failed', 'skipped', 'pending', 'pending');
    const planned = await closingInvestigation.plan(ports, asked);
    if (!planned.ok) throw new Error(planned.error);
    expect(planned.value.beside).toEqual({ unknown: 0, neverBegun: 2 });
    expect(await closingInvestigation.record(ports, planned.value)).toMatchObject({ ok: true });
    expect(jobOf(world)).toMatchObject({
      status: 'completed',
      tally: { succeeded: 1, failed: 1, skipped: 3, reconciliation_required: 0 },
    });
  });

  it('writes nothing over the job when an item could not be skipped', async () => {
    const { world, ports } = await stoppedWith('succeeded', 'pending');
    const planned = await closingInvestigation.plan(ports, asked);
    if (!planned.ok) throw new Error(planned.error);
    const items = losingWrites(ports.items);
    expect(await closingInvestigation.record({ ...ports, items }, planned.value)).toMatchObject({
      ok: false,
      error: expect.stringContaining('goes on where this ended'),
    });
    expect(jobOf(world).status).toBe('reconciliation_required');
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'succeeded', 'ws-002': 'pending' });
  });

  it('asks no executor where the job names none', async () => {
    const { ports } = await stoppedWith('succeeded');
    const askExecutors = () => Promise.reject(new Error('there is no executor to ask'));
    expect(await closingInvestigation.plan({ ...ports, askExecutors } as typeof ports, asked)).toMatchObject({
      ok: true,
    });
  });
});
