import { refused } from '@platform/kernel';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  freePlan,
  tenant,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { attemptInvestigation } from './resolve-attempt';
import type { OutcomeProofs } from '@platform/durable/investigation';

const proofs: OutcomeProofs = {
  id: tenant,
  outcome: 'applied',
  executorStopped: 'the host was shut down and its disk read',
  providerObject: 'in_1',
  by: 'ops@example.com',
};

async function stopped(how: 'unknown payment' | 'lost payment' | 'failed listener') {
  const world = await createProvisioningWorld();
  const life = bootProvisioning(world);
  if (how === 'unknown payment') world.provider.failNext('lost_answer_before_effect', { step: 'pay_invoice' });
  else if (how === 'lost payment') world.provider.failNext('lost_answer_after_effect', { step: 'pay_invoice' });
  else world.listenerAnswers.set('storage', () => refused({ code: 'timeout', message: 'late' }));
  await createWorkspace(life.ports, creationRequest(how === 'failed listener' ? { plan: freePlan } : {}));
  const paid = { ...proofs, providerObject: world.attempt()?.handles.invoiceId ?? 'none' };
  return { world, life, ports: life.ports, paid, sends: world.provider.sends().length };
}

describe('the resolution of an attempt', () => {
  it.each([
    [{ executorStopped: ' ' }, 'first proof'],
    [{ providerObject: null }, 'second proof'],
    [{ by: 'me' }, 'e-mail'],
    [{ id: 'unknown' }, 'no such'],
  ])('is refused with %j', async (change, message) => {
    const { ports } = await stopped('unknown payment');
    const planned = await attemptInvestigation.plan(ports, { ...proofs, ...change });
    expect(planned.ok ? '' : planned.error).toContain(message);
  });

  it('as applied commits the creation and says created, sending nothing', async () => {
    const { world, life, ports, paid, sends } = await stopped('lost payment');
    const planned = await attemptInvestigation.plan(ports, paid);
    if (!planned.ok) throw new Error(planned.error);
    expect(await attemptInvestigation.record(ports, planned.value)).toMatchObject({
      ok: true,
      value: { status: 'committed', provenBy: 'resolution', resolution: { by: 'ops@example.com' } },
    });
    await life.sweepOutbox();
    expect(world.published.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['lifecycle.message.created', 'workspace.committed']),
    );
    expect(world.provider.sends()).toHaveLength(sends);
  });

  it('as not applied leaves a tombstone and gives the reservations back', async () => {
    const { world, ports, sends } = await stopped('failed listener');
    expect(world.capacity()[0]?.allocations).toHaveLength(1);
    const planned = await attemptInvestigation.plan(ports, { ...proofs, outcome: 'not_applied', providerObject: null });
    if (!planned.ok) throw new Error(planned.error);
    expect(planned.value.warnings.join()).toContain('in its next reconciliation');
    expect(await attemptInvestigation.record(ports, planned.value)).toMatchObject({
      ok: true,
      value: { status: 'cancelled', reservations: { state: 'settled' } },
    });
    expect(world.provider.sends()).toHaveLength(sends);
    expect(world.remains()).toMatchObject({ status: 'open' });
    expect(world.marker()?.provisioningState).toBe('cancelled');
    expect(world.capacity()[0]?.allocations).toEqual([]);
  });

  it.each([
    [
      'lost payment',
      { outcome: 'not_applied', providerObject: null },
      /^resolution_contradicted: .*shows .*invoice in_/,
    ],
    ['lost payment', { providerObject: 'in_other' }, /^resolution_contradicted: .*in_other does not exist/],
    ['unknown payment', {}, /^resolution_contradicted: .*nothing was found/],
    ['unknown payment', { outcome: 'not_applied', providerObject: null }, /^late_effect_possible: /],
  ] as const)('after a %s is refused with %j', async (how, change, refusal) => {
    const { ports, paid } = await stopped(how);
    const planned = await attemptInvestigation.plan(ports, { ...paid, ...change });
    expect(planned.ok ? '' : planned.error).toMatch(refusal);
  });

  it('as not applied is contradicted by a customer whose creation lost its answer', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    world.provider.failNext('lost_answer_after_effect', { step: 'create_customer' });
    await createWorkspace(ports, creationRequest({}));
    const notApplied = { ...proofs, outcome: 'not_applied', providerObject: null } as const;
    const planned = await attemptInvestigation.plan(ports, notApplied);
    expect(planned.ok ? '' : planned.error).toMatch(
      /^resolution_contradicted: .*create_customer: listCustomers created since .*\(provisioningAttempt\): tenant-1/,
    );
  });

  it('never commits a creation whose listeners did not all succeed', async () => {
    const { ports } = await stopped('failed listener');
    const planned = await attemptInvestigation.plan(ports, proofs);
    expect(planned.ok ? '' : planned.error).toContain('not every listener succeeded');
  });

  it('is written once: of two investigators with the same reading, one has to judge it again', async () => {
    const { ports, paid } = await stopped('lost payment');
    const [first, second] = [
      await attemptInvestigation.plan(ports, paid),
      await attemptInvestigation.plan(ports, { ...paid, by: 'second@example.com' }),
    ];
    if (!first.ok || !second.ok) throw new Error('not planned');
    const recorded = [
      await attemptInvestigation.record(ports, first.value),
      await attemptInvestigation.record(ports, second.value),
    ];
    expect(recorded.map(({ ok }) => ok)).toEqual([true, false]);
  });
});
