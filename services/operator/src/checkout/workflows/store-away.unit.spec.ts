/**
 * The store becomes unreachable at every fenced write of a checkout's completion, for longer than the retries last, and
 * returns.
 */
import { leavingStore, patientRegister, type Leaving } from '@platform/durable/testing';
import { silentLog } from '@platform/kernel';
import { handleProviderEvent } from '../../provider-events/workflows/handle-provider-event';
import { bootEvents, outcomesOf } from '../../provider-events/testing/event-world';
import { beginCheckout, completed } from '../testing/checkout-world';

async function play(at: number, leaving: Leaving) {
  const { world, sessionId } = await beginCheckout();
  world.provider.completeCheckout(sessionId);
  const setAvailable = (available: boolean) => world.store.setAvailable(available);
  const leavingOnce = leavingStore(world.watched, at, leaving, setAvailable);
  const life = bootEvents(world, 1, { store: leavingOnce.store });
  const { work, unrecorded } = patientRegister(world.clock, silentLog, () => setAvailable(true));
  await handleProviderEvent({ ...life.events, work }, completed(sessionId));
  setAvailable(true);
  await life.sweepEvents();
  return { world, work, unrecorded, writes: leavingOnce.writes() };
}

describe('a store that is unreachable for longer than the patience in the completion of a checkout', () => {
  it.each(['before', 'after'] as const)('leaves nothing without its end, lost %s any write', async (leaving) => {
    const baseline = await play(0, leaving);
    expect(baseline.world.operations()).toMatchObject([{ status: 'succeeded' }]);
    expect(baseline.writes).toBeGreaterThan(4);
    for (let at = 1; at <= baseline.writes; at += 1) {
      const { world, work } = await play(at, leaving);
      const [operation] = world.operations();
      const { evt_completed: outcome } = outcomesOf(world);
      // Two callbacks write the same transition, so a lost answer to that one write proves no admission.
      const admitted = at > 1;
      expect({ at, status: operation?.status, outcome }).toEqual(
        admitted
          ? { at, status: 'succeeded', outcome: 'success' }
          : { at, status: 'awaiting_receipts', outcome: 'unknown' },
      );
      expect(world.provider.sends().map(({ step }) => step)).toEqual(
        admitted ? baseline.world.provider.sends().map(({ step }) => step) : ['create_session'],
      );
      expect(work.unrecorded()).toEqual([]);
    }
  });
});
