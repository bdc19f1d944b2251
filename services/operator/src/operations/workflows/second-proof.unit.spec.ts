/** The second proof of a resolution: what the provider shows, and what contradicts the outcome that a person claims. */
import type { FoundObject } from '@platform/payment-provider';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import type { Operation } from '../domain/operation';
import { at, attempt, inStatus, running } from '../testing/action-fixtures';
import { exampleRequest } from '../testing/example-worlds';
import { runOperation } from './run-operation';
import { readSecondProof } from './second-proof';

const applied = (providerObject: string | null = null) => ({ outcome: 'applied' as const, providerObject });
const notApplied = { outcome: 'not_applied' as const, providerObject: null };
const call = (step: string, outcome?: 'succeeded') => ({
  ...{ step, idempotencyKey: `k-${step}`, sentAt: new Date(0) },
  ...(outcome && { outcome }),
});
const called = (...calls: readonly ReturnType<typeof call>[]) => ({
  attempts: [attempt({ providerCalls: [...calls] })],
});
const stopped = (action: Parameters<typeof running>[0], change: Parameters<typeof running>[1] = {}) =>
  inStatus(running(action, { tenantId: tenant, ...change }), 'reconciliation_required', {
    error: { code: 'c', message: 'm' },
  });

/** A credit that took effect and whose answer was lost. */
async function stoppedCredit() {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  world.provider.failNext('lost_answer_after_effect');
  await runOperation(ports, exampleRequest('credit_customer'));
  const operation = world.operations()[0]!;
  const { findings } = await readSecondProof(ports, operation, notApplied);
  return { world, ports, operation, shown: findings[0]!.objects[0]! };
}

const proofOf = async (operation: Operation, said: Parameters<typeof readSecondProof>[2] = notApplied) =>
  readSecondProof(bootOperator(await createOperatorWorld(), 1).ports, operation, said);

/** Ports of a world whose provider notes each customer that it is asked for. */
function notingCustomers(world: OperatorWorld) {
  const { ports } = bootOperator(world, 2);
  const asked: string[] = [];
  const provider: typeof ports.provider = {
    ...ports.provider,
    retrieveCustomer: (id) => (asked.push(id), ports.provider.retrieveCustomer(id)),
  };
  return { ports: { ...ports, provider }, asked };
}

describe('the second proof', () => {
  it('has what the provider shows of the calls, and says nothing more of an object that it shows', async () => {
    const { ports, operation, shown } = await stoppedCredit();
    const proof = await readSecondProof(ports, operation, applied(shown.id));
    expect(proof.findings).toMatchObject([{ step: 'balance_credit', source: 'answered', objects: [shown] }]);
    expect(proof).not.toHaveProperty('named');
    expect(proof).toMatchObject({ contradiction: null, makesWay: [] });
    expect(proof.misfit?.(shown)).toBeNull();
  });

  it.each([
    ['an object of another customer', 'cus_other', /cus_other does not exist at the provider/],
    ['an entry that its customer does not have', 'cbtxn_9', /cbtxn_9 does not exist with the customer cus_acme/],
    ['its own customer', 'cus_acme', /cus_acme exists, and does not show this effect/],
  ])('says what is known of an object that was named and not found: %s', async (_which, named, text) => {
    const { ports, operation } = await stoppedCredit();
    const proof = await readSecondProof(ports, operation, applied(named));
    expect(proof.named).toMatch(text);
  });

  it('asks for no object when none was named, or when the effect is said not to have happened', async () => {
    const { world, operation } = await stoppedCredit();
    const { ports, asked } = notingCustomers(world);
    for (const said of [applied(), notApplied, { outcome: 'not_applied' as const, providerObject: 'cus_other' }])
      expect(await readSecondProof(ports, operation, said)).not.toHaveProperty('named');
    expect(asked).toEqual([]);
    await readSecondProof(ports, operation, applied('cus_other'));
    expect(asked).toEqual(['cus_other']);
  });

  const invoice = (status: string) => ({ outcome: 'succeeded', value: { id: 'in_1', status } });
  const saying = (text: string) => expect.stringContaining(text) as string;
  const unreadable = { contradiction: null, unread: saying('Its invoice in_1 could not be read') };
  it.each<[string, object, object, object]>([
    ['paid', invoice('paid'), { contradiction: saying('its invoice in_1 is paid') }, { contradiction: null }],
    [
      'open',
      invoice('open'),
      { contradiction: null, mayStillCome: saying('in_1 is open and can still be paid') },
      { contradiction: saying('its invoice in_1 is open') },
    ],
    ['void', invoice('void'), { contradiction: null }, { contradiction: saying('its invoice in_1 is void') }],
    ['not read', { outcome: 'unknown', reason: 'no answer' }, unreadable, unreadable],
    [
      'not there',
      { outcome: 'failed', code: 'not_found', message: 'no such invoice' },
      { contradiction: null },
      { contradiction: null },
    ],
  ])('reads the invoice of a held change: %s', async (_which, read, ofNotApplied, ofApplied) => {
    const { ports } = bootOperator(await createOperatorWorld(), 1);
    const payment = { invoiceId: 'in_1', subscriptionId: 'sub_acme', confirmUrl: 'https://pay.test', expiresAt: at };
    const operation = stopped('upgrade_plan', { payment, ...called(call('hold_price_change', 'succeeded')) });
    const asking = { ...ports, provider: { ...ports.provider, retrieveInvoice: async () => read as never } };
    const proofs = await Promise.all(
      [notApplied, applied('sub_acme')].map((said) => readSecondProof(asking, operation, said)),
    );
    expect(
      proofs.map(({ contradiction, mayStillCome, unread }) => ({
        contradiction,
        ...(mayStillCome !== undefined && { mayStillCome }),
        ...(unread !== undefined && { unread }),
      })),
    ).toEqual([ofNotApplied, ofApplied]);
  });

  it.each([
    ['several of its step', [], [2]],
    ['several of several steps', [call('pause_collection')], [2, expect.any(Number) as number]],
  ])('finds the named object among %s', async (_which, further, found) => {
    const { ports, operation, shown } = await stoppedCredit();
    const provider: typeof ports.provider = {
      ...ports.provider,
      listBalanceTransactions: async (customerId) => {
        const read = await ports.provider.listBalanceTransactions(customerId);
        return read.outcome === 'succeeded'
          ? { ...read, value: read.value.flatMap((entry) => [{ ...entry, id: 'cbtxn_twin' }, entry]) }
          : read;
      },
    };
    const attempts = operation.attempts.map((each) => ({
      ...each,
      providerCalls: [...each.providerCalls, ...further],
    }));
    const proof = await readSecondProof({ ...ports, provider }, { ...operation, attempts }, applied(shown.id));
    expect(proof.findings.map(({ objects }) => objects.length)).toEqual(found);
    expect(proof).not.toHaveProperty('named');
  });

  it('cannot look for an entry of a customer that is not known', async () => {
    const world = await createOperatorWorld({ provider: {} });
    const { ports } = bootOperator(world, 1);
    const proof = await readSecondProof(ports, stopped('credit_customer'), applied('cbtxn_9'));
    expect(proof).not.toHaveProperty('named');
  });

  it('has the steps of its action that only make way', async () => {
    expect((await proofOf(stopped('cancel_subscription'))).makesWay).toEqual(['release_schedule']);
  });
});

