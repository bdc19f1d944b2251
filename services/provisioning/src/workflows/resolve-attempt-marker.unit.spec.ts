/** The end of an investigation of a creation, with its marker: which writes it makes, and which of them decides. */
import { fromThe, losingWrites } from '@platform/durable/testing';
import { refused } from '@platform/kernel';
import { attemptSteps, type OpenAttempt } from '../domain/attempt';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import type { ProvisioningPorts } from './ports';
import { attemptInvestigation } from './resolve-attempt';

type Stop = 'lost payment' | 'failed listener' | 'failed rollback' | 'no marker';

async function stopped(how: Stop) {
  const world = await createProvisioningWorld();
  const life = bootProvisioning(world);
  const { ports } = life;
  if (how === 'lost payment') world.provider.failNext('lost_answer_after_effect', { step: 'pay_invoice' });
  if (how === 'failed rollback') world.provider.failNext('lost_answer_before_effect', { step: 'delete_customer' });
  if (how === 'failed listener')
    world.listenerAnswers.set('storage', () => refused({ code: 'timeout', message: 'late' }));
  const paymentMethodId = how === 'failed rollback' ? 'pm_card_chargeCustomerFail' : 'pm_card_visa';
  const creating = how === 'no marker' ? { ...ports, markers: losingWrites(ports.markers) } : ports;
  await createWorkspace(creating, creationRequest({ paymentMethodId }));
  world.clock.advance(660_000);
  return { world, life, ports };
}

/** The record as an open one; the tests read it before its end is recorded. */
const openAttempt = (world: ProvisioningWorld) => world.attempt() as OpenAttempt;

/** Signed by two people, so that the evidence refuses neither outcome. */
function plan(world: ProvisioningWorld, ports: ProvisioningPorts, outcome: 'applied' | 'not_applied') {
  return attemptInvestigation.plan(ports, {
    id: tenant,
    outcome,
    executorStopped: 'its host was shut down',
    providerObject: outcome === 'applied' ? (world.attempt()?.handles.invoiceId ?? '') : null,
    by: 'ops@example.com',
    override: { reason: 'agreed on the phone', approvedBy: 'second@example.com' },
  });
}

/** Plans with the whole store, and records with these ports. */
async function record(
  world: ProvisioningWorld,
  ports: ProvisioningPorts,
  outcome: 'applied' | 'not_applied',
  meanwhile: () => Promise<unknown> = async () => undefined,
) {
  const planned = await plan(world, bootProvisioning(world, 2).ports, outcome);
  if (!planned.ok) throw new Error(planned.error);
  await meanwhile();
  return attemptInvestigation.record(ports, planned.value);
}

/** The same ports; writes of attempts from this one on are not acknowledged. */
const losingFrom = (ports: ProvisioningPorts, first: number): ProvisioningPorts => ({
  ...ports,
  attempts: losingWrites(ports.attempts, fromThe(first)),
});

