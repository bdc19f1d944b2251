/** What the start of a checkout sends, records and leaves when a read or a write on its way does not end well. */
import { forged, fromThe, losing, onlyThe, overtakenWrites } from '@platform/durable/testing';
import { silentLog } from '@platform/kernel';
import type { PaymentProvider } from '@platform/payment-provider';
import type { Subscription } from '../../mirror/domain/subscription';
import { runOperation } from '../../operations/workflows/run-operation';
import { bootEvents, type EventBootOptions } from '../../provider-events/testing/event-world';
import type { EventPorts } from '../../provider-events/workflows/event-ports';
import { createOperatorWorld } from '../../testing/operator-world';
import { checkoutRequest, free, steps } from '../testing/checkout-world';
import { startCheckout } from './start-checkout';

/** The ports of the start alone: the transition is taken before it. */
type Change = (events: EventPorts) => Partial<EventPorts>;

interface Given {
  readonly workspace?: Partial<Subscription>;
  readonly options?: EventBootOptions;
  readonly request?: Parameters<typeof checkoutRequest>[0];
}

async function begin(change: Change = () => ({}), { workspace = free, options = {}, request = {} }: Given = {}) {
  const world = await createOperatorWorld(workspace);
  const { events } = bootEvents(world, 1, options);
  const reached: unknown[] = [];
  const meter = { ...events.meter, operationReached: (...step: readonly unknown[]) => void reached.push(step) };
  const changed = { meter, ...change(events) };
  const ports: EventPorts = {
    ...events,
    starters: { checkout_session: (given, started) => startCheckout({ ...given, ...changed }, started) },
  };
  const answer = await runOperation(ports, checkoutRequest(request));
  return { world, ports, answer, reached, operation: world.operations()[0]! };
}

/** Another writer changes the operation just before its nth write. */
const operationsOvertaken =
  (nth: number): Change =>
  ({ operations }) => ({
    operations: overtakenWrites(operations, onlyThe(nth), (current) =>
      operations.mutate(current, forged({ ...current, values: { ...current.values, by: 'another writer' } })),
    ),
  });

/** What is sent, as the workflow prepares it. */
function watched({ provider }: EventPorts, prepared: unknown[]): Partial<EventPorts> {
  const prepare: PaymentProvider['prepare'] = (whose, effect) => {
    prepared.push(effect);
    return provider.prepare(whose, effect);
  };
  return { provider: { ...provider, prepare } };
}

const session = {
  step: 'create_session',
  customerId: 'cus_acme',
  priceId: 'price_pro',
  tenantId: 'acme',
  planId: 'pro',
  trialDays: 14,
  successUrl: 'https://app.test/done',
  cancelUrl: 'https://app.test/back',
};
const decided = { trial: async () => ({ kind: 'decided', days: 14 }) as const };

