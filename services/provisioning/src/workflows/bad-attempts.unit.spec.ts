/** One creation that cannot be read or handled blocks neither the reconciliation of the others nor the start. */
import { attemptsCollection } from '../store/collections';
import { bootProvisioning, createProvisioningWorld, creationRequest, tenant } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { reconcile } from './reconcile';
import { runningWork } from './running-work';

/** A creation that its executor left before the commit, listed after two malformed rows. */
async function setStage() {
  const world = await createProvisioningWorld({ limits: { trialDays: 14 } });
  const { ports } = bootProvisioning(world, 1);
  const gone: typeof ports.markers = { ...ports.markers, insert: () => new Promise(() => undefined) };
  void createWorkspace({ ...ports, markers: gone }, creationRequest());
  for (let turn = 0; turn < 500 && world.attempt()?.status !== 'awaiting_payment'; turn += 1)
    await new Promise(setImmediate);
  const attempt = world.attempt();
  const { revision: _gone, ...bare } = attempt!;
  const collection = world.store.collection(attemptsCollection);
  const earlier = { createdAt: new Date(0) };
  collection.put({ ...bare, ...earlier, _id: 'tenant-0', tenantId: 'tenant-0' });
  const shapeless = { paymentFree: false, preparedAt: new Date(0), handles: null, executor: null };
  collection.put({ ...attempt, ...earlier, ...shapeless, _id: 'tenant-00', tenantId: 'tenant-00' });
  return { world, ports: bootProvisioning(world, 2).ports };
}

const setAside = ({ world }: Awaited<ReturnType<typeof setStage>>) => world.store.quarantined().map(({ id }) => id);

describe('attempts that are no good', () => {
  it('keep the reconciliation from no other attempt', async () => {
    const stage = await setStage();
    expect((await reconcile(stage.ports)).looked).toBeGreaterThanOrEqual(2);
    expect(setAside(stage).sort()).toEqual(['tenant-0', 'tenant-00']);
  });

  it('are passed by when work without an executor is looked for', async () => {
    const stage = await setStage();
    const collection = stage.world.store.collection(attemptsCollection);
    const attempt = stage.world.attempt()!;
    collection.put({ ...attempt, status: 'preparing' });
    collection.put({ ...attempt, status: 'preparing', _id: 'tenant-000', executor: null });
    expect(await runningWork(stage.ports)).toMatchObject([{ about: { id: tenant } }]);
    expect(setAside(stage)).toContain('tenant-000');
  });
});
