/**
 * The store becomes unreachable at every fenced write of a migration, for longer than the retries last, and returns.
 */
import { leavingStore, patientRegister, type Leaving } from '@platform/durable/testing';
import { silentLog } from '@platform/kernel';
import { bootMigrations, createMigrationWorld } from '../testing/migration-world';

async function play(at: number, leaving: Leaving) {
  const world = await createMigrationWorld(2);
  const setAvailable = (available: boolean) => world.store.setAvailable(available);
  const leavingOnce = leavingStore(world.watched, at, leaving, setAvailable);
  const { work, unrecorded } = patientRegister(world.clock, silentLog, () => setAvailable(true));
  const life = bootMigrations(world, 1, { store: leavingOnce.store, ports: { work } });
  await life.submit();
  return { world, work, unrecorded, writes: leavingOnce.writes() };
}

describe('a store that is unreachable for longer than the patience in a plan migration', () => {
  it.each(['before', 'after'] as const)('ends nothing that was begun, lost %s any write', async (leaving) => {
    const baseline = await play(0, leaving);
    expect(baseline.world.migrations()).toMatchObject([{ status: 'completed' }]);
    expect(baseline.writes).toBeGreaterThan(8);
    for (let at = 1; at <= baseline.writes; at += 1) {
      const { world, work, unrecorded } = await play(at, leaving);
      const ends = world.items().map(({ status }) => status);
      expect({ at, status: world.migrations()[0]?.status, ends }).toEqual({
        at,
        status: 'completed',
        ends: ['succeeded', 'succeeded'],
      });
      expect(world.provider.sends()).toHaveLength(2);
      expect({ at, unrecorded: unrecorded.length }).toEqual({ at, unrecorded: 1 });
      expect(work.unrecorded()).toEqual([]);
    }
  });
});