describe('the session of a checkout', () => {
  it('is made for the customer, the plan and the trial, and recorded before its address is returned', async () => {
    const prepared: unknown[] = [];
    const { world, answer, reached } = await begin((events) => watched(events, prepared), { options: decided });
    expect(prepared).toEqual([session]);
    const sessionId = world.subscription()!.checkout!.sessionId;
    expect(answer).toMatchObject({ kind: 'unfinished', operation: { status: 'awaiting_receipts' } });
    expect((world.operations()[0] as { readonly checkout?: object }).checkout).toEqual({
      sessionId,
      url: `https://checkout.test/${sessionId}`,
      expiresAt: expect.any(Date),
      trialDays: 14,
    });
    expect(world.subscription()!.checkout).toEqual({ sessionId, operationId: 'op-checkout-001' });
    expect(world.subscription()!.provider).toEqual({ customerId: 'cus_acme' });
    for (const record of [world.operations()[0]!, world.subscription()!])
      expect((record as { readonly outbox?: readonly unknown[] }).outbox ?? []).toEqual([]);
    expect(reached).toEqual([['checkout', 'awaiting_receipts']]);
  });

  it('is made for a new customer under the address of the person and the id of the workspace', async () => {
    const prepared: unknown[] = [];
    const { world } = await begin((events) => watched(events, prepared), {
      workspace: { planId: 'free', provider: {} },
    });
    const { customerId } = world.subscription()!.provider;
    expect(prepared).toEqual([
      { step: 'create_customer', email: 'ann@example.com', name: 'acme' },
      { ...session, customerId, trialDays: 0 },
    ]);
  });

  it('is made for a new customer without an address when the person has none', async () => {
    const prepared: unknown[] = [];
    const given = { workspace: { planId: 'free', provider: {} }, request: { actor: { id: 'owner' } } };
    await begin((events) => watched(events, prepared), given);
    expect(prepared[0]).toEqual({ step: 'create_customer', email: '', name: 'acme' });
  });

  it('is made for a customer of the workspace without a new one, and the journal says so', async () => {
    const { operation } = await begin();
    expect(operation.attempts[0]!.providerCalls).toMatchObject([
      { step: 'create_customer', skipped: 'the workspace has a customer at the provider' },
      { step: 'create_session', outcome: 'succeeded' },
    ]);
  });

  it('is made by a later attempt for the customer that an earlier one made', async () => {
    const world = await createOperatorWorld({ planId: 'free', provider: {} });
    const { ports } = bootEvents(world, 1);
    world.provider.failNext('rate_limited', { step: 'create_session' });
    const begun = { code: 'partial_effect', changed: ['create_customer'], unchanged: ['create_session'] };
    expect(await runOperation(ports, checkoutRequest())).toMatchObject({ kind: 'failed', operation: { error: begun } });
    expect(await runOperation(ports, checkoutRequest())).toMatchObject({ kind: 'unfinished' });
    expect(steps(world)).toEqual(['create_customer', 'create_session']);
    const { customerId } = world.subscription()!.provider;
    expect(await world.provider.retrieveCheckoutSession(world.subscription()!.checkout!.sessionId)).toMatchObject({
      value: { customerId },
    });
  });

  it('is recorded with the customer for whom it was made, also when the workspace names none any more', async () => {
    const world = await createOperatorWorld(free);
    const { ports, events } = bootEvents(world, 1);
    world.provider.failNext('rate_limited', { step: 'create_session' });
    await runOperation(ports, checkoutRequest());
    const current = world.subscription()!;
    await events.subscriptions.mutate(current, { ...current, provider: {} });
    expect(await runOperation(ports, checkoutRequest())).toMatchObject({ kind: 'unfinished' });
    expect(world.subscription()!.provider).toEqual({ customerId: 'cus_acme' });
    expect(await world.provider.retrieveCheckoutSession(world.subscription()!.checkout!.sessionId)).toMatchObject({
      value: { customerId: 'cus_acme' },
    });
  });

  it('is made without a trial for a person without an address, and no service is asked', async () => {
    const trial = () => Promise.reject(new Error('no trial is asked for'));
    const request = { actor: { id: 'owner' } };
    const { answer } = await begin(undefined, { options: { trial }, request });
    expect(answer).toMatchObject({ operation: { checkout: { trialDays: 0 } } });
  });

  it('is made without a trial where no service offers one', async () => {
    const { answer } = await begin(() => ({ reserveTrial: undefined as never }));
    expect(answer).toMatchObject({ operation: { checkout: { trialDays: 0 } } });
  });

  it.each(['id', 'url', 'expiresAt'] as const)('without its %s stops for people', async (field) => {
    const without: Change = ({ provider }) => ({
      provider: {
        ...provider,
        prepare: (whose, effect) => {
          const call = provider.prepare(whose, effect);
          const send = async () => {
            const sent = await call.send();
            return sent.outcome === 'succeeded' ? { ...sent, value: { ...sent.value, [field]: null } } : sent;
          };
          return { ...call, send } as typeof call;
        },
      },
    });
    const { answer, world } = await begin(without);
    expect(answer).toMatchObject({
      kind: 'stopped',
      operation: { error: { code: 'outcome_unknown', message: 'The provider made a session without an address.' } },
    });
    expect(world.subscription()).not.toHaveProperty('checkout');
  });
});

