/** What a person's credits reserve of the day: which part, in which record, and what is known when it cannot be written. */
import { contractOf, operationActions } from '@platform/contracts-operator';
import { losingWrites } from '@platform/durable/testing';
import { plansCollection } from '../../catalogue/store/plans';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { creditPartsMax, type CreditPart } from '../domain/credit-allowance';
import type { CreditApproval, OperationRequest } from '../domain/operation';
import { creditAllowancesCollection } from '../store/credit-allowances';
import { exampleRequest } from '../testing/example-worlds';
import type { OperatorPorts } from './ports';
import { previewAction } from './preview-action';
import { runOperation } from './run-operation';
import { judgeCreditLimit } from './take-credit-part';

const limit = 1_000;
const credit = (n: number, amountCents: number, change: Partial<OperationRequest> = {}): OperationRequest => ({
  ...exampleRequest('credit_customer'),
  operationId: `op-limited-000${n}`,
  values: { amountCents, reason: 'outage' },
  actor: { id: 'sue', email: 'sue@platform.example' },
  role: 'support',
  ...change,
});
const boot = (world: OperatorWorld) => bootOperator(world, 1, { creditsPerDay: { support: limit } }).ports;
const allowances = (world: OperatorWorld) => world.store.collection(creditAllowancesCollection);
const id = '2026-01-01:usd:sue';

/** The ports with these answers of two people, and which operations they were asked about. */
function approving(ports: OperatorPorts, approval: CreditApproval | null) {
  const asked: string[] = [];
  const approvalOf = async ({ operationId }: { readonly operationId: string }) => (asked.push(operationId), approval);
  return { asked, ports: { ...ports, creditLimits: { ...ports.creditLimits!, approvalOf } } };
}

const approval: CreditApproval = { proposal: 'a'.repeat(64), proposedBy: { id: 'sue' }, approvedBy: { id: 'tom' } };

async function withParts(parts: readonly CreditPart[]) {
  const world = await createOperatorWorld();
  await allowances(world).insert({ _id: id, person: 'sue', day: '2026-01-01', currency: 'usd', parts });
  return { world, ports: boot(world) };
}

