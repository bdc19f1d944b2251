import { createManualClock, createSequentialIds } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { emptyTally } from '../domain/migration';
import { planMigrationsCollection } from '../store/plan-migrations';
import { listMigrations } from './list-migrations';

async function open() {
  const clock = createManualClock();
  const migrations = createFakeStore({ clock, ids: createSequentialIds(1) }).collection(planMigrationsCollection);
  for (const at of [1, 2, 3]) {
    clock.advance(1_000);
    await migrations.insert({
      _id: `mig-${at}`,
      status: 'pending',
      fromPlanId: 'starter',
      targetPlanId: 'pro',
      notifyMembers: false,
      requestedBy: { id: 'p' },
      fingerprint: 'f',
      admittedThrough: 0,
      tally: emptyTally,
      progressTurn: 0,
    });
  }
  return async (query: Partial<Parameters<typeof listMigrations>[1]> = {}) => {
    const listed = await listMigrations(migrations, { order: 'newest', limit: 2, ...query });
    return listed && { ids: listed.migrations.map(({ _id }) => _id), cursor: listed.nextCursor };
  };
}

describe('the list of migrations', () => {
  it('is newest first, in pages, and oldest first when asked', async () => {
    const list = await open();
    const first = await list();
    expect(first!.ids).toEqual(['mig-3', 'mig-2']);
    expect(await list({ cursor: first!.cursor })).toEqual({ ids: ['mig-1'], cursor: undefined });
    expect((await list({ order: 'oldest' }))!.ids).toEqual(['mig-1', 'mig-2']);
  });

  it('shows one status alone, and refuses what is no cursor', async () => {
    const list = await open();
    expect((await list({ status: 'completed' }))!.ids).toEqual([]);
    expect((await list({ status: 'pending', limit: 3 }))!.ids).toHaveLength(3);
    expect(await list({ cursor: 'x' })).toBeNull();
  });
});
