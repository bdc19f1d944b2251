/** Provider events are admitted once, handled once, and their outcome is kept with the admission. */
import type { ProviderEventMessage } from '@platform/contracts-provisioning';
import { settle } from '@platform/testing';
import { admissionSteps, resolveAdmission, type PendingAdmission } from '../domain/event-admission';
import { bootProvisioning, createProvisioningWorld, creationRequest } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { handleProviderEvent } from './handle-provider-event';

/** A paid creation whose payment has no answer here, and the event of its invoice. */
async function paidInvoice() {
  const world = await createProvisioningWorld();
  const life = bootProvisioning(world);
  const { ports } = life;
  world.provider.failNext('lost_answer_after_effect', { step: 'pay_invoice' });
  await createWorkspace(ports, creationRequest());
  await settle();
  const event: ProviderEventMessage = {
    eventId: 'evt_1',
    type: 'invoice.paid',
    created: new Date(0).toISOString(),
    object: { id: world.attempt()!.handles.invoiceId! },
    admittedRevision: 'revision-1',
  };
  const outcomes = () =>
    world.published
      .filter(({ subject }) => subject === 'provider.outcome.provisioning')
      .map(({ body }) => body['outcome']);
  const admission = () => ports.admissions.findById('evt_1');
  const waiting = () => ports.admissions.outbox.pending(10);
  /** The provider of these ports; `before` runs ahead of each reading of an invoice. */
  const reading = (before: () => unknown) => ({
    ...ports.provider,
    retrieveInvoice: async (id: string) => {
      await before();
      return ports.provider.retrieveInvoice(id);
    },
  });
  return { world, ...life, event, outcomes, admission, waiting, reading };
}

describe('a provider event', () => {
  it('is handled once by two deliveries at the same time, though the first insert of its admission was lost', async () => {
    const { world, ports, event, outcomes, reading } = await paidInvoice();
    let readings = 0;
    const counting = { ...ports, provider: reading(() => (readings += 1)) };
    world.store.loseNextWrite('before');
    await Promise.all([handleProviderEvent(counting, event), handleProviderEvent(counting, event)]);
    await settle();
    expect(readings).toBe(1);
    expect(outcomes()).toEqual(['success']);
  });

  it('comes again while the store takes no admission, and is handled then', async () => {
    const { world, ports, event, outcomes } = await paidInvoice();
    world.store.setAvailable(false);
    expect(await handleProviderEvent(ports, event)).toBe('again');
    world.store.setAvailable(true);
    await settle();
    expect(outcomes()).toEqual([]);
    expect(await handleProviderEvent(ports, event)).toBe('handled');
    await settle();
    expect(outcomes()).toEqual(['success']);
  });

  it('is left to the process that admitted it', async () => {
    const { world, ports, event, outcomes, admission } = await paidInvoice();
    const { eventId: _id, type, admittedRevision } = event;
    const executor = { ...ports.executor, instance: 'provisioning-2' };
    await ports.admissions.insert(
      admissionSteps.begin<PendingAdmission>({ _id, type, admittedRevision, executor, status: 'pending' }),
    );
    const before = await admission();
    expect(await handleProviderEvent(ports, event)).toBe('handled');
    await settle();
    expect(await admission()).toEqual(before);
    expect([outcomes(), world.attempt()?.status]).toEqual([[], 'reconciliation_required']);
  });

  it('leaves nothing to publish once the broker has taken its outcome', async () => {
    const { ports, event, outcomes, waiting } = await paidInvoice();
    await handleProviderEvent(ports, event);
    await settle();
    expect(outcomes()).toEqual(['success']);
    expect(await waiting()).toEqual([]);
  });

  it('keeps its outcome with the admission until the broker takes it', async () => {
    const { ports, sweepOutbox, event, outcomes, waiting } = await paidInvoice();
    await handleProviderEvent({ ...ports, publishNow: () => undefined }, event);
    expect([outcomes(), (await waiting()).length]).toEqual([[], 1]);
    await sweepOutbox();
    expect([outcomes(), await waiting()]).toEqual([['success'], []]);
  });

  it('that a person has ended meanwhile gets no second outcome', async () => {
    const { ports, event, outcomes, admission, reading } = await paidInvoice();
    const resolution = {
      outcome: 'not_applied' as const,
      by: 'ann@example.com',
      executorStopped: 'its host was shut down at noon',
      at: ports.clock.now(),
    };
    const provider = reading(async () => {
      const pending = (await admission()) as PendingAdmission;
      await ports.admissions.mutate(pending, resolveAdmission(pending, resolution));
    });
    expect(await handleProviderEvent({ ...ports, provider }, event)).toBe('handled');
    await settle();
    expect(outcomes()).toEqual([]);
    expect(await admission()).toMatchObject({ outcome: { kind: 'skipped' }, resolution });
  });
});
