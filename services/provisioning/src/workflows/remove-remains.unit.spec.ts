/**
 * The objects that a creation resolved as not applied has left at the provider are removed once they are proven unpaid.
 */
import { refused } from '@platform/kernel';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningWorld,
  type WorldOptions,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { reconcile } from './reconcile';
import { attemptInvestigation } from './resolve-attempt';

/** A creation whose listener failed: customer and subscription exist, nothing is paid. */
async function stopped(options?: WorldOptions): Promise<ProvisioningWorld> {
  const world = await createProvisioningWorld(options);
  world.listenerAnswers.set('storage', () => refused({ code: 'timeout', message: 'late' }));
  await createWorkspace(bootProvisioning(world).ports, creationRequest({}));
  return world;
}

async function resolveNotApplied(world: ProvisioningWorld, override = false): Promise<void> {
  const { ports } = bootProvisioning(world, 2);
  const planned = await attemptInvestigation.plan(ports, {
    id: tenant,
    outcome: 'not_applied',
    executorStopped: 'its host was shut down',
    providerObject: null,
    by: 'ops@example.com',
    ...(override && { override: { reason: 'agreed on the phone', approvedBy: 'second@example.com' } }),
  });
  if (!planned.ok) throw new Error(planned.error);
  expect(await attemptInvestigation.record(ports, planned.value)).toMatchObject({ ok: true });
}

const round = (world: ProvisioningWorld, incarnation = 3) => reconcile(bootProvisioning(world, incarnation).ports);
const remains = (world: ProvisioningWorld) => world.remains();
const removed = ({ provider }: ProvisioningWorld) =>
  provider
    .ledger()
    .map(({ step }) => step)
    .filter((step) => step === 'cancel_now' || step === 'delete_customer');

describe('a creation that is resolved as not applied', () => {
  it.each([
    ['an unpaid subscription', undefined],
    ['a trial, which would be charged at its end', { limits: { trialDays: 14 } }],
  ])('leaves nothing at the provider: %s is ended and the customer deleted, each once', async (_what, options) => {
    const world = await stopped(options);
    await resolveNotApplied(world);
    expect(world.attempt()).toMatchObject({ reservations: { state: 'settled' } });
    expect(remains(world)).toMatchObject({ status: 'open' });
    await round(world);
    expect(remains(world)).toMatchObject({ status: 'removed' });
    await round(world);
    expect(removed(world)).toEqual(['cancel_now', 'delete_customer']);
    expect(remains(world)?.providerCalls).toMatchObject([
      { step: 'cancel_now', outcome: 'succeeded' },
      { step: 'delete_customer', outcome: 'succeeded' },
    ]);
  });

  it('keeps what may have been paid, and says so to people', async () => {
    const world = await createProvisioningWorld();
    world.provider.failNext('lost_answer_after_effect', { step: 'pay_invoice' });
    await createWorkspace(bootProvisioning(world).ports, creationRequest({}));
    await resolveNotApplied(world, true);
    await round(world);
    expect(remains(world)).toMatchObject({
      status: 'kept',
      keptBecause: expect.stringMatching(/^Invoice in_\S+ is paid/),
    });
    expect(removed(world)).toEqual([]);
    await bootProvisioning(world, 4).sweepOutbox();
    expect(world.published.filter(({ id }) => id.includes('remains_kept'))).toHaveLength(1);
    await round(world);
    expect(world.published.filter(({ id }) => id.includes('remains_kept'))).toHaveLength(1);
  });

  it.each(['cancel_now', 'delete_customer'] as const)(
    'has the lost answer of %s looked up, and sends nothing again',
    async (step) => {
      for (const fault of ['lost_answer_after_effect', 'lost_answer_before_effect'] as const) {
        const world = await stopped();
        await resolveNotApplied(world);
        world.provider.failNext(fault, { step });
        await round(world);
        expect(remains(world)).toMatchObject({ status: 'open' });
        await round(world);
        await round(world);
        const sent = world.provider.sends().filter((send) => send.step === step);
        expect([fault, sent.length]).toEqual([fault, 1]);
        const end =
          fault === 'lost_answer_after_effect'
            ? { status: 'removed' }
            : { status: 'kept', keptBecause: expect.stringContaining('not known') };
        expect([fault, remains(world)]).toEqual([fault, expect.objectContaining(end)]);
      }
    },
  );

  it('sends nothing again that the rollback itself sent without a known outcome', async () => {
    const world = await createProvisioningWorld();
    world.provider.failNext('lost_answer_before_effect', { step: 'delete_customer' });
    await createWorkspace(
      bootProvisioning(world).ports,
      creationRequest({ paymentMethodId: 'pm_card_chargeCustomerFail' }),
    );
    expect(world.attempt()).toMatchObject({ status: 'reconciliation_required' });
    await resolveNotApplied(world, true);
    await round(world);
    expect(remains(world)).toMatchObject({ status: 'kept', keptBecause: expect.stringContaining('not known') });
    expect(world.provider.sends().filter(({ step }) => step === 'delete_customer')).toHaveLength(1);
  });

  it('sends again what the provider provably did not execute', async () => {
    const world = await stopped();
    await resolveNotApplied(world);
    world.provider.failNext('rate_limited', { step: 'cancel_now' });
    await round(world);
    await round(world);
    expect(remains(world)).toMatchObject({ status: 'removed' });
    expect(removed(world)).toEqual(['cancel_now', 'delete_customer']);
  });

  it('is left as it is while the provider cannot be read', async () => {
    const world = await stopped();
    await resolveNotApplied(world);
    const life = bootProvisioning(world, 3);
    const away = async () => ({ outcome: 'unknown', reason: 'away', evidence: {} }) as never;
    const provider = { ...world.provider, retrieveInvoice: away };
    await reconcile({ ...life.ports, provider });
    expect(remains(world)).toMatchObject({ status: 'open' });
    expect(removed(world)).toEqual([]);
  });

  it('is removed once by two replicas at the same moment', async () => {
    const world = await stopped();
    await resolveNotApplied(world);
    await Promise.all([round(world, 3), round(world, 4)]);
    await round(world);
    expect(remains(world)).toMatchObject({ status: 'removed' });
    expect(removed(world)).toEqual(['cancel_now', 'delete_customer']);
  });
});
