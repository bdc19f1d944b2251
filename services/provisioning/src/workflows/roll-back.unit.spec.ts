/**
 * What a rollback removes, records and announces, and which listeners it notifies: every registered deletion listener,
 * once the row of the tenant existed.
 */
import { losingWrites } from '@platform/durable/testing';
import { creationOperationId } from '@platform/contracts-provisioning';
import { awaitingItsPerson, openAttempt } from '../testing/interrupted-creations';
import { bootProvisioning, createProvisioningWorld, creationRequest, tenant } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import type { ProvisioningPorts } from './ports';
import { rollBack } from './roll-back';

const expired = { code: 'confirmation_expired', message: 'The payment was not confirmed in time.' };

async function waiting() {
  const stage = await awaitingItsPerson();
  const attempt = openAttempt(stage.world);
  const takeBack = (ports: ProvisioningPorts) => rollBack({ ports, stored: attempt, attempt }, expired);
  return { ...stage, takeBack };
}

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

describe('a rollback', () => {
  it('removes the subscription and the customer in the name of the creation', async () => {
    const { world, ports, takeBack } = await waiting();
    const before = world.provider.sends().length;
    expect(await takeBack(ports)).toEqual({ kind: 'refused', ...expired });
    expect(world.provider.sends().slice(before)).toMatchObject([
      { step: 'cancel_now', operationId: tenant, outcome: 'succeeded' },
      { step: 'delete_customer', operationId: tenant, outcome: 'succeeded' },
    ]);
  });

  it('writes the tombstone with its message, announces the message, and counts the creation as cancelled', async () => {
    const { world, ports, announced, reached, takeBack } = await waiting();
    await takeBack(ports);
    const message = { subject: 'workspace.cancelled', body: { tenantId: tenant, code: expired.code } };
    expect(world.marker()).toMatchObject({
      provisioningState: 'cancelled',
      cancelledAt: expect.any(Date),
      outbox: [message],
    });
    expect(announced).toMatchObject([
      { source: 'lifecycle_outbox', recordId: creationOperationId(tenant), entries: [message] },
    ]);
    expect(reached).toEqual(['cancelled']);
  });

  it('writes no tombstone while the answers of the provider cannot be recorded', async () => {
    const { world, ports, announced, takeBack } = await waiting();
    const removing = () => world.provider.sends().some(({ step }) => step === 'delete_customer');
    const attempts = losingWrites(ports.attempts, removing);
    expect(await takeBack({ ...ports, attempts })).toMatchObject({ kind: 'unresolved' });
    expect(removing()).toBe(true);
    expect(world.marker()).toMatchObject({ provisioningState: 'awaiting_payment' });
    expect(announced).toEqual([]);
  });

  it('does not report the creation as cancelled while its record cannot be written', async () => {
    const { world, ports, reached, takeBack } = await waiting();
    const attempts = losingWrites(ports.attempts, ({ status }) => status === 'cancelled');
    expect(await takeBack({ ...ports, attempts })).toMatchObject({ kind: 'unresolved' });
    expect(world.marker()).toMatchObject({ provisioningState: 'cancelled' });
    expect(world.attempt()).toMatchObject({ status: 'awaiting_payment', reservations: { state: 'held' } });
    expect(reached).toEqual([]);
  });
});
