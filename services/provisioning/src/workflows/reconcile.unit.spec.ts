/**
 * What the reconciliation does not touch: elapsed time alone ends no creation whose executor has not reported its
 * progress.
 */
import { createLatch } from '@platform/testing';
import { bootProvisioning, createProvisioningWorld, creationRequest } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { reconcile } from './reconcile';

describe('a creation that prepares', () => {
  it.each([1, 5, 19, 20, 21, 60, 24 * 60, 72 * 60, 30 * 24 * 60])(
    'is neither cancelled nor loses what it reserved after %d minutes, and goes on when its executor wakes',
    async (minutes) => {
      const world = await createProvisioningWorld({ limits: { trialDays: 14 } });
      const sleeper = bootProvisioning(world, 1);
      const latch = createLatch();
      const tenants: typeof sleeper.ports.tenants = {
        ...sleeper.ports.tenants,
        insert: async (draft) => {
          await latch.wait();
          return sleeper.ports.tenants.insert(draft);
        },
      };
      const creating = createWorkspace({ ...sleeper.ports, tenants }, creationRequest());
      await latch.reached();
      const before = { attempt: world.attempt(), trials: world.trials(), capacity: world.capacity() };
      expect(before.attempt).toMatchObject({ status: 'preparing' });
      world.clock.advance(minutes * 60_000);
      expect(await reconcile(bootProvisioning(world, 2).ports)).toMatchObject({ committed: 0 });
      expect({ attempt: world.attempt(), trials: world.trials(), capacity: world.capacity() }).toEqual(before);
      latch.open();
      expect(await creating).toMatchObject({ kind: 'committed' });
    },
  );
});