describe('the part of a credit', () => {
  it('is kept by person, day and currency', async () => {
    const world = await createOperatorWorld();
    await runOperation(boot(world), credit(1, 600));
    expect(allowances(world).all()).toMatchObject([
      {
        _id: id,
        person: 'sue',
        day: '2026-01-01',
        currency: 'usd',
        parts: [{ operationId: 'op-limited-0001', attempt: 1, amountCents: 600 }],
      },
    ]);
  });

  it('is reserved once more, with its number, by each attempt', async () => {
    const world = await createOperatorWorld();
    const ports = boot(world);
    world.provider.failNext('rate_limited');
    await runOperation(ports, credit(1, 600));
    expect((await runOperation(ports, credit(1, 600))).kind).toBe('succeeded');
    expect(allowances(world).all()).toMatchObject([
      { parts: [{ operationId: 'op-limited-0001', attempt: 2, amountCents: 600 }] },
    ]);
  });

  it('is not written again for the same attempt and the same amount, and replaced for another', async () => {
    const { world, ports } = await withParts([{ operationId: 'op-limited-0001', attempt: 1, amountCents: 600 }]);
    const { revision } = allowances(world).all()[0]!;
    expect(await judgeCreditLimit(ports, credit(1, 600), 'starter', 1)).toEqual({});
    expect(allowances(world).all()).toMatchObject([{ revision }]);
    expect(await judgeCreditLimit(ports, credit(1, 700), 'starter', 1)).toEqual({});
    expect(allowances(world).all()).toMatchObject([{ parts: [{ attempt: 1, amountCents: 700 }] }]);
    expect(await judgeCreditLimit(ports, credit(1, 700), 'starter', 2)).toEqual({});
    expect(allowances(world).all()).toMatchObject([{ parts: [{ attempt: 2, amountCents: 700 }] }]);
  });

  it('does not shrink for a second first request with the same id and a smaller amount', async () => {
    const world = await createOperatorWorld();
    const ports = boot(world);
    const answers = await Promise.all([900, 1].map((amountCents) => runOperation(ports, credit(1, amountCents))));
    const credited = Number(world.operations()[0]?.values['amountCents']);
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['refused', 'succeeded']);
    expect(allowances(world).all()[0]?.parts[0]?.amountCents).toBeGreaterThanOrEqual(credited);
    const second = await runOperation(ports, credit(2, 900));
    expect(second).toMatchObject({ kind: 'not_acceptable', refusal: { code: 'credit_limit_reached' } });
  });

  it.each([
    [2, 600],
    [1, 900],
  ])('of attempt %i with %i is kept for a late first request with less', async (attempt, amountCents) => {
    const part = { operationId: 'op-limited-0001', attempt, amountCents };
    const { world, ports } = await withParts([part]);
    expect(await judgeCreditLimit(ports, credit(1, 1), 'starter', 1)).toEqual({});
    expect(allowances(world).all()).toMatchObject([{ parts: [part] }]);
  });

  it('is one of the currency that an attempt has fixed, whatever the plan is at the repeat', async () => {
    const world = await createOperatorWorld();
    const ports = boot(world);
    world.provider.failNext('rate_limited');
    expect((await runOperation(ports, credit(1, 600))).kind).toBe('failed');
    expect((await runOperation(ports, credit(2, limit))).kind).toBe('succeeded');
    const euro = { _id: 'euro', name: 'Euro', amountCents: 0, currency: 'eur', offered: true };
    await world.store.collection(plansCollection).insert(euro);
    const subscriptions = world.store.collection(subscriptionsCollection);
    const read = (await subscriptions.findById(tenant))!;
    await subscriptions.mutate(read, { ...read, planId: euro._id });
    expect(await runOperation(ports, credit(1, 600))).toMatchObject({
      kind: 'not_acceptable',
      refusal: { code: 'credit_limit_reached' },
    });
    expect(world.provider.ledger().map(({ amount }) => amount)).toEqual([-limit]);
  });

  it('that cannot be recorded keeps the credit from beginning', async () => {
    const world = await createOperatorWorld();
    const { ports, asked } = approving(boot(world), approval);
    const allowances = losingWrites(ports.creditLimits.allowances);
    const answer = await runOperation(
      { ...ports, creditLimits: { ...ports.creditLimits, allowances } },
      credit(1, 600),
    );
    expect(answer).toEqual({ kind: 'store_unavailable', detail: expect.any(String) as string });
    expect(world.operations()).toEqual([]);
    expect(asked).toEqual([]);
  });

  it.each<[string, Partial<OperationRequest>]>([
    ['a role without a limit', { role: 'platform_owner' }],
    ['no role', {}],
  ])('is not reserved for %s', async (_whose, change) => {
    const world = await createOperatorWorld();
    const { role: _role, ...plain } = credit(1, 2 * limit);
    expect((await runOperation(boot(world), { ...plain, ...change })).kind).toBe('succeeded');
    expect(allowances(world).all()).toEqual([]);
  });

  it('is not reserved where no limits are set', async () => {
    const world = await createOperatorWorld();
    expect((await runOperation(bootOperator(world, 1).ports, credit(1, 2 * limit))).kind).toBe('succeeded');
    expect(allowances(world).all()).toEqual([]);
  });

  it('is one of every action whose values have an amount, and of no other', async () => {
    const amounts = operationActions.flatMap((action) =>
      Object.entries(contractOf(action).values).flatMap(([name, { kind }]) => (kind === 'amount' ? [name] : [])),
    );
    expect(new Set(amounts)).toEqual(new Set(['amountCents']));
    const world = await createOperatorWorld();
    const suspend = { ...exampleRequest('suspend'), role: 'support' };
    expect((await runOperation(boot(world), suspend)).kind).toBe('unfinished');
    expect(allowances(world).all()).toEqual([]);
  });

  it('is not reserved on a plan that is not in the catalog, which refuses the credit itself', async () => {
    const world = await createOperatorWorld({ planId: 'forgotten' });
    expect((await runOperation(boot(world), credit(1, 600))).kind).toBe('failed');
    expect(allowances(world).all()).toEqual([]);
  });
});

describe('a credit above the limit', () => {
  it('passes with the approval of two people, which is recorded and applies to its repeats', async () => {
    const world = await createOperatorWorld();
    const { ports, asked } = approving(boot(world), approval);
    world.provider.failNext('rate_limited');
    expect((await runOperation(ports, credit(1, 2 * limit))).kind).toBe('failed');
    expect(world.operations()).toMatchObject([{ approval }]);
    expect(asked).toEqual(['op-limited-0001']);
    expect((await runOperation(ports, credit(1, 2 * limit))).kind).toBe('succeeded');
    expect(asked).toEqual(['op-limited-0001']);
    expect(allowances(world).all()).toEqual([]);
  });

  it('is refused where nothing can be signed, and names the amount and what is left', async () => {
    const world = await createOperatorWorld();
    const ports = boot(world);
    const { approvalOf: _unsigned, ...creditLimits } = ports.creditLimits!;
    await runOperation({ ...ports, creditLimits }, credit(1, 400));
    expect(await runOperation({ ...ports, creditLimits }, credit(2, 700))).toEqual({
      kind: 'not_acceptable',
      refusal: {
        code: 'credit_limit_reached',
        errors: [
          {
            pointer: '/amountCents',
            message: expect.stringMatching(/^7\.00 USD is more than the 6\.00 USD .* of the 10\.00 USD/) as string,
          },
        ],
      },
    });
  });

  it('shows nothing left, and no debt, where the day has more than the limit', async () => {
    const { ports } = await withParts([{ operationId: 'op-limited-0009', attempt: 1, amountCents: 5 * limit }]);
    const preview = await previewAction(ports, credit(1, 1));
    expect(preview?.amounts).toMatchObject({ creditLeft: { amountCents: 0, currency: 'usd' } });
    expect(preview?.refusal).toMatchObject({
      code: 'credit_limit_reached',
      errors: [{ message: expect.stringContaining('the 0.00 USD that are left') as string }],
    });
  });
});

