import type { OperationRequest } from '../domain/operation';
import { plansCollection } from '../../catalogue/store/plans';
import { deliverSettlements } from '../../testing/operator-history';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { operationViewSchema } from '@platform/contracts-operator';
import { operationView } from '../http/operation-view';
import { runOperation } from './run-operation';

const credit = (change: Partial<OperationRequest> = {}): OperationRequest => ({
  operationId: 'op-credit-0001',
  tenantId: tenant,
  action: 'credit_customer',
  values: { amountCents: 500, reason: 'outage' },
  actor: { id: 'owner' },
  ...change,
});
const suspend: OperationRequest = {
  operationId: 'op-suspend-001',
  tenantId: tenant,
  action: 'suspend',
  values: {},
  actor: { id: 'owner' },
};
const reactivate: OperationRequest = { ...suspend, operationId: 'op-reactivate-1', action: 'reactivate' };

describe('a balance credit', () => {
  it('writes the intent, sends one transaction and journals its result', async () => {
    const world = await createOperatorWorld();
    const answer = await runOperation(bootOperator(world, 1).ports, credit());
    expect(answer).toMatchObject({
      kind: 'succeeded',
      operation: { status: 'succeeded', result: { amountCents: 500, currency: 'usd' } },
    });
    expect(world.provider.ledger()).toMatchObject([
      {
        step: 'balance_credit',
        operationId: 'op-credit-0001',
        amount: -500,
        idempotencyKey: 'op-credit-0001:balance_credit',
      },
    ]);
    expect(world.operations()[0]?.attempts[0]?.providerCalls[0]).toMatchObject({
      step: 'balance_credit',
      phase: 'response_read',
      outcome: 'succeeded',
    });
  });

  it('answers a repeat from the record and refuses other values', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    await runOperation(ports, credit());
    expect((await runOperation(ports, credit())).kind).toBe('succeeded');
    expect(await runOperation(ports, credit({ values: { amountCents: 700, reason: 'outage' } }))).toMatchObject({
      kind: 'refused',
      refusal: { code: 'operation_id_reused' },
    });
    expect(world.provider.ledger()).toHaveLength(1);
  });

  it('is judged by the plan that the workspace has, whichever was guessed', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const plans = world.store.collection(plansCollection);
    await plans.insert({ _id: 'euro', name: 'Euro', amountCents: 900, currency: 'eur', offered: true });
    for (const planId of ['euro', 'nowhere', 'starter']) {
      ports.known.met({ _id: tenant, planId });
      const operationId = `op-credit-${planId}`;
      expect(await runOperation(ports, credit({ operationId }))).toMatchObject({
        kind: 'succeeded',
        operation: { result: { currency: 'usd' } },
      });
      expect(ports.known.planOf(tenant)).toBe('starter');
    }
  });

  it('has one effect however many identical requests race', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const answers = await Promise.all(Array.from({ length: 50 }, () => runOperation(ports, credit())));
    expect(world.provider.ledger()).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === 'succeeded').length).toBeGreaterThanOrEqual(1);
    expect(new Set(answers.map((answer) => (answer.kind === 'refused' ? answer.refusal.code : answer.kind)))).toEqual(
      new Set(['succeeded', 'operation_running']),
    );
  });

  it('stops for good when the answer is lost, and alerts', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    world.provider.failNext('lost_answer_after_effect');
    expect((await runOperation(ports, credit())).kind).toBe('stopped');
    expect(await runOperation(ports, credit())).toMatchObject({
      kind: 'refused',
      refusal: { code: 'reconciliation_required' },
    });
    expect(world.provider.sends()).toHaveLength(1);
    expect(world.published).toMatchObject([
      {
        id: 'alert:operator:operation:op-credit-0001:1',
        subject: 'alert.reconciliation_required.operator.operation',
        body: { id: 'op-credit-0001', tenantId: tenant },
      },
    ]);
  });

  it('fails provably while the provider is unreachable, and succeeds on the repeat', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    world.provider.setDown(true);
    expect(await runOperation(ports, credit())).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'provider_unavailable' } },
    });
    world.provider.setDown(false);
    expect(await runOperation(ports, credit())).toMatchObject({
      kind: 'succeeded',
      operation: { attempts: [{ outcome: 'failed' }, { outcome: 'succeeded' }] },
    });
    expect(world.provider.ledger()).toHaveLength(1);
  });

  it('is refused for a workspace without a customer, and for one that does not exist', async () => {
    const world = await createOperatorWorld({ provider: {} });
    const { ports } = bootOperator(world, 1);
    expect(await runOperation(ports, credit())).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'no_provider_customer' } },
    });
    expect(await runOperation(ports, credit({ operationId: 'op-credit-0002', tenantId: 'unknown' }))).toEqual({
      kind: 'no_such_workspace',
    });
    expect(world.operations()).toHaveLength(1);
  });
});

