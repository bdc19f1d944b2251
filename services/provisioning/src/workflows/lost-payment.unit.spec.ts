/**
 * A payment whose answer was lost: the reconciliation commits what it finds, and does not touch what it does not find.
 */
import { settle } from '@platform/testing';
import { bootProvisioning, createProvisioningWorld, creationRequest } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { reconcile } from './reconcile';

const steps = (world: Awaited<ReturnType<typeof createProvisioningWorld>>) =>
  world.provider.ledger().map(({ step }) => step);

describe('a payment whose answer was lost', () => {
  it('is kept, found by the reconciliation, committed, and charged once', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    world.provider.failNext('lost_answer_after_effect', { step: 'pay_invoice' });
    expect((await createWorkspace(ports, creationRequest())).kind).toBe('unresolved');
    expect(world.marker()?.provisioningState).toBe('awaiting_payment');
    await reconcile(ports);
    await settle();
    expect(world.attempt()).toMatchObject({ status: 'committed', provenBy: 'reconciliation' });
    expect(steps(world).filter((step) => step === 'pay_invoice')).toHaveLength(1);
    expect(world.published.map(({ subject }) => subject)).toContain('lifecycle.message.created');
  });

  it('is never charged by the reconciliation when it did not happen', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    world.provider.failNext('lost_answer_before_effect', { step: 'pay_invoice' });
    await createWorkspace(ports, creationRequest());
    const sends = world.provider.sends().length;
    await reconcile(ports);
    expect(world.attempt()?.status).toBe('reconciliation_required');
    expect(world.provider.sends()).toHaveLength(sends);
  });
});