describe('a contradiction in the record', () => {
  const waits = /it waits for the receipts of the message "reactivation_requested"/;
  const neverSent = /no provider call of it is recorded/;

  it.each([
    ['a reactivation whose receipts are missing', stopped('reactivate', called(call('resume_collection'))), waits],
    [
      'a reactivation whose message has no settlement yet',
      stopped('reactivate', {
        lifecycle: { transition: 'reactivation_requested', announcedAt: new Date(0) },
        ...called(call('resume_collection')),
      }),
      waits,
    ],
    ['an operation without a call', stopped('credit_customer'), neverSent],
  ])('refuses applied for %s, and nothing else', async (_which, operation, text) => {
    expect((await proofOf(operation, applied())).contradiction).toMatch(text);
    expect((await proofOf(operation)).contradiction).toBeNull();
  });

  it.each([
    ['a call', stopped('credit_customer', called(call('balance_credit')))],
    ['a suspension, whose effects come before its message', stopped('suspend', called(call('pause_collection')))],
    [
      'a reactivation whose receipts are in',
      stopped('reactivate', {
        lifecycle: { transition: 'reactivation_requested', announcedAt: new Date(0), settledAt: new Date(1) },
        ...called(call('resume_collection')),
      }),
    ],
    [
      'a session that waits for its payment',
      stopped('checkout', {
        checkout: { sessionId: 'cs_1', url: 'https://pay.test', expiresAt: new Date(0) },
      } as never),
    ],
  ])('is not in the record of %s', async (_which, operation) => {
    expect((await proofOf(operation, applied())).contradiction).toBeNull();
  });
});

describe('an object at the provider', () => {
  const entry = (amount: number, currency: string) =>
    ({ kind: 'customer_balance_transaction', id: 'cbtxn_1', summary: { amount, currency } }) as unknown as FoundObject;
  const sold = (summary: object) => ({ kind: 'subscription', id: 'sub_1', summary }) as unknown as FoundObject;
  const credit = stopped('credit_customer', { values: { amountCents: 500 }, checkpoint: { currency: 'usd' } });
  const upgrade = stopped('upgrade_plan', { checkpoint: { priceId: 'price_pro' } });

  it.each([
    ['the amount and the currency', credit, entry(-500, 'usd'), null],
    ['another amount', credit, entry(-400, 'usd'), 'cbtxn_1 is over -400 usd, and the operation is over -500 usd.'],
    ['another currency', credit, entry(-500, 'eur'), 'cbtxn_1 is over -500 eur, and the operation is over -500 usd.'],
    ['its price', upgrade, sold({ priceId: 'price_pro' }), null],
    [
      'another price',
      upgrade,
      sold({ priceId: 'price_x' }),
      'sub_1 has the price price_x, and the operation is about price_pro.',
    ],
    ['no price', upgrade, sold({}), null],
    ['another price, while the record fixed none', stopped('suspend'), sold({ priceId: 'price_x' }), null],
    ['another kind', upgrade, { ...sold({ priceId: 'price_x' }), kind: 'invoice' } as FoundObject, null],
  ])('with %s', async (_which, operation, object, misfit) => {
    expect((await proofOf(operation)).misfit?.(object)).toBe(misfit);
  });

  it('is harmless when it is an expired session, or a customer whose creation was answered', async () => {
    const of = (summary: object) => ({ kind: 'checkout_session', id: 'cs_1', summary }) as unknown as FoundObject;
    const answered = stopped('checkout', called(call('create_customer', 'succeeded'), call('create_session')));
    const { harmless } = await proofOf(answered);
    const open = await proofOf(stopped('checkout', called(call('create_customer'))));
    expect([
      harmless?.(of({ status: 'expired' }), 'create_session'),
      harmless?.(of({ status: 'open' }), 'create_session'),
      harmless?.(of({ status: 'expired' }), 'balance_credit'),
      harmless?.(of({}), 'create_customer'),
      open.harmless?.(of({}), 'create_customer'),
    ]).toEqual([true, false, false, true, false]);
  });
});
