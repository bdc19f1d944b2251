/**
 * Each day is compared with the provider once, by reads alone, whichever replicas run. Law-breaking builds show what
 * the comparison detects: an effect without its intent, a journal entry without its effect, a wrong amount.
 */
import { succeeded, unknown } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import type { CallAnswer, PaymentProvider, PreparedCall, ProviderReads } from '@platform/payment-provider';
import type { Effect } from '@platform/payment-provider/effects';
import { assertNoViolations, instrument, runSweep, storeFaults } from '@platform/testing';
import { mirrorSubscription } from '../../mirror/workflows/mirror-subscription';
import { exampleRequest } from '../../operations/testing/example-worlds';
import { unlessAway } from '../../operations/testing/submit-operation';
import { lookAtPayment } from '../../operations/workflows/await-payment';
import { runOperation } from '../../operations/workflows/run-operation';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { dayMs, differencesOf, reconciliationPorts, reconciliationsOf } from '../testing/reconciliation-world';
import { closeDifference } from './keep-differences';
import { createDailyReconciliation, secondsBehind } from './run-reconciliation';

const hour = 3_600_000;
const credit = exampleRequest('credit_customer');
const upgrade = exampleRequest('upgrade_plan');

/** A credit and an upgrade on the compared day, whose provider events have arrived. */
async function worked(
  change?: (world: OperatorWorld, call: PreparedCall<unknown>, effect: Effect) => Promise<CallAnswer<unknown>>,
): Promise<OperatorWorld> {
  const world = await createOperatorWorld();
  world.provider.seed({ amounts: { price_starter: 1_900, price_pro: 4_900 } });
  const built = change && { provider: buildOf(world, change) };
  const { ports } = bootOperator(world, 1, built);
  expect((await runOperation(ports, credit)).kind).toBe('succeeded');
  expect((await runOperation(ports, upgrade)).kind).toBe('succeeded');
  await mirrorSubscription(bootOperator(world, 1).ports, tenant);
  world.clock.advance(dayMs + 2 * hour);
  return world;
}

/** A build of the platform whose calls go through `change`. */
function buildOf(world: OperatorWorld, change: NonNullable<Parameters<typeof worked>[0]>): PaymentProvider {
  return {
    ...world.provider,
    prepare: ((intent, effect) => {
      const call = world.provider.prepare(intent, effect);
      return { description: call.description, send: () => change(world, call, effect) };
    }) as PaymentProvider['prepare'],
  };
}

const team = { _id: 'team', name: 'Team', amountCents: 9_900, currency: 'usd', priceId: 'price_team' };
const creditOf = (amountCents: number) =>
  ({ step: 'balance_credit', customerId: 'cus_acme', amountCents, currency: 'usd', description: 'goodwill' }) as const;

/** A credit that a person makes in the provider's dashboard. */
const byHand = ({ provider }: OperatorWorld, amount: number) =>
  provider.seed({ transactions: [{ id: 'cbtxn_by_hand', customerId: 'cus_acme', amount }] });

const seenIn = (world: OperatorWorld) =>
  differencesOf(world).map(({ kind, money, operationId }) => [kind, operationId, money?.amountCents]);

const reconcile = (world: OperatorWorld, provider?: ProviderReads) =>
  createDailyReconciliation(reconciliationPorts(world, provider && { provider }))();

