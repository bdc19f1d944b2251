/** An executor that slept in the midst of a creation finds it committed: it follows, and never turns the marker back. */
import { createGate, settle } from '@platform/testing';
import { bootProvisioning, createProvisioningWorld, creationRequest } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { reconcile } from './reconcile';

describe('an executor that sleeps after it has written that the payment is awaited', () => {
  it('finds its trial committed by the reconciliation and leaves the marker as it is', async () => {
    const world = await createProvisioningWorld({ limits: { trialDays: 14 } });
    const sleeper = bootProvisioning(world, 1);
    const gate = createGate();
    let markerReads = 0;
    const markers: typeof sleeper.ports.markers = {
      ...sleeper.ports.markers,
      findById: async (id) => {
        markerReads += 1;
        if (markerReads === 1) await gate.wait();
        return sleeper.ports.markers.findById(id);
      },
    };
    const creating = createWorkspace({ ...sleeper.ports, markers }, creationRequest());
    await gate.reached();
    expect(world.attempt()).toMatchObject({ status: 'awaiting_payment' });
    expect(await reconcile(bootProvisioning(world, 2).ports)).toMatchObject({ committed: 1 });
    const committed = world.marker();
    gate.open();
    expect(await creating).toMatchObject({ kind: 'committed', attempt: { status: 'committed' } });
    await settle();
    expect(world.marker()).toEqual({ ...committed, outbox: world.marker()?.outbox });
    expect(world.published.filter(({ subject }) => subject === 'lifecycle.message.created')).toHaveLength(1);
  });
});
