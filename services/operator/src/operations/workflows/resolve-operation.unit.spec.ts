import { operationSteps } from '../domain/operation';
import { silentLog } from '@platform/kernel';
import type { OperationRequest } from '../domain/operation';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { planResolution, recordResolution, type ResolutionRequest } from './resolve-operation';
import { runOperation } from './run-operation';

const suspend: OperationRequest = {
  operationId: 'op-suspend-001',
  tenantId: tenant,
  action: 'suspend',
  values: {},
  actor: { id: 'owner' },
};
const proofs: ResolutionRequest = {
  operationId: suspend.operationId,
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
  return {
    world,
    ports,
    resolving: {
      operations: ports.operations,
      subscriptions: ports.subscriptions,
      refreshes: ports.refreshes,
      clock: world.clock,
      log: silentLog,
    },
  };
}

const sends = (world: OperatorWorld) => world.provider.sends().length;

describe('the resolution of a stopped operation', () => {
  it.each([
    [{ executorStopped: '  ' }, 'first proof'],
    [{ executorStopped: 'x'.repeat(2_001) }, 'first proof'],
    [{ providerObject: null }, 'second proof'],
    [{ by: 'somebody' }, 'e-mail'],
    [{ operationId: 'op-nobody-01' }, 'no such operation'],
  ])('is refused with %j', async (change, message) => {
    const { world, resolving } = await stopped();
    const planned = await planResolution(resolving, { ...proofs, ...change });
    expect(planned.ok ? '' : planned.error).toContain(message);
    expect(world.operations()[0]?.status).toBe('reconciliation_required');
  });

  it('as applied ends it succeeded, clears the transition, keeps access closed, and sends nothing', async () => {
    const { world, resolving } = await stopped();
    const planned = await planResolution(resolving, proofs);
    if (!planned.ok) throw new Error(planned.error);
    expect(planned.value.warnings.join()).toContain('No consumer has been notified');
    expect((await recordResolution(resolving, planned.value)).ok).toBe(true);
    expect(world.operations()[0]).toMatchObject({
      status: 'succeeded',
      resolution: { by: 'ops@example.com', outcome: 'applied' },
    });
    expect(world.subscription()).toMatchObject({ status: 'suspended', access: { state: 'closed' } });
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(sends(world)).toBe(1);
  });

  it('as not applied ends it failed for good and gives access back', async () => {
    const { world, ports, resolving } = await stopped();
    const planned = await planResolution(resolving, { ...proofs, outcome: 'not_applied', providerObject: null });
    if (!planned.ok) throw new Error(planned.error);
    await recordResolution(resolving, planned.value);
    expect(world.subscription()).toMatchObject({ status: 'active', access: { state: 'open' } });
    expect(await runOperation(ports, suspend)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'resolved_not_applied' },
    });
    expect(sends(world)).toBe(1);
  });

  it('is written once: of two investigators with the same reading, one is told to judge anew', async () => {
    const { resolving } = await stopped();
    const [first, second] = [await planResolution(resolving, proofs), await planResolution(resolving, proofs)];
    if (!first.ok || !second.ok) throw new Error('not planned');
    const recorded = await Promise.all([
      recordResolution(resolving, first.value),
      recordResolution(resolving, second.value),
    ]);
    expect(recorded.filter(({ ok }) => ok)).toHaveLength(1);
    expect(recorded.find(({ ok }) => !ok)).toMatchObject({ error: expect.stringContaining('judge anew') });
    const again = await planResolution(resolving, proofs);
    expect(again.ok ? '' : again.error).toContain('nothing to resolve');
  });

  it('makes the next write of a zombie executor lose', async () => {
    const { world, ports, resolving } = await stopped();
    const held = world.operations()[0]!;
    const planned = await planResolution(resolving, proofs);
    if (!planned.ok) throw new Error(planned.error);
    await recordResolution(resolving, planned.value);
    expect((await ports.operations.mutate(held, operationSteps.keep(held, {}))).outcome).toBe('not_applied');
  });
});