describe('the daily reconciliation', () => {
  it('finds nothing where the platform kept its laws, and writes down that it looked', async () => {
    const world = await worked();
    expect(await reconcile(world)).toMatchObject({ kind: 'completed', opened: 0 });
    expect(differencesOf(world)).toEqual([]);
    expect(reconciliationsOf(world)).toMatchObject([{ status: 'completed', examined: 1, differing: 0 }]);
    expect(await reconcile(world)).toEqual({ kind: 'nothing_due' });
  });

  it('notices a build that has an effect without an intent', async () => {
    const world = await worked(async ({ provider }, call, { step }) => {
      if (step === 'balance_credit') await provider.prepare({ operationId: 'op-of-nothing-1' }, creditOf(700)).send();
      return call.send();
    });
    await reconcile(world);
    expect(seenIn(world)).toEqual([['effect_without_entry', 'op-of-nothing-1', 700]]);
  });

  it('notices a build that records a success and sends nothing', async () => {
    const world = await worked(async (_world, call, { step }) =>
      step === 'balance_credit'
        ? {
            ...succeeded({ id: 'cbtxn_invented' }),
            evidence: { phase: 'response_read', httpStatus: 200, objectId: 'cbtxn_invented' },
          }
        : call.send(),
    );
    await reconcile(world);
    expect(seenIn(world)).toEqual([['entry_without_effect', credit.operationId, credit.values['amountCents']]]);
  });

  it('notices a build that sends another amount', async () => {
    const world = await worked(async ({ provider }, call, effect) =>
      effect.step === 'balance_credit'
        ? (provider
            .prepare({ operationId: credit.operationId }, { ...effect, amountCents: effect.amountCents * 10 })
            .send() as Promise<CallAnswer<unknown>>)
        : call.send(),
    );
    await reconcile(world);
    expect(seenIn(world)).toEqual([['amount_differs', credit.operationId, Number(credit.values['amountCents']) * 10]]);
  });

  it('notices a build that repeats a credit after the key of the first one has expired', async () => {
    const world = await worked();
    await reconcile(world);
    const effect = { ...creditOf(Number(credit.values['amountCents'])), description: String(credit.values['reason']) };
    await world.provider.prepare({ operationId: credit.operationId }, effect).send();
    world.clock.advance(dayMs);
    await reconcile(world);
    expect(seenIn(world)).toEqual([['effect_twice', credit.operationId, effect.amountCents]]);
  });

  it('notices a charge by an operation that charges nothing, and what was made outside of the platform', async () => {
    const world = await worked();
    const suspended = exampleRequest('suspend');
    await runOperation(bootOperator(world, 1).ports, suspended);
    const change = {
      step: 'change_price',
      subscriptionId: 'sub_acme',
      itemId: 'si_acme',
      priceId: 'price_starter',
    } as const;
    await world.provider.prepare({ operationId: suspended.operationId }, change).send();
    byHand(world, -4_200);
    world.clock.advance(dayMs);
    await reconcile(world);
    expect(seenIn(world)).toEqual(
      expect.arrayContaining([
        ['effect_without_entry', suspended.operationId, -3_000],
        ['made_outside', undefined, 4_200],
      ]),
    );
  });

  it('takes a change that was held for its own operation, whether it waited or was applied at once', async () => {
    for (const waits of [true, false]) {
      const world = await createOperatorWorld();
      world.provider.seed({ priceIds: ['price_team'], amounts: { price_starter: 1_900, price_pro: 4_900 } });
      const { ports } = bootOperator(world, 1);
      await ports.plans.insert({ ...team, offered: true });
      expect((await runOperation(ports, upgrade)).kind).toBe('succeeded');
      world.clock.advance(hour);
      if (waits) world.provider.askForConfirmation('sub_acme');
      else world.provider.failNext('authentication_required', { step: 'change_price' });
      const next = { ...upgrade, operationId: 'op-upgrade-0002', values: { planId: 'team' } };
      const answer = await runOperation(ports, next);
      expect(answer.kind).toBe(waits ? 'to_confirm' : 'succeeded');
      if (waits) {
        world.provider.confirmPayment(world.operations().find(({ payment }) => payment)!.payment!.invoiceId);
        await lookAtPayment(ports, next.operationId);
      }
      await mirrorSubscription(ports, tenant);
      world.clock.advance(dayMs + 2 * hour);
      await reconcile(world);
      expect(seenIn(world)).toEqual([]);
      expect(reconciliationsOf(world)).toMatchObject([{ examined: 1 }]);
    }
  });

  it('opens a case once, whatever rounds and replicas see it, and leaves closed what a person closed', async () => {
    const world = await worked();
    byHand(world, -100);
    world.clock.advance(dayMs);
    await Promise.all([reconcile(world), reconcile(world)]);
    expect(seenIn(world)).toHaveLength(1);
    expect(reconciliationsOf(world)).toMatchObject([{ status: 'completed', examined: 1, differing: 1 }]);
    const id = differencesOf(world)[0]!._id;
    const end = { by: 'ann@example.com', reason: 'a goodwill of the account manager' };
    expect((await closeDifference(reconciliationPorts(world), id, end)).ok).toBe(true);
    expect((await closeDifference(reconciliationPorts(world), id, end)).ok).toBe(false);
    world.clock.advance(dayMs);
    await reconcile(world);
    expect(differencesOf(world)).toMatchObject([{ status: 'closed', end: { by: end.by } }]);
  });

  it('opens a mirror whose price at the provider is in no plan of the catalog', async () => {
    const world = await worked();
    const read = await world.provider.retrieveSubscription('sub_acme');
    if (read.outcome !== 'succeeded') throw new Error('the subscription cannot be read');
    world.provider.seed({ subscriptions: [{ ...read.value, priceId: 'price_own' } as never] });
    await reconcile(world);
    expect(differencesOf(world)).toMatchObject([
      { kind: 'mirror_differs', atProvider: 'unlistedPriceId "price_own"', inPlatform: 'unlistedPriceId none' },
    ]);
  });

  it('opens a mirror that differs, closes it when it does not any more, and opens it again', async () => {
    const world = await worked();
    const { subscriptions } = bootOperator(world, 1).ports;
    const stale = async () => {
      const read = world.subscription()!;
      await subscriptions.mutate(read, { ...read, planId: 'starter' });
    };
    await stale();
    await reconcile(world);
    expect(differencesOf(world)).toMatchObject([
      { kind: 'mirror_differs', status: 'open', atProvider: 'planId "pro"', inPlatform: 'planId "starter"' },
    ]);
    await mirrorSubscription(bootOperator(world, 1).ports, tenant);
    world.clock.advance(dayMs);
    await reconcile(world);
    expect(differencesOf(world)).toMatchObject([{ status: 'closed', end: { by: 'reconciliation' } }]);
    await stale();
    world.clock.advance(dayMs);
    await reconcile(world);
    expect(differencesOf(world)).toMatchObject([{ status: 'open' }]);
  });

  it('only reads at the provider, whatever it finds', async () => {
    const world = await worked();
    byHand(world, -100);
    world.provider.seed({ subscriptions: [{ id: 'sub_second', customerId: 'cus_acme' }] });
    world.clock.advance(dayMs);
    const before = world.provider.sends().length;
    await reconcile(world);
    expect(seenIn(world).length).toBeGreaterThan(1);
    expect(world.provider.sends()).toHaveLength(before);
  });

  it('waits for a provider that is unreachable, and goes on; one workspace that cannot be read holds up no other', async () => {
    const world = await worked();
    world.provider.setDown(true);
    const round = createDailyReconciliation(reconciliationPorts(world));
    for (let look = 0; look < 8; look += 1) expect(await round()).toMatchObject({ kind: 'waits' });
    expect(differencesOf(world)).toEqual([]);
    world.provider.setDown(false);
    expect(await round()).toMatchObject({ kind: 'completed' });
    world.clock.advance(dayMs);
    const listInvoices = async () => unknown('the list has more than 10000 objects');
    const blind = createDailyReconciliation(
      reconciliationPorts(world, { provider: { ...world.provider, listInvoices } }),
    );
    for (let look = 0; look < 4; look += 1) expect(await blind()).toMatchObject({ kind: 'waits' });
    expect(await blind()).toMatchObject({ kind: 'completed' });
    expect(seenIn(world)).toEqual([['not_read', undefined, undefined]]);
  });

  it('takes the days that were missed as one period, and says how far it is behind', async () => {
    const world = await worked();
    const ports = reconciliationPorts(world);
    await createDailyReconciliation(ports)();
    world.clock.advance(3 * dayMs);
    expect(await secondsBehind(ports)).toBeGreaterThan(3 * 86_400);
    const [first] = reconciliationsOf(world);
    expect(await reconcile(world)).toMatchObject({ kind: 'completed', period: { from: first!.to } });
    expect(reconciliationsOf(world)).toHaveLength(2);
    expect(await secondsBehind(ports)).toBeLessThan(86_400 + 2 * 3_600);
  });
});

describe('the crash sweep of a reconciliation', () => {
  it('finds every difference once, whatever fails wherever', async () => {
    const result = await runSweep({
      name: 'daily reconciliation',
      createWorld: async () => {
        const world = await worked();
        byHand(world, -100);
        world.clock.advance(dayMs);
        return world;
      },
      boot: async (world, { tape }) => ({ store: instrument('store', world.store, tape) }),
      act: async ({ store }, world) =>
        void (await unlessAway(createDailyReconciliation(reconciliationPorts(world, { store }))())),
      recover: async (_life, world) => {
        // Two replicas; one of them has seen nothing of the first boot's work.
        await Promise.all([reconcile(world), reconcile(world)]);
      },
      check: (world) => {
        const records = reconciliationsOf(world);
        return [
          ...(differencesOf(world).length === 1 ? [] : [`${differencesOf(world).length} differences`]),
          ...(records.length === 1 && records[0]!.status === 'completed' ? [] : ['the day is not completed once']),
          ...(records[0]?.examined === 1 ? [] : ['a workspace was counted twice, or never']),
          ...(world.provider.sends().length === 2 ? [] : ['something was sent']),
        ];
      },
      faultsFor: storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
    });
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(5);
  });
});
