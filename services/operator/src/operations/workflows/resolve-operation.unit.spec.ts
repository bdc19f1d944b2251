import { operationSteps } from '../domain/operation';
import type { OperationRequest } from '../domain/operation';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { operationInvestigation } from './resolve-operation';
import type { OutcomeProofs } from '@platform/durable/investigation';
import { runOperation } from './run-operation';

const suspend: OperationRequest = {
  operationId: 'op-suspend-001',
  tenantId: tenant,
  action: 'suspend',
  values: {},
  actor: { id: 'owner' },
};
const proofs: OutcomeProofs = {
  id: suspend.operationId,
  outcome: 'applied',
  executorStopped: 'the host was shut down and its disk read',
  providerObject: 'sub_acme',
  by: 'ops@example.com',
};

async function stopped() {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  world.provider.failNext('lost_answer_after_effect');
  await runOperation(ports, suspend);
  return { world, ports };
}

const sends = (world: OperatorWorld) => world.provider.sends().length;

describe('the resolution of a stopped operation', () => {
  it.each([
    [{ executorStopped: '  ' }, 'first proof'],
    [{ executorStopped: 'x'.repeat(2_001) }, 'first proof'],
    [{ providerObject: null }, 'second proof'],
    [{ by: 'somebody' }, 'e-mail'],
    [{ id: 'op-nobody-01' }, 'no such operation'],
  ])('is refused with %j', async (change, message) => {
    const { world, ports } = await stopped();
    const planned = await operationInvestigation.plan(ports, { ...proofs, ...change });
    expect(planned.ok ? '' : planned.error).toContain(message);
    expect(world.operations()[0]?.status).toBe('reconciliation_required');
  });

  it('as applied ends it succeeded, clears the transition, keeps access closed, and sends nothing', async () => {
    const { world, ports } = await stopped();
    const planned = await operationInvestigation.plan(ports, proofs);
    if (!planned.ok) throw new Error(planned.error);
    expect(planned.value.warnings.join()).toContain('No consumer has been notified');
    expect((await operationInvestigation.record(ports, planned.value)).ok).toBe(true);
    expect(world.operations()[0]).toMatchObject({
      status: 'succeeded',
      resolution: { by: 'ops@example.com', outcome: 'applied' },
    });
    expect(world.subscription()).toMatchObject({ status: 'suspended', access: { state: 'closed' } });
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(sends(world)).toBe(1);
  });

  it('as not applied ends it failed for good and gives access back', async () => {
    const { world, ports } = await stopped();
    const planned = await operationInvestigation.plan(ports, {
      ...proofs,
      outcome: 'not_applied',
      providerObject: null,
    });
    if (!planned.ok) throw new Error(planned.error);
    await operationInvestigation.record(ports, planned.value);
    expect(world.subscription()).toMatchObject({ status: 'active', access: { state: 'open' } });
    expect(await runOperation(ports, suspend)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'resolved_not_applied' },
    });
    expect(sends(world)).toBe(1);
  });

  it('is written once: of two investigators with the same reading, one is told to judge it again', async () => {
    const { ports } = await stopped();
    const [first, second] = [
      await operationInvestigation.plan(ports, proofs),
      await operationInvestigation.plan(ports, proofs),
    ];
    if (!first.ok || !second.ok) throw new Error('not planned');
    const recorded = await Promise.all([
      operationInvestigation.record(ports, first.value),
      operationInvestigation.record(ports, second.value),
    ]);
    expect(recorded.filter(({ ok }) => ok)).toHaveLength(1);
    expect(recorded.find(({ ok }) => !ok)).toMatchObject({ error: expect.stringContaining('judge it again') });
    const again = await operationInvestigation.plan(ports, proofs);
    expect(again.ok ? '' : again.error).toContain('nothing to resolve');
  });

  it('makes the next write of a zombie executor lose', async () => {
    const { world, ports } = await stopped();
    const held = world.operations()[0]!;
    const planned = await operationInvestigation.plan(ports, proofs);
    if (!planned.ok) throw new Error(planned.error);
    await operationInvestigation.record(ports, planned.value);
    expect((await ports.operations.mutate(held, operationSteps.keep(held, {}))).outcome).toBe('not_applied');
  });
});
