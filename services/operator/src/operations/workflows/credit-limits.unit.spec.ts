/**
 * The limit of one person's credits on a day: of two credits that together exceed it only one passes, whichever
 * replicas run them and wherever they crash. A part is released only when its credit is proven not to have happened.
 */
import { StoreUnavailableError } from '@platform/mongo';
import { assertCaught, assertNoViolations, instrument, runSweep, storeFaults, type Scenario } from '@platform/testing';
import { createTestGateway } from '../../testing/test-gateway';
import { bootOperator, createOperatorWorld, type OperatorLife, type OperatorWorld } from '../../testing/operator-world';
import type { OperationRequest } from '../domain/operation';
import { exampleRequest } from '../testing/example-worlds';
import { recordEnd } from '../testing/record-end';
import { unlessAway } from '../testing/submit-operation';
import { creditAllowancesCollection } from '../store/credit-allowances';
import { runOperation } from './run-operation';

const limit = 1_000;
const creditsPerDay = { support: limit };
const credit = (n: number, amountCents: number, change: Partial<OperationRequest> = {}): OperationRequest => ({
  ...exampleRequest('credit_customer'),
  operationId: `op-limited-000${n}`,
  values: { amountCents, reason: 'outage' },
  actor: { id: 'sue', email: 'sue@platform.example' },
  role: 'support',
  ...change,
});
const boot = (world: OperatorWorld, incarnation = 1) => bootOperator(world, incarnation, { creditsPerDay }).ports;
const credited = ({ provider }: OperatorWorld): number =>
  provider.ledger().reduce((sum, { amount = 0 }) => sum - amount, 0);

