/** An executor that slept during a creation finds it committed: it accepts that, and never changes the marker back. */
import { createLatch, settle } from '@platform/testing';
import { bootProvisioning, createProvisioningWorld, creationRequest } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { reconcile } from './reconcile';

describe('an executor that sleeps after it has written that the payment is awaited', () => {
  it('finds its trial committed by the reconciliation and leaves the marker as it is', async () => {
    const world = await createProvisioningWorld({ limits: { trialDays: 14 } });
    const sleeper = bootProvisioning(world, 1);
    const latch = createLatch();
    const markers: typeof sleeper.ports.markers = {
      ...sleeper.ports.markers,
      findById: async (id) => {
        if (world.attempt()?.status === 'awaiting_payment') await latch.wait();
        return sleeper.ports.markers.findById(id);
      },
    };
    const creating = createWorkspace({ ...sleeper.ports, markers }, creationRequest());
    await latch.reached();
    expect(world.attempt()).toMatchObject({ status: 'awaiting_payment' });
    expect(await reconcile(bootProvisioning(world, 2).ports)).toMatchObject({ committed: 1 });
    const committed = world.marker();
    latch.open();
    expect(await creating).toMatchObject({ kind: 'committed', attempt: { status: 'committed' } });
    await settle();
    expect(world.marker()).toEqual({ ...committed, outbox: world.marker()?.outbox });
    expect(world.published.filter(({ subject }) => subject === 'lifecycle.message.created')).toHaveLength(1);
  });
});

describe('a reconciliation that sleeps after it has read an attempt that is not prepared', () => {
  it('wakes when the creation has committed, reads again and has nothing to do', async () => {
    const world = await createProvisioningWorld({ limits: { trialDays: 14 } });
    const creating = bootProvisioning(world, 1);
    const rows = createLatch();
    const tenants: typeof creating.ports.tenants = {
      ...creating.ports.tenants,
      insert: async (draft) => {
        await rows.wait();
        return creating.ports.tenants.insert(draft);
      },
    };
    const created = createWorkspace({ ...creating.ports, tenants }, creationRequest());
    await rows.reached();
    const sleeper = bootProvisioning(world, 2);
    const sleep = createLatch();
    const attempts: typeof sleeper.ports.attempts = {
      ...sleeper.ports.attempts,
      find: async (filter, options) => {
        const found = await sleeper.ports.attempts.find(filter, options);
        if (found.length > 0) await sleep.wait();
        return found;
      },
    };
    const reconciling = reconcile({ ...sleeper.ports, attempts });
    await sleep.reached();
    rows.open();
    expect(await created).toMatchObject({ kind: 'committed' });
    const committed = world.attempt();
    sleep.open();
    expect(await reconciling).toMatchObject({ looked: 1 });
    expect(world.attempt()).toEqual(committed);
  });
});
