/** The rows of tenants as the gateway reads them, with the answer of the commit gate for each. */
import { tenantsCollection } from '../store/collections';
import { bootProvisioning, createProvisioningWorld, creationRequest } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { readTenants } from './read-tenants';

/** Rows of `a` (created), `b` (its payment lost its answer) and `c` (older than the markers). */
async function open() {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  await createWorkspace(ports, creationRequest({ tenantId: 'a' }));
  world.provider.failNext('lost_answer_before_effect', { step: 'pay_invoice' });
  await createWorkspace(ports, creationRequest({ tenantId: 'b' }));
  await world.store
    .collection(tenantsCollection)
    .insert({ _id: 'c', name: 'Old Works', status: 'deleted', owners: ['user-1'] });
  return ports;
}

const [a, b, c] = [
  { tenantId: 'a', status: 'provisioned' },
  { tenantId: 'b', status: 'provisioned' },
  { tenantId: 'c', status: 'deleted' },
];

describe('the rows of tenants', () => {
  it('are in the order of their ids, with those for which the gate is open', async () => {
    expect(await readTenants(await open(), { limit: 10, judge: [] })).toEqual({
      rows: [a, b, c],
      committed: ['a', 'c'],
    });
  });

  it('come page by page, after the last id of the page before', async () => {
    const ports = await open();
    expect(await readTenants(ports, { limit: 1, judge: [] })).toEqual({ rows: [a], committed: ['a'] });
    expect(await readTenants(ports, { after: 'a', limit: 1, judge: [] })).toEqual({ rows: [b], committed: [] });
    expect(await readTenants(ports, { after: 'b', limit: 10, judge: [] })).toEqual({ rows: [c], committed: ['c'] });
  });

  it('come with the answers for tenants that have no row, each tenant once', async () => {
    const judge = ['legacy', 'a', 'b'];
    expect(await readTenants(await open(), { limit: 1, judge })).toEqual({ rows: [a], committed: ['a', 'legacy'] });
  });
});