describe('the limit of credits per person and day', () => {
  it('refuses what is more than is left, says how much that is, and writes no intent', async () => {
    const world = await createOperatorWorld();
    expect((await runOperation(boot(world), credit(1, 700))).kind).toBe('succeeded');
    const refused = await runOperation(boot(world), credit(2, 400));
    expect(refused).toMatchObject({
      kind: 'not_acceptable',
      refusal: {
        code: 'credit_limit_reached',
        errors: [{ message: expect.stringContaining('the 3.00 USD that are left of the 10.00 USD') as string }],
      },
    });
    expect(world.operations()).toHaveLength(1);
    expect((await runOperation(boot(world), credit(3, 300))).kind).toBe('succeeded');
    expect(credited(world)).toBe(limit);
  });

  it('names the largest credit at once in the currency of the workspace, and writes no intent', async () => {
    const world = await createOperatorWorld();
    expect(await runOperation(boot(world), credit(1, 1_000_001))).toMatchObject({
      kind: 'not_acceptable',
      refusal: {
        code: 'credit_too_large',
        errors: [{ pointer: '/amountCents', message: 'must be at most 10,000.00 USD' }],
      },
    });
    expect(world.operations()).toEqual([]);
  });

  it('asks for two people only when it refuses, and for no other action', async () => {
    const world = await createOperatorWorld();
    const ports = boot(world);
    const asked: string[] = [];
    const approvalOf = async ({ operationId }: { readonly operationId: string }) => {
      asked.push(operationId);
      return null;
    };
    const watched = { ...ports, creditLimits: { ...ports.creditLimits!, approvalOf } };
    await runOperation(watched, credit(1, 700));
    await runOperation(watched, { ...exampleRequest('suspend'), operationId: 'op-limited-0009' });
    expect(asked).toEqual([]);
    await runOperation(watched, credit(2, 400));
    expect(asked).toEqual(['op-limited-0002']);
  });

  it('lets only one of two credits pass that are too much together, on two replicas at once', async () => {
    const world = await createOperatorWorld();
    const answers = await Promise.all([
      runOperation(boot(world, 1), credit(1, 600)),
      runOperation(boot(world, 2), credit(2, 600)),
    ]);
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['not_acceptable', 'succeeded']);
    expect(credited(world)).toBe(600);
  });

  it('is each person’s own, begins again with the day, and does not bind roles without one', async () => {
    const world = await createOperatorWorld();
    const tom = { id: 'tom', email: 'tom@platform.example' };
    for (const request of [
      credit(1, limit),
      credit(2, limit, { actor: tom }),
      credit(3, limit, { role: 'platform_owner' }),
    ])
      expect((await runOperation(boot(world), request)).kind).toBe('succeeded');
    expect((await runOperation(boot(world), credit(4, 1))).kind).toBe('not_acceptable');
    world.clock.advance(86_400_000);
    expect((await runOperation(boot(world), credit(5, limit))).kind).toBe('succeeded');
  });

  it('gives back what is proven not to have happened, and keeps what is not known', async () => {
    const world = await createOperatorWorld();
    world.provider.failNext('rate_limited');
    expect((await runOperation(boot(world), credit(1, limit))).kind).toBe('failed');
    world.provider.failNext('lost_answer_before_effect');
    expect((await runOperation(boot(world), credit(2, limit))).kind).toBe('stopped');
    expect((await runOperation(boot(world), credit(3, 1))).kind).toBe('not_acceptable');
    // The first credit may be repeated, and then it needs its part again.
    expect((await runOperation(boot(world), credit(1, limit))).kind).toBe('not_acceptable');
  });

  it('gives back what an investigation found not to have happened, also where the process ended before it knew', async () => {
    const world = await createOperatorWorld();
    const { operations, ...ports } = boot(world);
    const dying = { ...operations, mutate: () => Promise.reject(new Error('the process has ended')) };
    world.provider.failNext('lost_answer_before_effect');
    await expect(runOperation({ ...ports, operations: dying }, credit(1, limit))).rejects.toThrow(/process has ended/);
    expect(world.operations()).toMatchObject([{ status: 'running' }]);
    expect((await runOperation(boot(world), credit(2, limit))).kind).toBe('not_acceptable');
    expect(await recordEnd(world, 'op-limited-0001', 'not_applied')).toBe(true);
    expect((await runOperation(boot(world), credit(2, limit))).kind).toBe('succeeded');
    expect(credited(world)).toBe(limit);
  });

  it('counts a repeat of the same credit once', async () => {
    const world = await createOperatorWorld();
    for (let repeat = 0; repeat < 3; repeat += 1)
      expect((await runOperation(boot(world), credit(1, 600))).kind).toBe('succeeded');
    expect(world.store.collection(creditAllowancesCollection).all()).toMatchObject([{ parts: [{ amountCents: 600 }] }]);
  });

  it('is in the preview, with the refusal', async () => {
    const world = await createOperatorWorld();
    const life = bootOperator(world, 1, { creditsPerDay });
    const gateway = createTestGateway(world, life);
    const ask = (path: string, amountCents: number) =>
      gateway.request('POST', `/api/saas/workspaces/acme/balance-credit${path}`, {
        role: 'support',
        body: { operationId: 'op-previewed-1', amountCents, reason: 'outage' },
      });
    expect((await ask('/preview', 700)).json()).toMatchObject({
      amounts: { creditLeft: { amountCents: 1_000, currency: 'usd' } },
      consequences: expect.arrayContaining(['You may credit 10.00 USD today, this one included.']) as string[],
    });
    expect((await ask('', 700)).status).toBe(200);
    const next = await gateway.request('POST', '/api/saas/workspaces/acme/balance-credit/preview', {
      role: 'support',
      body: { amountCents: 301, reason: 'outage' },
    });
    expect(next.json()).toMatchObject({
      amounts: { creditLeft: { amountCents: 300 } },
      refusal: { code: 'credit_limit_reached' },
    });
    const owner = await gateway.request('POST', '/api/saas/workspaces/acme/balance-credit/preview', {
      body: { amountCents: 301, reason: 'outage' },
    });
    expect(owner.json()).not.toHaveProperty('amounts.creditLeft');
  });
});

describe('the crash sweep of limited credits', () => {
  /** `blind`: a build that forgets the parts that were reserved. */
  const scenario = (blind = false): Scenario<OperatorWorld, OperatorLife> => ({
    name: 'two credits of one person',
    createWorld: () => createOperatorWorld(),
    boot: async (world, { tape, incarnation }) => {
      const life = bootOperator(world, incarnation, { store: instrument('store', world.store, tape), creditsPerDay });
      const { creditLimits } = life.ports;
      if (!blind || !creditLimits) return life;
      const allowances = { ...creditLimits.allowances, name: creditLimits.allowances.name, findById: async () => null };
      const insert: typeof allowances.insert = async (draft) => ({ outcome: 'applied', record: draft as never });
      return {
        ...life,
        ports: { ...life.ports, creditLimits: { ...creditLimits, allowances: { ...allowances, insert } } },
      };
    },
    act: async ({ ports }) => void (await unlessAway(runOperation(ports, credit(1, 600)))),
    recover: async ({ ports }) => {
      await unlessAway(runOperation(ports, credit(2, 600)));
      await unlessAway(runOperation(ports, credit(3, 400)));
    },
    check: (world) => (credited(world) > limit ? [`${credited(world)} were credited, and ${limit} may be`] : []),
    faultsFor: storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
  });

  it('finds no day on which more was credited than may be, whatever fails wherever', async () => {
    const result = await runSweep(scenario());
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(8);
  });

  it('notices a build that forgets what was credited before', async () => {
    await assertCaught(scenario(true), /were credited, and 1000 may be/);
  });
});
