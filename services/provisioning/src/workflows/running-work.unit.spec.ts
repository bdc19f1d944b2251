/** The work that raises an alert when its executor is silent, and a creation that waits for its person. */
import { settle } from '@platform/testing';
import { bootProvisioning, createProvisioningWorld, creationRequest, tenant } from '../testing/provisioning-world';
import { admissionSteps, type PendingAdmission } from '../domain/event-admission';
import { createWorkspace } from './create-workspace';
import { reconcile } from './reconcile';
import { runningWork } from './running-work';

describe('running work', () => {
  it('is a creation whose executor is gone before it paid: no event comes, and no other process pays', async () => {
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

  /** Ports on which the provider never answers this step, so that the executor does not end. */
  function withoutAnswer({ ports }: ReturnType<typeof bootProvisioning>, step: string): typeof ports {
    const prepare: typeof ports.provider.prepare = (intent, effect) => {
      const call = ports.provider.prepare(intent, effect);
      return effect.step === step ? { ...call, send: () => new Promise(() => undefined) } : call;
    };
    return { ...ports, provider: { ...ports.provider, prepare } };
  }

  it('is a creation that is taken back, once, whether its payment was declined or not confirmed in time', async () => {
    const world = await createProvisioningWorld();
    const first = bootProvisioning(world, 1);
    void createWorkspace(
      withoutAnswer(first, 'cancel_now'),
      creationRequest({ tenantId: 'declined', paymentMethodId: 'pm_card_chargeCustomerFail' }),
    );
    await createWorkspace(
      first.ports,
      creationRequest({ tenantId: 'unconfirmed', paymentMethodId: 'pm_card_authenticationRequired' }),
    );
    world.provider.expirePayment(world.attempt('unconfirmed')?.handles.invoiceId ?? '');
    const second = bootProvisioning(world, 2);
    void reconcile(withoutAnswer(second, 'delete_customer'));
    await settle();
    expect(world.attempts()).toMatchObject([
      { _id: 'declined', status: 'awaiting_payment', rollback: {} },
      { _id: 'unconfirmed', status: 'awaiting_payment', rollback: {}, confirmation: {} },
    ]);
    expect(await runningWork(second.ports)).toMatchObject([
      { executor: first.ports.executor, about: { kind: 'provisioning_attempt', id: 'declined' } },
      { executor: second.ports.executor, about: { kind: 'provisioning_attempt', id: 'unconfirmed' } },
    ]);
  });

  it('is the handling of a provider event that has no outcome yet, and none that has one', async () => {
    const { ports } = bootProvisioning(await createProvisioningWorld());
    const { executor } = ports;
    const pending = { status: 'pending', type: 'invoice.paid', admittedRevision: 'revision-1', executor } as const;
    await ports.admissions.insert(admissionSteps.begin<PendingAdmission>({ ...pending, _id: 'evt_1' }));
    const second = await ports.admissions.insert(admissionSteps.begin<PendingAdmission>({ ...pending, _id: 'evt_2' }));
    if (second.outcome !== 'applied' || second.record.status !== 'pending') throw new Error('not admitted');
    await ports.admissions.mutate(
      second.record,
      admissionSteps.move(second.record, 'completed', { outcome: { kind: 'success' } }),
    );
    expect(await runningWork(ports)).toEqual([
      {
        key: 'provider_event_admissions/evt_1',
        executor,
        about: { kind: 'webhook_event', id: 'evt_1', tenantId: null, run: expect.stringContaining('evt_1') },
      },
    ]);
  });
});
