/** The store becomes unreachable at every fenced write of a creation, for longer than the retries last, and returns. */
import { leavingStore, patientRegister, type Leaving } from '@platform/durable/testing';
import { silentLog } from '@platform/kernel';
import { bootProvisioning, createProvisioningWorld, creationRequest } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';

async function play(at: number, leaving: Leaving) {
  const world = await createProvisioningWorld({ limits: { trialDays: 14 } });
  const setAvailable = (available: boolean) => world.store.setAvailable(available);
  const leavingOnce = leavingStore(world.watched, at, leaving, setAvailable);
  const { work, unrecorded } = patientRegister(world.clock, silentLog, () => setAvailable(true));
  const { ports, sweepOutbox } = bootProvisioning(world, 1, { store: leavingOnce.store });
  await createWorkspace({ ...ports, work }, creationRequest());
  setAvailable(true);
  await sweepOutbox();
  return { world, work, unrecorded, writes: leavingOnce.writes() };
}

describe('a store that is unreachable for longer than the patience in a creation', () => {
  it.each(['before', 'after'] as const)('leaves no creation without its end, lost %s any write', async (leaving) => {
    const baseline = await play(0, leaving);
    expect(baseline.world.attempt()).toMatchObject({ status: 'committed' });
    expect(baseline.writes).toBeGreaterThan(4);
    const ends: (string | undefined)[] = [];
    for (let at = 1; at <= baseline.writes; at += 1) {
      const { world, work } = await play(at, leaving);
      const status = world.attempt()?.status;
      ends.push(status);
      const keys = world.provider.sends().map(({ idempotencyKey }) => idempotencyKey);
      expect({ at, repeated: keys.length - new Set(keys).size }).toEqual({ at, repeated: 0 });
      if (status === 'reconciliation_required')
        expect(world.published.map(({ subject }) => subject)).toContain(
          'alert.reconciliation_required.provisioning.provisioning_attempt',
        );
      expect(work.unrecorded()).toEqual([]);
    }
    expect(ends.filter((end) => end !== 'committed' && end !== 'reconciliation_required')).toEqual([]);
    expect(ends.filter((end) => end === 'committed').length).toBeGreaterThan(ends.length / 2);
  });
});
