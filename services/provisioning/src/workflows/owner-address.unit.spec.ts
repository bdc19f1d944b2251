/**
 * The address of the person who requested a workspace: published with it, and stored only while the workspace exists.
 */
import { workspaceCommittedSchema } from '@platform/contracts-provisioning';
import { settle } from '@platform/testing';
import { bootProvisioning, createProvisioningWorld, creationRequest } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';

async function create(change: Parameters<typeof creationRequest>[0] = {}) {
  const world = await createProvisioningWorld();
  await createWorkspace(bootProvisioning(world).ports, creationRequest(change));
  await settle();
  return { world };
}

describe('the address of the owner', () => {
  it('comes to the gateway by the message that tells of the workspace', async () => {
    const { world } = await create();
    const told = world.published.find(({ subject }) => subject === 'workspace.committed');
    expect(workspaceCommittedSchema.parse(told?.body)).toMatchObject({
      ownerUserId: 'user-1',
      ownerEmail: 'ada@example.com',
    });
  });

  it('is not kept of a person whose creation was taken back', async () => {
    const { world } = await create({ paymentMethodId: 'pm_card_chargeCustomerFail' });
    expect(world.attempt()).toMatchObject({ status: 'cancelled', userId: 'user-1' });
    expect(world.attempt()).not.toHaveProperty('userEmail');
  });
});
