/**
 * What an action does not name stays as it was at the provider: every kind of contract that a subscription can be (trial,
 * quantity, discount, taxes, card, metadata, anchor) meets every action on the provider twin, which replaces the phases of
 * a schedule whole as the provider does.
 */
import { startProviderTwin } from '@platform/provider-twin';
import { createStripeProvider, type PaymentProvider } from '@platform/payment-provider';
import type { OperationAction } from '@platform/contracts-operator';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import type { OperationValues } from '../domain/operation';
import { refreshMirror, requestRefresh } from '../../mirror/workflows/refresh-mirrors';
import { runOperation } from './run-operation';

type Raw = Record<string, unknown> & {
  readonly items: { readonly data: readonly { readonly id: string; readonly price: { readonly id: string } }[] };
};

const key = 'sk_test_contract';
const dayS = 86_400;

/** Each combination once; the kinds are independent of each other. */
const contracts = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({
  trialing: (bits & 1) !== 0,
  quantity: bits & 2 ? 3 : 1,
  taxed: (bits & 2) !== 0,
  discounted: (bits & 4) !== 0,
  metadata: bits & 4 ? { contract: `C-${bits}` } : {},
}));
type Contract = (typeof contracts)[number];

let twin: Awaited<ReturnType<typeof startProviderTwin>>;
let provider: PaymentProvider & { close(): void };
let count = 0;

beforeAll(async () => {
  twin = await startProviderTwin({ port: 0 });
  provider = createStripeProvider({ secretKey: key, apiBase: twin.url, timeoutMs: 10_000 });
  await control('seed', {
    products: [{ id: 'prod_plans', name: 'Plans' }],
    prices: [
      { id: 'price_starter', product: 'prod_plans', unitAmount: 1900 },
      { id: 'price_pro', product: 'prod_plans', unitAmount: 4900 },
      {
        id: 'price_yearly',
        product: 'prod_plans',
        unitAmount: 49_000,
        recurring: { interval: 'year', intervalCount: 1 },
      },
    ],
  });
});
afterAll(async () => {
  provider.close();
  await twin.close();
});

