import { admissionSteps, type PendingAdmission } from '../domain/event-admission';
import type { ProviderEventMessage } from '@platform/contracts-provisioning';
import { settle } from '@platform/testing';
import { bootProvisioning, createProvisioningWorld, creationRequest } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { abandonInterruptedEvents, handleProviderEvent } from './handle-provider-event';

const event = (
  object: ProviderEventMessage['object'],
  change: Partial<ProviderEventMessage> = {},
): ProviderEventMessage => ({
  eventId: 'evt_1',
  type: 'invoice.paid',
  created: new Date(0).toISOString(),
  object,
  admittedRevision: 'revision-1',
  ...change,
});

async function unknownPayment(
  kind: 'lost_answer_after_effect' | 'lost_answer_before_effect' = 'lost_answer_after_effect',
) {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  world.provider.failNext(kind, { step: 'pay_invoice' });
  await createWorkspace(ports, creationRequest());
  const invoiceId = world.attempt()!.handles.invoiceId!;
  const outcomes = () =>
    world.published.filter(({ subject }) => subject === 'provider.outcome.provisioning').map(({ body }) => body);
  return { world, ports, invoiceId, outcomes };
}

describe('invoice.paid', () => {
  it('commits a creation whose payment was not known here: account, tenant and marker kept, one charge', async () => {
    const { world, ports, invoiceId, outcomes } = await unknownPayment();
    expect(world.attempt()).toMatchObject({
      status: 'reconciliation_required',
      handles: { customerId: expect.any(String) },
    });
    expect(world.published.filter(({ subject }) => subject.startsWith('lifecycle'))).toEqual([]);
    await handleProviderEvent(ports, event({ id: invoiceId }));
    await settle();
    expect(world.attempt()).toMatchObject({ status: 'committed', provenBy: 'provider_event' });
    expect(world.published.map(({ subject }) => subject)).toContain('lifecycle.message.created');
    expect(world.provider.ledger().filter(({ step }) => step === 'pay_invoice')).toHaveLength(1);
    expect(outcomes()).toEqual([{ eventId: 'evt_1', admittedRevision: 'revision-1', outcome: 'success' }]);
  });

  it('does not commit what the provider does not show as paid, whatever the event says', async () => {
    const { world, ports, invoiceId } = await unknownPayment('lost_answer_before_effect');
    await handleProviderEvent(ports, event({ id: invoiceId }));
    expect(world.attempt()?.status).toBe('reconciliation_required');
  });

  it('is handled once; a repeat says the outcome again, under the revision that asks', async () => {
    const { world, ports, invoiceId, outcomes } = await unknownPayment();
    await handleProviderEvent(ports, event({ id: invoiceId }));
    const reads = world.recorder.logs.writes.length;
    await handleProviderEvent(ports, event({ id: invoiceId }, { admittedRevision: 'revision-2' }));
    await settle();
    expect(outcomes().map((body) => body['admittedRevision'])).toEqual(['revision-1', 'revision-2']);
    expect(world.recorder.logs.writes.slice(reads).map(({ collection }) => collection)).toEqual([
      'provider_event_admissions',
      'provider_event_admissions',
    ]);
  });

  it('finds the creation by the metadata of the subscription when it was faster than our record', async () => {
    const { world, ports } = await unknownPayment();
    await handleProviderEvent(
      ports,
      event({ id: 'in_of_later', subscription: world.attempt()!.handles.subscriptionId! }),
    );
    expect(world.attempt()?.status).toBe('committed');
  });

  it('is skipped for invoices of no workspace here and for other types', async () => {
    const { ports, outcomes } = await unknownPayment();
    await handleProviderEvent(ports, event({ id: 'in_other' }, { eventId: 'evt_2' }));
    await handleProviderEvent(ports, event({ id: 'in_other' }, { eventId: 'evt_3', type: 'invoice.voided' }));
    await settle();
    expect(outcomes().map((body) => body['outcome'])).toEqual(['skipped', 'skipped']);
  });

  it('before our own commit is a success that changes nothing; the executor commits', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    const seen: unknown[] = [];
    world.listenerAnswers.set('storage', () => {
      void handleProviderEvent(ports, event({ id: world.attempt()!.handles.invoiceId! })).then(() =>
        seen.push(world.attempt()?.status),
      );
      return { ok: true, value: { done: true } };
    });
    expect((await createWorkspace(ports, creationRequest())).kind).toBe('committed');
    await settle();
    expect(seen).toHaveLength(1);
    expect(world.provider.ledger().filter(({ step }) => step === 'pay_invoice')).toHaveLength(1);
  });

  it('for a creation that was taken back is a failure that people see', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    await createWorkspace(ports, creationRequest({ paymentMethodId: 'pm_card_chargeCustomerFail' }));
    await handleProviderEvent(ports, event({ id: world.attempt()!.handles.invoiceId! }));
    await settle();
    expect(world.published.at(-1)).toMatchObject({ body: { outcome: 'failed' } });
    expect(world.attempt()?.status).toBe('cancelled');
  });

  it.each(['before', 'after'] as const)(
    'is handled to its end when the answer of its admission is lost %s it was stored',
    async (when) => {
      const { ports, invoiceId, outcomes, world } = await unknownPayment();
      world.store.loseNextWrite(when);
      // As the broker does it: what is not handled comes again.
      while ((await handleProviderEvent(ports, event({ id: invoiceId }))) === 'again');
      await settle();
      expect(outcomes()).toMatchObject([{ outcome: 'success' }]);
      expect(await ports.admissions.findById('evt_1')).toMatchObject({ status: 'completed' });
    },
  );

  it('is unknown when an earlier boot of this instance admitted it and never came to an end', async () => {
    const { ports, outcomes, world } = await unknownPayment();
    await ports.admissions.insert(
      admissionSteps.begin<PendingAdmission>({
        _id: 'evt_9',
        type: 'invoice.paid',
        admittedRevision: 'r',
        executor: { ...ports.executor, incarnation: 'before' },
        status: 'pending',
      }),
    );
    await ports.admissions.insert(
      admissionSteps.begin<PendingAdmission>({
        _id: 'evt_8',
        type: 'invoice.paid',
        admittedRevision: 'r',
        executor: { ...ports.executor, instance: 'other', incarnation: 'before' },
        status: 'pending',
      }),
    );
    expect(await abandonInterruptedEvents(ports)).toBe(1);
    await settle();
    expect(outcomes()).toMatchObject([{ eventId: 'evt_9', outcome: 'unknown' }]);
    expect(world.attempt()?.status).toBe('reconciliation_required');
  });
});
