/** A first payment that the card's holder must confirm, or that a bank has not answered yet: neither refused nor paid. */
import type { ProviderEventMessage } from '@platform/contracts-provisioning';
import { settle } from '@platform/testing';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { handleProviderEvent } from './handle-provider-event';
import { reconcile } from './reconcile';
import { runningWork } from './running-work';

const asking = creationRequest({ paymentMethodId: 'pm_card_authenticationRequired' });

async function waiting(request = asking) {
  const world = await createProvisioningWorld({ limits: { trialDays: 0 } });
  const life = bootProvisioning(world);
  const answer = await createWorkspace(life.ports, request);
  await settle();
  const invoiceId = world.attempt()?.handles.invoiceId ?? '';
  return { world, ...life, answer, invoiceId };
}

const steps = (world: ProvisioningWorld) => world.provider.ledger().map(({ step }) => step);
const sent = (world: ProvisioningWorld) => world.provider.sends().filter(({ step }) => step === 'pay_invoice').length;

const paid = (objectId: string): ProviderEventMessage => ({
  eventId: `evt_${objectId}`,
  type: 'invoice.paid',
  created: new Date(0).toISOString(),
  object: { id: objectId },
  admittedRevision: 'revision-1',
});

describe('a first payment that its person must confirm', () => {
  it('waits with the address of the page, and takes nothing back', async () => {
    const { world, answer, invoiceId } = await waiting();
    expect(answer).toMatchObject({ kind: 'unresolved' });
    expect(world.attempt()).toMatchObject({
      status: 'awaiting_payment',
      confirmation: { reason: 'authentication_required', url: `https://invoice.test/${invoiceId}` },
    });
    expect(world.marker()).toMatchObject({ provisioningState: 'awaiting_payment' });
    expect(steps(world)).not.toContain('cancel_now');
    expect(world.published).toEqual([]);
  });

  it('is the work of no executor, unlike one whose executor has gone before it paid', async () => {
    const { ports } = await waiting();
    expect(await runningWork(ports)).toEqual([]);
    const world = await createProvisioningWorld({ limits: { trialDays: 0 } });
    const executor = bootProvisioning(world).ports;
    const gone: typeof executor.provider = {
      ...executor.provider,
      prepare: (intent, effect) => {
        const call = executor.provider.prepare(intent, effect);
        return effect.step === 'pay_invoice' ? { ...call, send: () => new Promise(() => undefined) } : call;
      },
    };
    void createWorkspace({ ...executor, provider: gone }, creationRequest());
    await settle();
    expect(world.attempt()).toMatchObject({ status: 'awaiting_payment' });
    expect(await runningWork(executor)).toMatchObject([
      { executor: executor.executor, about: { kind: 'provisioning_attempt', id: world.attempt()!._id } },
    ]);
  });

  it('commits by the event of its invoice, and is not paid again', async () => {
    const { world, ports, invoiceId } = await waiting();
    world.provider.confirmPayment(invoiceId);
    await handleProviderEvent(ports, paid(invoiceId));
    await handleProviderEvent(ports, paid(invoiceId));
    expect(world.attempt()).toMatchObject({ status: 'committed', provenBy: 'provider_event' });
    expect(sent(world)).toBe(1);
  });

  it('commits by the reconciliation when the event never comes', async () => {
    const { world, ports, invoiceId } = await waiting();
    expect(await reconcile(ports)).toMatchObject({ committed: 0 });
    world.provider.confirmPayment(invoiceId);
    expect(await reconcile(bootProvisioning(world, 2).ports)).toMatchObject({ committed: 1 });
    expect(sent(world)).toBe(1);
  });

  it('is taken back, once, when the provider has given the payment up', async () => {
    const { world, ports, invoiceId } = await waiting();
    await reconcile(ports);
    expect(world.attempt()).toMatchObject({ status: 'awaiting_payment' });
    world.provider.expirePayment(invoiceId);
    const other = { ...bootProvisioning(world, 2).ports };
    await Promise.all([reconcile(ports), reconcile(other)]);
    await settle();
    expect(world.attempt()).toMatchObject({
      status: 'cancelled',
      rollback: { code: 'confirmation_expired' },
      reservations: { state: 'settled' },
    });
    expect(world.marker()).toMatchObject({ provisioningState: 'cancelled' });
    expect(steps(world).filter((step) => step === 'delete_customer')).toHaveLength(1);
    expect(steps(world)).not.toContain('cancel_now');
    expect(world.heard.filter(({ event }) => event === 'TENANT_DELETED')).toHaveLength(1);
    expect(world.published.map(({ subject }) => subject)).toEqual(['workspace.cancelled']);
  });

  it('asks for the address again when the provider could not be asked for it', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    const provider: typeof ports.provider = {
      ...ports.provider,
      retrieveInvoice: async () => ({ outcome: 'unknown', reason: 'away' }),
    };
    await createWorkspace({ ...ports, provider }, asking);
    expect(world.attempt()?.confirmation).toEqual({ reason: 'authentication_required', since: expect.any(Date) });
    await reconcile(ports);
    expect(world.attempt()?.confirmation?.url).toMatch(/^https:/);
  });

  it('goes on at once where the payment was confirmed before its page was asked for', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    const provider: typeof ports.provider = {
      ...ports.provider,
      retrieveInvoice: (id) => {
        world.provider.confirmPayment(id);
        return ports.provider.retrieveInvoice(id);
      },
    };
    expect((await createWorkspace({ ...ports, provider }, asking)).kind).toBe('committed');
    expect(world.attempt()).not.toHaveProperty('confirmation');
  });

  it('is left to its executor while the executor takes back, and to people when the process is gone', async () => {
    const { world, ports, invoiceId } = await waiting();
    world.provider.expirePayment(invoiceId);
    world.provider.failNext('lost_answer_before_effect', { step: 'delete_customer' });
    await reconcile(ports);
    expect(world.attempt()).toMatchObject({ status: 'reconciliation_required' });
    await reconcile(bootProvisioning(world, 2).ports);
    expect(world.provider.sends().filter(({ step }) => step === 'delete_customer')).toHaveLength(1);
  });
});

describe('a first payment that a bank has not answered', () => {
  it('waits, and commits when it has arrived', async () => {
    const request = creationRequest({ paymentMethodId: 'pm_usBankAccount_success' });
    const { world, ports, invoiceId } = await waiting(request);
    expect(world.attempt()).toMatchObject({
      status: 'awaiting_payment',
      confirmation: { reason: 'payment_processing' },
    });
    world.provider.confirmPayment(invoiceId);
    await handleProviderEvent(ports, paid(invoiceId));
    expect(world.attempt()).toMatchObject({ status: 'committed' });
  });
});