describe('the marker of a creation that an investigation ends', () => {
  it('is committed with the resolution, at its time', async () => {
    const { world, ports } = await stopped('lost payment');
    expect(await record(world, ports, 'applied')).toMatchObject({ ok: true });
    const marker = world.marker();
    expect(marker).toMatchObject({
      provisioningState: 'committed',
      committedAt: marker?.resolution?.at,
      resolution: { outcome: 'applied', by: 'ops@example.com', at: expect.any(Date) as Date },
    });
  });

  it('is closed and cancelled with the resolution, at its time, and the cancellation is announced', async () => {
    const { world, life, ports } = await stopped('failed listener');
    expect(await record(world, ports, 'not_applied')).toMatchObject({ ok: true });
    const marker = world.marker();
    const at = marker?.resolution?.at;
    expect(marker).toMatchObject({
      provisioningState: 'cancelled',
      closedAt: at,
      cancelledAt: at,
      resolution: { outcome: 'not_applied', by: 'ops@example.com', at: expect.any(Date) as Date },
    });
    await life.sweepOutbox();
    expect(world.published.filter(({ subject }) => subject.startsWith('workspace.'))).toMatchObject([
      {
        subject: 'workspace.cancelled',
        body: { tenantId: tenant, code: 'resolved_not_applied', cancelledAt: at?.toISOString() },
      },
    ]);
  });

  it('keeps the time at which a rollback closed it', async () => {
    const { world, ports } = await stopped('failed rollback');
    const closedAt = world.marker()?.closedAt;
    expect(closedAt).toBeInstanceOf(Date);
    expect(await record(world, ports, 'not_applied')).toMatchObject({ ok: true });
    const marker = world.marker();
    expect(marker).toMatchObject({ provisioningState: 'cancelled', closedAt, cancelledAt: marker?.resolution?.at });
    expect(marker?.resolution?.at).not.toEqual(closedAt);
  });

  it('is not made by the investigation: without one, the attempt is written once', async () => {
    const { world, ports } = await stopped('no marker');
    let writes = 0;
    const mutate: typeof ports.attempts.mutate = async (...given) => {
      writes += 1;
      return ports.attempts.mutate(...given);
    };
    expect(await record(world, { ...ports, attempts: { ...ports.attempts, mutate } }, 'not_applied')).toMatchObject({
      ok: true,
      value: { status: 'cancelled' },
    });
    expect([writes, world.marker()]).toEqual([1, undefined]);
  });

  it.each([
    ['lost payment', 'applied', 'committed'],
    ['failed listener', 'not_applied', 'cancelled'],
  ] as const)('is not written again after a %s, when it was decided before: %s', async (how, outcome, ends) => {
    const { world, ports } = await stopped(how);
    expect(await record(world, losingFrom(ports, 2), outcome)).toMatchObject({
      ok: false,
      error: expect.stringContaining(
        'It is not known whether the resolution was written (the answer was lost)',
      ) as string,
    });
    const decided = world.marker();
    expect([decided?.provisioningState, world.attempt()?.status]).toEqual([ends, 'reconciliation_required']);
    expect(await record(world, ports, outcome)).toMatchObject({ ok: true, value: { status: ends } });
    expect(world.marker()).toEqual(decided);
  });

  it.each([
    ['lost payment', 'applied', 'not_applied', 'The creation is committed; it cannot be resolved as not applied.'],
    ['lost payment', 'not_applied', 'applied', 'The tombstone exists: this creation was taken back.'],
  ] as const)(
    'refuses the other outcome after a %s, when it was decided before: %s',
    async (how, first, other, text) => {
      const { world, ports } = await stopped(how);
      expect(await record(world, losingFrom(ports, 2), first)).toMatchObject({ ok: false });
      expect(await plan(world, ports, other)).toEqual({ ok: false, error: text });
    },
  );
});

describe('the end of an investigation that cannot be written', () => {
  it('leaves the marker when the attempt has changed since it was read', async () => {
    const { world, ports } = await stopped('failed listener');
    const marker = world.marker();
    const read = openAttempt(world);
    const lastError = { code: 'outcome_unknown', message: 'Its executor has learnt more.' };
    const meanwhile = () => ports.attempts.mutate(read, attemptSteps.keep<OpenAttempt>(read, { lastError }));
    expect(await record(world, ports, 'not_applied', meanwhile)).toEqual({
      ok: false,
      error: 'The attempt has changed since it was read. Read it again and judge it again.',
    });
    expect(world.marker()).toEqual(marker);
    expect(world.attempt()).toMatchObject({ status: 'reconciliation_required', lastError });
  });

  it('leaves the marker when the store does not answer, and says that nothing was written', async () => {
    const { world, ports } = await stopped('failed listener');
    const before = [world.marker(), world.attempt()];
    expect(await record(world, losingFrom(ports, 1), 'not_applied')).toEqual({
      ok: false,
      error: 'Nothing was written (the answer was lost). Read the attempt again.',
    });
    expect([world.marker(), world.attempt()]).toEqual(before);
  });
});