async function control(path: string, body: object): Promise<void> {
  const response = await fetch(`${twin.url}/_twin/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

async function raw(path: string): Promise<Raw> {
  const response = await fetch(`${twin.url}/v1/${path}`, { headers: { authorization: `Bearer ${key}` } });
  return (await response.json()) as Raw;
}

interface Signed {
  readonly world: OperatorWorld;
  readonly subscriptionId: string;
  /** The subscription at the provider, without what every change of it moves. */
  standing(...named: readonly string[]): Promise<Record<string, unknown>>;
  ask(action: OperationAction, values?: OperationValues): Promise<string>;
  refresh(): Promise<void>;
}

async function signed(
  { trialing, quantity, taxed, discounted, metadata }: Contract,
  through: PaymentProvider = provider,
): Promise<Signed> {
  count += 1;
  const [customer, subscriptionId] = [`cus_contract${count}`, `sub_contract${count}`];
  await control('seed', {
    customers: [{ id: customer, paymentMethod: 'pm_card_visa' }],
    subscriptions: [
      {
        id: subscriptionId,
        customer,
        price: 'price_starter',
        quantity,
        metadata,
        ...(trialing && { status: 'trialing', trialDays: 20 }),
        ...(taxed && { defaultTaxRates: ['txr_vat'], automaticTax: true }),
        ...(discounted && { discounts: ['di_partner'] }),
      },
    ],
  });
  const itemId = (await raw(`subscriptions/${subscriptionId}`)).items.data[0]!.id;
  const world = await createOperatorWorld({
    ...(trialing && { status: 'trialing' }),
    provider: { customerId: customer, subscriptionId, itemId },
  });
  const { ports } = bootOperator(world, 1, { provider: through });
  await ports.plans.insert({
    _id: 'yearly',
    name: 'Yearly',
    amountCents: 49_000,
    currency: 'usd',
    priceId: 'price_yearly',
    offered: true,
  });
  return {
    world,
    subscriptionId,
    standing: async (...named) => {
      const found = await raw(`subscriptions/${subscriptionId}`);
      const { operationId: _id, step: _step, ...kept } = found['metadata'] as Record<string, string>;
      const { latest_invoice: _invoice, items, ...rest } = found;
      const whole: Record<string, unknown> = {
        ...rest,
        metadata: kept,
        items: items.data.map((item) => {
          const { price, plan: _plan, ...each } = item as typeof item & { readonly plan?: unknown };
          return { ...each, price: price.id };
        }),
      };
      for (const name of named) delete whole[name];
      return whole;
    },
    ask: async (action, values = {}) => {
      count += 1;
      const answer = await runOperation(ports, {
        operationId: `op-contract-${String(count).padStart(4, '0')}`,
        tenantId: tenant,
        action,
        values,
        actor: { id: 'owner' },
      });
      return answer.kind === 'failed' ? answer.operation.error.code : answer.kind;
    },
    refresh: async () => {
      await requestRefresh(ports, tenant, 'test', 'workspace_committed');
      expect(await refreshMirror(ports, tenant)).toBe(true);
    },
  };
}

describe.each(contracts)('a contract (trial $trialing, quantity $quantity, discount $discounted)', (contract) => {
  const pausing = ['pause_collection'];
  const ending = ['cancel_at', 'cancel_at_period_end', 'canceled_at', 'cancellation_details'];
  it.each<[OperationAction, OperationValues, string, readonly string[]]>([
    ['suspend', {}, 'unfinished', pausing],
    ['credit_customer', { amountCents: 500, reason: 'outage' }, 'succeeded', []],
    ['cancel_subscription', {}, 'succeeded', ending],
    ['change_plan_later', { planId: 'pro' }, 'succeeded', ['schedule']],
  ])('stays as it was but for what is named, after %s', async (action, values, answer, named) => {
    const { standing, ask } = await signed(contract);
    const before = await standing(...named);
    expect(await ask(action, values)).toBe(answer);
    expect(await standing(...named)).toEqual(before);
  });

  it('stays as it was when a pending change is replaced, and when it is dropped', async () => {
    const { standing, ask } = await signed(contract);
    const before = await standing();
    expect(await ask('change_plan_later', { planId: 'pro' })).toBe('succeeded');
    const managed = (await standing())['schedule'];
    expect(await ask('change_plan_later', { planId: 'yearly' })).toBe('succeeded');
    expect(await standing()).toEqual({ ...before, schedule: managed });
    expect(await ask('drop_pending_change')).toBe('succeeded');
    expect(await standing()).toEqual(before);
  });

  it('stays as it was but for the price when a deferred change lands, which is pending no more', async () => {
    const { world, standing, ask, refresh } = await signed(contract);
    const moved = ['items', 'status', 'schedule', 'trial_end', 'billing_cycle_anchor', 'current_period_end'];
    const before = await standing(...moved);
    expect(await ask('change_plan_later', { planId: 'pro' })).toBe('succeeded');
    const pending = world.subscription()!.pendingPlan!;
    const now = Math.floor((await clock()) / 1_000);
    await control('clock', { advanceSeconds: Math.floor(pending.at.getTime() / 1_000) - now + dayS });
    expect(await standing(...moved)).toEqual(before);
    const [item] = (await standing())['items'] as Record<string, unknown>[];
    expect(item).toMatchObject({ price: 'price_pro', quantity: contract.quantity });
    await refresh();
    expect(world.subscription()).toMatchObject({ planId: 'pro', status: 'active' });
    expect(world.subscription()).not.toHaveProperty('pendingPlan');
  });
});

async function clock(): Promise<number> {
  const answer = await fetch(`${twin.url}/_twin/clock`);
  const { now } = (await answer.json()) as { readonly now: number | string };
  return typeof now === 'number' ? now * 1_000 : Date.parse(now);
}

describe('an upgrade', () => {
  it('changes the price and leaves the quantity', async () => {
    const { standing, ask } = await signed(contracts[6]!);
    const [before] = (await standing())['items'] as Record<string, unknown>[];
    expect(await ask('upgrade_plan', { planId: 'pro' })).toBe('succeeded');
    expect((await standing())['items']).toEqual([{ ...before, price: 'price_pro' }]);
  });
});

describe('a law-breaking build', () => {
  it('is noticed when it names the price of the running phase alone', async () => {
    const forgetful: PaymentProvider = {
      ...provider,
      prepare: (intent, effect) =>
        provider.prepare(
          intent,
          effect.step === 'schedule_price'
            ? {
                ...effect,
                current: { ...effect.current, settings: { items: [{ price: effect.current.priceId, quantity: 1 }] } },
              }
            : effect,
        ),
    };
    const { standing, ask } = await signed(contracts[7]!, forgetful);
    const before = await standing('schedule');
    expect(await ask('change_plan_later', { planId: 'pro' })).toBe('succeeded');
    const after = await standing('schedule');
    const lost = Object.keys(before).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
    expect(lost).toEqual(
      expect.arrayContaining(['automatic_tax', 'default_tax_rates', 'discounts', 'items', 'status']),
    );
  });
});

describe('a deferred change', () => {
  it('lasts as long as the interval of its price says', async () => {
    const { world, subscriptionId, ask } = await signed(contracts[0]!);
    expect(await ask('change_plan_later', { planId: 'yearly' })).toBe('succeeded');
    const { scheduleId } = world.subscription()!.provider;
    const { phases } = (await raw(`subscription_schedules/${scheduleId}`)) as unknown as {
      readonly phases: readonly { readonly start_date: number; readonly end_date: number }[];
    };
    const { start_date: start, end_date: end } = phases[1]!;
    expect((end - start) / dayS).toBeGreaterThanOrEqual(365);
    expect((await raw(`subscriptions/${subscriptionId}`))['schedule']).toBe(scheduleId);
  });
});