describe('a suspension', () => {
  it('closes access before the provider and the consumers hear of it, and ends with the receipts', async () => {
    const world = await createOperatorWorld();
    const life = bootOperator(world, 1);
    expect((await runOperation(life.ports, suspend)).kind).toBe('unfinished');
    expect(world.subscription(tenant)).toMatchObject({ access: { state: 'closed' }, transition: { kind: 'suspend' } });
    expect(world.published).toMatchObject([{ subject: 'lifecycle.message.suspended' }]);
    await deliverSettlements(world, life);
    expect(world.operations()[0]).toMatchObject({
      status: 'succeeded',
      lifecycle: { receipts: [{ consumer: 'storage' }] },
    });
    expect(world.subscription(tenant)).toMatchObject({ status: 'suspended', access: { state: 'closed' } });
    expect(world.subscription(tenant)).not.toHaveProperty('transition');
    expect(await life.ports.operations.outbox.pending(10)).toEqual([]);
  });

  it('ends by a waived receipt, and its journal and its view say for good whose, by whom and why', async () => {
    const world = await createOperatorWorld();
    const life = bootOperator(world, 1);
    await runOperation(life.ports, suspend);
    const waived = {
      consumer: 'storage',
      by: 'ann@example.com',
      reason: 'its data was dropped with ticket 4711',
      waivedAt: '2026-01-02T00:00:00.000Z',
    };
    const [settled] = world.settlements.splice(0);
    world.settlements.push({ ...settled!, receipts: [], waived: [waived] });
    await deliverSettlements(world, life);
    const [operation] = world.operations();
    expect(operation).toMatchObject({ status: 'succeeded', lifecycle: { receipts: [], waived: [waived] } });
    expect(operationViewSchema.parse(operationView(operation!)).lifecycle).toMatchObject({ waived: [waived] });
    expect(world.subscription(tenant)).toMatchObject({ status: 'suspended', access: { state: 'closed' } });
  });

  it('gives access back when the provider refuses', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    world.provider.failNext('rate_limited');
    expect((await runOperation(ports, suspend)).kind).toBe('failed');
    expect(world.subscription(tenant)).toMatchObject({ status: 'active', access: { state: 'open' } });
    expect(world.published).toEqual([]);
  });

  it('keeps access closed and the transition pending when the outcome is unknown', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    world.provider.failNext('timeout_after_effect');
    expect((await runOperation(ports, suspend)).kind).toBe('stopped');
    expect(world.subscription(tenant)).toMatchObject({
      access: { state: 'closed' },
      transition: { operationId: suspend.operationId },
    });
    expect(await runOperation(ports, { ...suspend, operationId: 'op-suspend-002' })).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'transition_pending' } },
    });
  });

  it('skips the provider for a workspace without a subscription there, and says so', async () => {
    const world = await createOperatorWorld({ provider: { customerId: 'cus_acme' } });
    await runOperation(bootOperator(world, 1).ports, suspend);
    expect(world.operations()[0]?.attempts[0]?.providerCalls).toMatchObject([
      { step: 'pause_collection', skipped: expect.any(String) },
    ]);
    expect(world.provider.sends()).toEqual([]);
  });
});

describe('a reactivation', () => {
  async function suspended() {
    const world = await createOperatorWorld();
    const life = bootOperator(world, 1);
    await runOperation(life.ports, suspend);
    await deliverSettlements(world, life);
    return { world, life };
  }

  it('opens access only after every receipt', async () => {
    const { world, life } = await suspended();
    expect((await runOperation(life.ports, reactivate)).kind).toBe('unfinished');
    expect(world.subscription(tenant)?.access.state).toBe('closed');
    await deliverSettlements(world, life);
    expect(world.subscription(tenant)).toMatchObject({ status: 'active', access: { state: 'open' } });
    expect(world.provider.ledger().map(({ step }) => step)).toEqual(['pause_collection', 'resume_collection']);
  });

  it('stays closed when the provider refuses after the receipts, and finishes on the repeat without a second message', async () => {
    const { world, life } = await suspended();
    world.provider.failNext('rate_limited', { step: 'resume_collection' });
    await runOperation(life.ports, reactivate);
    await deliverSettlements(world, life);
    expect(world.operations()[1]).toMatchObject({ status: 'failed', error: { code: 'provider_unavailable' } });
    expect(world.subscription(tenant)?.access.state).toBe('closed');
    expect((await runOperation(life.ports, reactivate)).kind).toBe('succeeded');
    expect(world.subscription(tenant)?.access.state).toBe('open');
    expect(world.published.filter(({ subject }) => subject.includes('reactivation'))).toHaveLength(1);
  });

  it('is refused for a workspace that is not suspended', async () => {
    const world = await createOperatorWorld();
    expect(await runOperation(bootOperator(world, 1).ports, reactivate)).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'not_suspended' } },
    });
  });
});
