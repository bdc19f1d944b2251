import { unknown } from '@platform/kernel';
import { operationSteps } from '../domain/operation';
import type { OperationRequest } from '../domain/operation';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { finishClearing } from './finish-clearing';
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

async function stopped(
  fault: 'lost_answer_after_effect' | 'lost_answer_before_effect' = 'lost_answer_after_effect',
  request = suspend,
) {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  world.provider.failNext(fault);
  await runOperation(ports, request);
  return { world, ports };
}

const credit: OperationRequest = {
  ...suspend,
  operationId: 'op-credit-0001',
  action: 'credit_customer',
  values: { amountCents: 500, reason: 'goodwill' },
};
const creditEffect = {
  step: 'balance_credit',
  customerId: 'cus_acme',
  amountCents: 500,
  currency: 'usd',
  description: 'goodwill',
} as const;
const byTwo = { reason: 'agreed with the customer on the phone', approvedBy: 'second@example.com' };

const sends = (world: OperatorWorld) => world.provider.sends().length;

describe('the resolution of a stopped operation', () => {
  it.each([
    [{ executorStopped: '  ' }, 'first proof'],
    [{ executorStopped: 'x'.repeat(2_001) }, 'first proof'],
    [{ providerObject: null }, 'second proof'],
    [{ by: 'a person' }, 'e-mail'],
    [{ id: 'op-unknown-01' }, 'no such operation'],
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

  it('as not applied ends it failed for good and gives access back, once no request can be on its way', async () => {
    const { world, ports } = await stopped('lost_answer_before_effect');
    const notApplied = { ...proofs, outcome: 'not_applied', providerObject: null } as const;
    const early = await operationInvestigation.plan(ports, notApplied);
    expect(early.ok ? '' : early.error).toMatch(/^late_effect_possible: .*Wait until \d\d:\d\d:\d\d UTC/);
    world.clock.advance(600_000);
    const planned = await operationInvestigation.plan(ports, notApplied);
    if (!planned.ok) throw new Error(planned.error);
    await operationInvestigation.record(ports, planned.value);
    expect(world.subscription()).toMatchObject({ status: 'active', access: { state: 'open' } });
    expect(await runOperation(ports, suspend)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'resolved_not_applied' },
    });
    expect(sends(world)).toBe(1);
  });

  it('keeps what was read with it, by digest', async () => {
    const { world, ports } = await stopped();
    const planned = await operationInvestigation.plan(ports, proofs);
    if (!planned.ok) throw new Error(planned.error);
    await operationInvestigation.record(ports, planned.value);
    expect(world.operations()[0]?.resolution).toMatchObject({
      evidence: { digest: expect.stringMatching(/^[0-9a-f]{64}$/), objects: ['sub_acme'], readAt: expect.any(Date) },
    });
  });

  it('reads the provider again when it is recorded: an effect that arrived meanwhile refuses it', async () => {
    const { world, ports } = await stopped('lost_answer_before_effect', credit);
    world.clock.advance(600_000);
    const planned = await operationInvestigation.plan(ports, {
      ...proofs,
      id: credit.operationId,
      outcome: 'not_applied',
      providerObject: null,
    });
    if (!planned.ok) throw new Error(planned.error);
    await world.provider.prepare({ operationId: credit.operationId }, creditEffect).send();
    const recorded = await operationInvestigation.record(ports, planned.value);
    expect(recorded.ok ? '' : recorded.error).toMatch(/^resolution_contradicted: .*customer balance transaction/);
    expect(world.operations()[0]?.status).toBe('reconciliation_required');
  });

  it('is never believed while the provider cannot be read, not even by two people', async () => {
    const { ports } = await stopped();
    const blind = {
      ...ports,
      provider: { ...ports.provider, retrieveSubscription: async () => unknown('time-out') },
    };
    for (const change of [{}, { override: byTwo }]) {
      const planned = await operationInvestigation.plan(blind, { ...proofs, ...change });
      expect(planned.ok ? '' : planned.error).toMatch(/^evidence_unavailable: .*time-out/);
    }
  });

  it.each([
    ['that names what does not exist', { providerObject: 'cbtxn_X' }, 'cbtxn_X does not exist'],
    ['that names nothing of the provider', { providerObject: 'credit-a' }, 'is no id of an object'],
    [
      'that says it did not happen while the provider lists it',
      { outcome: 'not_applied' as const, providerObject: null },
      'the provider shows customer balance transaction cbtxn_',
    ],
  ])(
    'of a credit %s is contradicted, says what was seen, and takes two people and a reason',
    async (_what, change, seen) => {
      const { world, ports } = await stopped('lost_answer_after_effect', credit);
      const request = { ...proofs, id: credit.operationId, ...change };
      const refusal = async (more: Partial<OutcomeProofs>) => {
        const planned = await operationInvestigation.plan(ports, { ...request, ...more });
        return planned.ok ? 'planned' : planned.error;
      };
      expect(await refusal({})).toMatch(/^resolution_contradicted: /);
      expect(await refusal({})).toContain(seen);
      expect(await refusal({})).toContain('balance_credit: listBalanceTransactions of cus_acme');
      expect(await refusal({ override: { ...byTwo, approvedBy: 'OPS@example.com' } })).toContain(
        'needs a second person',
      );
      expect(await refusal({ override: { ...byTwo, reason: 'because' } })).toContain('(--override)');
      const planned = await operationInvestigation.plan(ports, { ...request, override: byTwo });
      if (!planned.ok) throw new Error(planned.error);
      await operationInvestigation.record(ports, planned.value);
      expect(world.operations()[0]?.resolution?.override).toEqual({
        ...byTwo,
        proposedBy: 'ops@example.com',
        contradiction: expect.stringMatching(/^resolution_contradicted: /),
      });
    },
  );

  it('of a credit over another amount is contradicted', async () => {
    const { world, ports } = await stopped('lost_answer_before_effect', credit);
    const other = await world.provider
      .prepare({ operationId: credit.operationId }, { ...creditEffect, amountCents: 1 })
      .send();
    const planned = await operationInvestigation.plan(ports, {
      ...proofs,
      id: credit.operationId,
      providerObject: other.evidence.objectId ?? '',
    });
    expect(planned.ok ? '' : planned.error).toMatch(/^resolution_contradicted: .* is over -1 usd, .* over -500 usd/);
  });

  it('of a reactivation without receipts cannot be applied', async () => {
    const world = await createOperatorWorld({ status: 'suspended' });
    const { ports } = bootOperator(world, 1);
    await runOperation(ports, { ...suspend, action: 'reactivate' });
    const waiting = world.operations()[0]!;
    await ports.operations.mutate(waiting, {
      ...waiting,
      status: 'running',
    } as never);
    const planned = await operationInvestigation.plan(ports, proofs);
    expect(planned.ok ? '' : planned.error).toMatch(/^resolution_contradicted: .*receipts/);
  });

  it('is written once: of two investigators with the same reading, one has to judge it again', async () => {
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

describe('a tool that disappears before it has cleared the transition', () => {
  it('leaves it to a repeat of the request, and to the next look of a gateway', async () => {
    for (const clears of ['repeat', 'look'] as const) {
      const { world, ports } = await stopped();
      const refreshes = { ...ports.refreshes, insert: () => Promise.reject(new Error('the tool is gone')) };
      const planned = await operationInvestigation.plan(ports, {
        ...proofs,
        outcome: 'not_applied',
        providerObject: null,
        override: byTwo,
      });
      if (!planned.ok) throw new Error(planned.error);
      await operationInvestigation.record({ ...ports, refreshes }, planned.value).catch(() => undefined);
      expect(world.operations()[0]).toMatchObject({ status: 'failed' });
      expect(world.subscription()).toHaveProperty('transition');
      const next = bootOperator(world, 2).ports;
      if (clears === 'repeat') await runOperation(next, suspend);
      else await finishClearing(next);
      expect([clears, world.subscription()?.transition]).toEqual([clears, undefined]);
    }
  });
});