describe('the trial of a checkout', () => {
  it('is asked for without cards when the provider does not know the customer', async () => {
    const asked: unknown[] = [];
    const trial: EventBootOptions['trial'] = async (request) => {
      asked.push(request);
      return { kind: 'decided', days: 14 };
    };
    const unknown: Change = ({ provider }) => ({
      provider: { ...provider, listPaymentMethods: async () => ({ outcome: 'failed', message: 'gone' }) as never },
    });
    await begin(unknown, { options: { trial } });
    const request = {
      tenantId: 'acme',
      operationId: 'op-checkout-001',
      email: 'ann@example.com',
      cardFingerprints: [],
    };
    expect(asked).toEqual([request]);
  });

  it('is asked for without cards for a workspace without a customer, and no cards are read', async () => {
    const asked: unknown[] = [];
    const trial: EventBootOptions['trial'] = async ({ cardFingerprints }) => {
      asked.push(cardFingerprints);
      return { kind: 'decided', days: 14 };
    };
    const unread: Change = ({ provider }) => ({
      provider: { ...provider, listPaymentMethods: () => Promise.reject(new Error('no cards are read')) },
    });
    await begin(unread, { options: { trial }, workspace: { planId: 'free', provider: {} } });
    expect(asked).toEqual([[]]);
  });

  it.each([
    ['uncertain', [{ operationId: 'op-checkout-001' }]],
    ['decided', []],
  ] as const)('is reported to operators only when it may have been reserved: %s', async (kind, reported) => {
    const warned: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void warned.push(fields) };
    const trial = async () => (kind === 'decided' ? ({ kind, days: 14 } as const) : { kind });
    await begin(() => ({ log }), { options: { trial } });
    expect(warned).toEqual(reported);
  });

  it('is recorded before the session is made, and no session is made when it cannot be', async () => {
    const { answer, world } = await begin(losing('operations'), { options: decided });
    expect(answer).toEqual({
      kind: 'store_unavailable',
      detail: 'No session was made: the trial decision could not be recorded (the answer was lost).',
    });
    expect(steps(world)).toEqual([]);
  });

  it('is left to a writer that was faster, and no session is made', async () => {
    const { answer, world } = await begin(operationsOvertaken(1), { options: decided });
    expect(answer).toMatchObject({ kind: 'unfinished', operation: { values: { by: 'another writer' } } });
    expect(steps(world)).toEqual([]);
  });

  it('has the days of its decision in the journal', async () => {
    const { operation } = await begin(undefined, { options: decided });
    expect(operation.checkpoint).toMatchObject({ trialDays: '14', customerId: 'cus_acme', priceId: 'price_pro' });
  });
});

describe('a session that was made', () => {
  const must = expect.stringContaining('It must be expired at the provider.') as string;

  it.each<[string, Change]>([
    ['could not be written', losing('subscriptions')],
    [
      'has no transition any more',
      ({ subscriptions }) => ({
        subscriptions: {
          ...subscriptions,
          findById: async (id) => {
            const { transition: _ended, ...rest } = (await subscriptions.findById(id))!;
            return rest;
          },
        },
      }),
    ],
    ['is gone', ({ subscriptions }) => ({ subscriptions: { ...subscriptions, findById: async () => null } })],
    [
      'cannot be read',
      ({ subscriptions }) => ({
        subscriptions: { ...subscriptions, findById: () => Promise.reject(new Error('unreadable')) },
      }),
    ],
  ])('stops for people when the workspace %s', async (_case, change) => {
    const { answer, world } = await begin(change);
    expect(answer).toMatchObject({
      kind: 'stopped',
      operation: { error: { code: 'outcome_unknown', message: must } },
    });
    expect(world.subscription()).not.toHaveProperty('checkout');
  });

  it('is not acknowledged when its journal could not be written', async () => {
    const { answer, world, reached } = await begin(losing('operations', fromThe(3)));
    expect(answer).toEqual({
      kind: 'store_unavailable',
      detail: expect.stringContaining('the journal could not be written (the answer was lost)') as string,
    });
    expect(world.subscription()).toHaveProperty('checkout');
    expect(reached).toEqual([]);
  });

  it('is left to a writer that was faster', async () => {
    const { answer, reached } = await begin(operationsOvertaken(3));
    expect(answer).toMatchObject({ kind: 'unfinished', operation: { values: { by: 'another writer' } } });
    expect(reached).toEqual([]);
  });
});
