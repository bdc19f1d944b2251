/** Resolutions of creations are read again: only a payment that arrives late, or that no longer exists, is reported. */
import type { OutcomeProofs } from '@platform/durable/investigation';
import type { PaymentProvider } from '@platform/payment-provider';
import type { Effect } from '@platform/payment-provider/effects';
import { bootProvisioning, createProvisioningWorld, creationRequest, tenant } from '../testing/provisioning-world';
import { contradictedCreations } from './contradicted-creations';
import { createWorkspace } from './create-workspace';
import { reconcile } from './reconcile';
import { attemptInvestigation } from './resolve-attempt';

type LostStep = 'create_customer' | 'attach_payment_method' | 'pay_invoice';
const card = { id: 'pm_own', customerId: null, cardFingerprint: 'fp_own' };

/** A creation of which a call lost its answer, resolved when nothing could arrive any more. */
async function resolved(outcome: OutcomeProofs['outcome'], step: LostStep = 'pay_invoice') {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  const how = outcome === 'applied' ? 'lost_answer_after_effect' : 'lost_answer_before_effect';
  world.provider.seed({ paymentMethods: [card] });
  world.provider.failNext(how, { step });
  await createWorkspace(ports, creationRequest({ paymentMethodId: card.id }));
  const { customerId = '', invoiceId = '' } = world.attempt()?.handles ?? {};
  world.clock.advance(660_000);
  const since = new Date(world.clock.now().getTime() - 1);
  const planned = await attemptInvestigation.plan(ports, {
    id: tenant,
    outcome,
    executorStopped: 'its host was shut down',
    providerObject: outcome === 'applied' ? invoiceId : null,
    by: 'ann@example.com',
  });
  if (!planned.ok) throw new Error(planned.error);
  await attemptInvestigation.record(ports, planned.value);
  const arrive = async (effect: Effect) => {
    const answer = await world.provider.prepare({ operationId: tenant }, effect).send();
    return answer.outcome === 'succeeded' ? answer.value.id : answer.outcome;
  };
  const pay = () => arrive({ step: 'pay_invoice', invoiceId, creationId: tenant });
  return { world, ports, since, customerId, invoiceId, arrive, pay };
}

describe('a recorded end of a creation', () => {
  it.each(['applied', 'not_applied'] as const)('as %s that the provider bears is no contradiction', async (outcome) => {
    const { world, ports, since } = await resolved(outcome);
    const sends = world.provider.sends().length;
    expect(await contradictedCreations(ports, since)).toEqual({ contradicted: [] });
    expect(world.provider.sends()).toHaveLength(sends);
  });

  it('whose payment arrives late is contradicted, with the invoice that was paid', async () => {
    const { ports, since, invoiceId, pay } = await resolved('not_applied');
    await pay();
    expect(await contradictedCreations(ports, since)).toMatchObject({
      contradicted: [
        {
          itemId: tenant,
          tenantId: tenant,
          resolvedBy: 'ann@example.com',
          text: expect.stringContaining(invoiceId),
          objects: expect.arrayContaining([invoiceId]),
        },
      ],
    });
  });

  it('whose customer appears late is contradicted, with the object that names the creation', async () => {
    const { ports, since, arrive } = await resolved('not_applied', 'create_customer');
    const customerId = await arrive({ step: 'create_customer', email: 'ada@example.com', name: 'Ada Lovelace' });
    expect(await contradictedCreations(ports, since)).toMatchObject({
      contradicted: [{ itemId: tenant, text: expect.stringContaining(customerId), objects: [customerId] }],
    });
  });

  it('is not contradicted by a state that other work may cause', async () => {
    const { ports, since, customerId, arrive } = await resolved('not_applied', 'attach_payment_method');
    expect(await arrive({ step: 'attach_payment_method', customerId, paymentMethodId: card.id })).toBe(card.id);
    expect(await contradictedCreations(ports, since)).toEqual({ contradicted: [] });
  });

  it('is not contradicted by what the platform removes after it', async () => {
    const { world, ports, since } = await resolved('not_applied');
    await reconcile(ports);
    expect(world.remains()).toMatchObject({ status: 'removed' });
    expect(await contradictedCreations(ports, since)).toEqual({ contradicted: [] });
  });

  it('of which the provider shows no payment any more is contradicted', async () => {
    const { ports, since } = await resolved('applied');
    const unpaid: PaymentProvider['retrieveInvoice'] = async (id) => {
      const answer = await ports.provider.retrieveInvoice(id);
      return answer.outcome === 'succeeded' ? { ...answer, value: { ...answer.value, status: 'open' } } : answer;
    };
    const changed = { ...ports, provider: { ...ports.provider, retrieveInvoice: unpaid } };
    expect((await contradictedCreations(changed, since)).contradicted).toHaveLength(1);
  });

  it('says nothing while the provider does not answer, nor of what was recorded earlier', async () => {
    const { ports, since, world, pay } = await resolved('not_applied');
    await pay();
    const silent = { retrieveInvoice: async () => ({ outcome: 'unknown' as const, reason: 'time-out' }) };
    const blind = { ...ports, provider: { ...ports.provider, ...silent } };
    expect((await contradictedCreations(blind, since)).contradicted).toEqual([]);
    expect((await contradictedCreations(ports, world.clock.now())).contradicted).toEqual([]);
    expect((await contradictedCreations(ports, since)).contradicted).toHaveLength(1);
  });
});
