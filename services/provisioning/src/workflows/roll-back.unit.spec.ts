/** Which listeners a rollback notifies: every registered deletion listener, once the row of the tenant existed. */
import { bootProvisioning, createProvisioningWorld, creationRequest } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';

describe('a creation that is taken back', () => {
  it('calls the deletion listeners of a creation that no listener heard the beginning of', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    const [listener] = await ports.listeners.find({}, { sort: { _id: 1 }, limit: 1 });
    await ports.listeners.mutate(listener!, { ...listener!, events: ['TENANT_DELETED'] });
    const answer = await createWorkspace(ports, creationRequest({ paymentMethodId: 'pm_card_chargeCustomerFail' }));
    expect(answer).toMatchObject({ kind: 'refused', code: 'card_declined' });
    expect(world.heard.map(({ event }) => event)).toEqual(['TENANT_DELETED']);
    expect(world.attempt()).toMatchObject({ status: 'cancelled', listenerCalls: [{ outcome: 'done' }] });
  });

  it('calls no deletion listener for a creation that did not reach the row of its tenant', async () => {
    const world = await createProvisioningWorld();
    world.provider.failNext('card_declined', { step: 'attach_payment_method' });
    await createWorkspace(bootProvisioning(world).ports, creationRequest());
    expect(world.heard).toEqual([]);
  });
});
