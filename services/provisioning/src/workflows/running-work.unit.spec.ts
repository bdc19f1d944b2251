/** What people must hear of when its executor is silent, and what waits for somebody else. */
import { settle } from '@platform/testing';
import { bootProvisioning, createProvisioningWorld, creationRequest, tenant } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { runningWork } from './running-work';

describe('running work', () => {
  it('is a creation whose executor is gone before it paid: no event comes, and nobody else pays', async () => {
    const world = await createProvisioningWorld({ limits: { trialDays: 0 } });
    const { ports } = bootProvisioning(world, 1);
    const gone: typeof ports.markers = {
      ...ports.markers,
      findById: (id) =>
        world.attempt()?.status === 'awaiting_payment' ? new Promise(() => undefined) : ports.markers.findById(id),
    };
    void createWorkspace({ ...ports, markers: gone }, creationRequest());
    await settle();
    expect(world.attempt()).toMatchObject({ status: 'awaiting_payment' });
    expect(world.provider.sends().filter(({ step }) => step === 'pay_invoice')).toEqual([]);
    expect(await runningWork(bootProvisioning(world, 2).ports)).toMatchObject([
      { executor: ports.executor, about: { kind: 'provisioning_attempt', id: tenant } },
    ]);
  });

  it('is no creation whose payment waits for its person', async () => {
    const world = await createProvisioningWorld({ limits: { trialDays: 0 } });
    const { ports } = bootProvisioning(world, 1);
    await createWorkspace(ports, creationRequest({ paymentMethodId: 'pm_card_authenticationRequired' }));
    expect(world.attempt()).toMatchObject({ status: 'awaiting_payment', confirmation: {} });
    expect(await runningWork(ports)).toEqual([]);
  });
});
