/** What is read before the end of an admitted event is recorded: its creation, and the invoice at the provider. */
import { evidenceRefusal } from '@platform/durable/investigation';
import { subjectOf } from '../domain/event-admission';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { readAdmissionProof } from './admission-proof';
import { createWorkspace } from './create-workspace';

type Outcome = 'applied' | 'not_applied';

const invoiceOf = (world: ProvisioningWorld): string => world.attempt()!.handles.invoiceId!;

/** The code of the refusal of each outcome, or `believed`. */
async function judged(world: ProvisioningWorld, invoiceId = invoiceOf(world)): Promise<Record<Outcome, string>> {
  const { ports } = bootProvisioning(world, 9);
  const of = async (outcome: Outcome) => {
    const proof = await readAdmissionProof(ports, { about: subjectOf({ id: invoiceId }) }, outcome);
    return evidenceRefusal({ outcome, providerObject: null }, proof, [], world.clock.now())?.code ?? 'believed';
  };
  return { applied: await of('applied'), not_applied: await of('not_applied') };
}

describe('the second proof of an admitted event', () => {
  it('contradicts “not applied” once its creation is committed', async () => {
    const world = await createProvisioningWorld();
    await createWorkspace(bootProvisioning(world, 1).ports, creationRequest());
    expect(world.attempt(tenant)).toMatchObject({ status: 'committed' });
    expect(await judged(world)).toEqual({ applied: 'believed', not_applied: 'resolution_contradicted' });
  });

  it('contradicts “applied” while the invoice is paid and its creation is not committed', async () => {
    const world = await createProvisioningWorld();
    world.provider.failNext('lost_answer_after_effect', { step: 'pay_invoice' });
    await createWorkspace(bootProvisioning(world, 1).ports, creationRequest());
    expect(world.attempt(tenant)).toMatchObject({ status: 'reconciliation_required' });
    expect(await judged(world)).toEqual({ applied: 'resolution_contradicted', not_applied: 'believed' });
  });

  it('believes either while nothing is paid: there was nothing to bring about', async () => {
    const world = await createProvisioningWorld();
    world.provider.failNext('lost_answer_before_effect', { step: 'pay_invoice' });
    await createWorkspace(bootProvisioning(world, 1).ports, creationRequest());
    expect(await judged(world)).toEqual({ applied: 'believed', not_applied: 'believed' });
  });

  it('contradicts “applied” for an invoice of no creation', async () => {
    const world = await createProvisioningWorld();
    expect(await judged(world, 'in_of_another')).toEqual({
      applied: 'resolution_contradicted',
      not_applied: 'believed',
    });
  });

  it('is not available while the provider does not show the invoice, and keeps what it read', async () => {
    const world = await createProvisioningWorld();
    await createWorkspace(bootProvisioning(world, 1).ports, creationRequest());
    const { ports } = bootProvisioning(world, 2);
    const about = subjectOf({ id: invoiceOf(world) });
    const read = await readAdmissionProof(ports, { about }, 'applied');
    expect(read).toMatchObject({
      findings: [{ step: 'pay_invoice', objects: [{ id: about.invoiceId }] }],
      statements: [{ text: `The creation of ${tenant} is committed.` }],
    });
    const silent = {
      ...ports.provider,
      retrieveInvoice: async () => ({ outcome: 'unknown' as const, reason: 'time-out' }),
    };
    const unread = await readAdmissionProof(
      { ...ports, provider: silent },
      { about: subjectOf({ id: 'in_2' }) },
      'not_applied',
    );
    const judgedBlind = { outcome: 'not_applied', providerObject: null } as const;
    expect(evidenceRefusal(judgedBlind, unread, [], world.clock.now())).toMatchObject({ code: 'evidence_unavailable' });
  });

  it('names the creation, or that there is none, in what it looks for at the provider', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world, 1);
    await createWorkspace(ports, creationRequest());
    const lookedFor = async (id: string) =>
      (await readAdmissionProof(ports, { about: subjectOf({ id }) }, 'applied')).findings.map(
        ({ looksFor }) => looksFor,
      );
    expect(await lookedFor(invoiceOf(world))).toEqual([expect.stringMatching(new RegExp(`: ${tenant}$`))]);
    expect(await lookedFor('in_of_another')).toEqual([expect.stringMatching(/: no creation$/)]);
  });

  it('contradicts “applied” for a creation that was taken back', async () => {
    const world = await createProvisioningWorld();
    await createWorkspace(
      bootProvisioning(world, 1).ports,
      creationRequest({ paymentMethodId: 'pm_card_chargeCustomerFail' }),
    );
    expect(world.attempt(tenant)).toMatchObject({ status: 'cancelled' });
    expect(await judged(world)).toEqual({ applied: 'resolution_contradicted', not_applied: 'believed' });
  });

  it('says so when a record of an earlier build does not name its event’s objects', async () => {
    const { ports } = bootProvisioning(await createProvisioningWorld());
    expect(await readAdmissionProof(ports, {}, 'applied')).toEqual({
      findings: [],
      statements: [{ text: 'The record does not say what the event is about.', readAt: expect.any(Date) }],
    });
  });

  it('is not available while the provider does not say whose invoice it is', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    world.provider.setDown(true);
    const about = subjectOf({ id: 'in_new', subscription: 'sub_new' });
    expect(await readAdmissionProof(ports, { about }, 'applied')).toEqual({
      findings: [],
      unread: 'The provider does not answer whose invoice it is. Try again when it does.',
    });
  });

  it('looks for no invoice where the event names none, and takes none as paid', async () => {
    const world = await createProvisioningWorld();
    world.provider.failNext('lost_answer_after_effect', { step: 'pay_invoice' });
    const { ports } = bootProvisioning(world, 1);
    await createWorkspace(ports, creationRequest());
    const { subscriptionId } = world.attempt()!.handles;
    expect(await readAdmissionProof(ports, { about: { subscriptionId: subscriptionId! } }, 'applied')).toMatchObject({
      findings: [],
      statements: [{ text: `The creation of ${tenant} is reconciliation_required.` }],
      contradiction: null,
    });
  });
});