describe('the preview of a credit', () => {
  it('passes with exactly what is left, and not with one cent more', async () => {
    const { ports } = await withParts([{ operationId: 'op-limited-0009', attempt: 1, amountCents: 400 }]);
    expect(await previewAction(ports, credit(1, 600))).toMatchObject({
      refusal: null,
      amounts: { creditLeft: { amountCents: 600 } },
    });
    expect((await previewAction(ports, credit(1, 601)))?.refusal).toMatchObject({ code: 'credit_limit_reached' });
  });

  it('does not count its own part', async () => {
    const { ports } = await withParts([{ operationId: 'op-limited-0001', attempt: 1, amountCents: 900 }]);
    expect((await previewAction(ports, credit(1, 900)))?.amounts).toMatchObject({ creditLeft: { amountCents: limit } });
  });

  it('names what is left where nothing can be signed', async () => {
    const { ports } = await withParts([{ operationId: 'op-limited-0009', attempt: 1, amountCents: 400 }]);
    const { approvalOf: _unsigned, ...creditLimits } = ports.creditLimits!;
    const preview = await previewAction({ ...ports, creditLimits }, credit(1, 2 * limit));
    expect(preview).toMatchObject({
      refusal: { code: 'credit_limit_reached' },
      amounts: { creditLeft: { amountCents: 600 } },
    });
  });

  it('names no limit where two people have approved it', async () => {
    const world = await createOperatorWorld();
    const { ports } = approving(boot(world), approval);
    const preview = await previewAction(ports, credit(1, 2 * limit));
    expect(preview?.refusal).toBeNull();
    expect(preview?.amounts).not.toHaveProperty('creditLeft');
  });
});

describe('a day with the most parts that a record takes', () => {
  const parts = (amountCents: number) =>
    Array.from({ length: creditPartsMax }, (_, at) => ({ operationId: `op-part-${at}`, attempt: 1, amountCents }));

  it('takes no further credit', async () => {
    const { world, ports } = await withParts(parts(0));
    expect((await runOperation(ports, credit(1, 1))).kind).toBe('not_acceptable');
    expect(world.operations()).toEqual([]);
  });

  it.each([1, limit])('takes one of %i where an earlier credit has given its part back', async (amountCents) => {
    const { world, ports } = await withParts(parts(0).slice(1));
    world.provider.failNext('rate_limited');
    expect((await runOperation(ports, credit(1, 1))).kind).toBe('failed');
    expect(allowances(world).all()[0]?.parts).toHaveLength(creditPartsMax);
    expect((await runOperation(ports, credit(2, amountCents))).kind).toBe('succeeded');
    const kept = allowances(world).all()[0]!.parts;
    expect(kept).toHaveLength(creditPartsMax);
    expect(kept.at(-1)).toEqual({ operationId: 'op-limited-0002', attempt: 1, amountCents });
  });

  it('reads no operation while the sum fits', async () => {
    const { ports } = await withParts([{ operationId: 'op-limited-0009', attempt: 1, amountCents: 400 }]);
    const read: string[] = [];
    const operations = {
      ...ports.operations,
      findById: async (one: string) => (read.push(one), ports.operations.findById(one)),
    };
    expect(await judgeCreditLimit({ ...ports, operations }, credit(1, 600), 'starter', 1)).toEqual({});
    expect(read).toEqual([]);
    await judgeCreditLimit({ ...ports, operations }, credit(2, 1), 'starter', 1);
    expect(read).toEqual(['op-limited-0009', 'op-limited-0001']);
  });

  it('is that of a workspace’s currency', async () => {
    const { world, ports } = await withParts([{ operationId: 'op-limited-0009', attempt: 1, amountCents: limit }]);
    const plans = {
      ...ports.plans,
      findById: async (one: string) => ({ ...(await ports.plans.findById(one))!, currency: 'eur' }),
    };
    expect(await judgeCreditLimit({ ...ports, plans }, credit(1, limit), 'starter', 1)).toEqual({});
    expect(
      allowances(world)
        .all()
        .map(({ _id }) => _id),
    ).toEqual([id, '2026-01-01:eur:sue']);
    expect(world.subscription(tenant)?.planId).toBe('starter');
  });
});
