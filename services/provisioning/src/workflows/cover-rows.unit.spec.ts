/** The rows of a workspace that was cancelled or deleted: any process may complete them, and each is written once. */
import { losingWrites } from '@platform/durable/testing';
import { billingProfilesCollection, tenantsCollection } from '../store/collections';
import { bootProvisioning, createProvisioningWorld, creationRequest, tenant } from '../testing/provisioning-world';
import { coverRows, markRowDeleted } from './cover-rows';
import { createWorkspace } from './create-workspace';

async function created() {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  await createWorkspace(ports, creationRequest());
  const rows = () => [
    world.store.collection(tenantsCollection).all()[0],
    world.store.collection(billingProfilesCollection).all()[0],
  ];
  return { ports, rows };
}

describe('the rows of a cancelled creation', () => {
  it('are marked and erased, and a repetition writes nothing', async () => {
    const { ports, rows } = await created();
    expect(await coverRows(ports, tenant)).toBe(true);
    const covered = rows();
    expect(covered).toMatchObject([{ status: 'cancelled' }, { profile: null }]);
    expect(await coverRows(ports, tenant)).toBe(true);
    expect(rows()).toEqual(covered);
  });

  it('are done where none exist', async () => {
    const { ports } = await created();
    expect(await coverRows(ports, 'tenant-without-rows')).toBe(true);
  });

  it.each(['tenants', 'billingProfiles'] as const)(
    'are not done while the write to %s gets no answer',
    async (name) => {
      const { ports } = await created();
      const losing = { ...ports, [name]: losingWrites(ports[name]) };
      expect(await coverRows(losing, tenant)).toBe(false);
      expect(await coverRows(ports, tenant)).toBe(true);
    },
  );
});

describe('the row of a deleted workspace', () => {
  it('is marked, and a repetition writes nothing', async () => {
    const { ports, rows } = await created();
    expect(await markRowDeleted(ports, tenant)).toBe(true);
    const [deleted, billing] = rows();
    expect([deleted, billing]).toMatchObject([{ status: 'deleted' }, { profile: creationRequest().billingProfile }]);
    expect(await markRowDeleted(ports, tenant)).toBe(true);
    expect(rows()).toEqual([deleted, billing]);
  });
});
