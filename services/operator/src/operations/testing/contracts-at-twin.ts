/**
 * Customers' contracts at the provider twin, each with its workspace. The properties that an action may lose (trial,
 * quantity, taxes, discount, metadata, card, age of the billing period) are drawn at random, and every object is read
 * back in full.
 */
import type { ExampleSituation, OperationAction } from '@platform/contracts-operator';
import { createStripeProvider, type PaymentProvider } from '@platform/payment-provider';
import { startProviderTwin } from '@platform/provider-twin';
import { settle, type createRandom } from '@platform/testing';
import { refreshMirror, requestRefresh } from '../../mirror/workflows/refresh-mirrors';
import { deliverSettlements } from '../../testing/operator-history';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import type { OperationValues } from '../domain/operation';
import { runOperation } from '../workflows/run-operation';
import { exampleRequest } from './example-worlds';

const key = 'sk_test_contract';
const dayS = 86_400;

export interface Contract {
  readonly trialing: boolean;
  readonly quantity: number;
  readonly taxed: boolean;
  readonly discounted: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  /** Days from the billing anchor, or the beginning of the trial, to the action. */
  readonly ageDays: number;
}

/** A contract; each property is drawn on its own. */
export function drawnContract(random: ReturnType<typeof createRandom>): Contract {
  const even = () => random.below(2) === 0;
  return {
    trialing: even(),
    quantity: 1 + random.below(5),
    taxed: even(),
    discounted: even(),
    metadata: even() ? { contract: `C-${random.below(1_000)}` } : {},
    ageDays: random.below(17),
  };
}

type Raw = Record<string, unknown> & {
  readonly items: { readonly data: readonly { readonly id: string; readonly price: { readonly id: string } }[] };
};

/** The provider's objects of a contract. */
export interface SoldIds {
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly itemId: string;
}

/** The provider that the actions call: the twin, or a law-breaking wrapper of it. */
export type Through = (ids: SoldIds) => PaymentProvider;

/** A workspace whose contract exists at the provider. */
interface Signed {
  readonly world: OperatorWorld;
  readonly subscriptionId: string;
  /**
   * Subscription and customer at the provider, without the fields that every change alters and without the named ones.
   */
  standing(...named: readonly string[]): Promise<Record<string, unknown>>;
  /** Returns the code of a failure, or the kind of the answer; the receipts of consumers are delivered. */
  ask(action: OperationAction, values?: OperationValues): Promise<string>;
  refresh(): Promise<void>;
}

export interface Contracts {
  readonly provider: PaymentProvider;
  control(path: string, body: object): Promise<void>;
  raw(method: 'GET' | 'POST' | 'DELETE', path: string, body?: Readonly<Record<string, string>>): Promise<Raw>;
  /** Seconds since 1970. */
  now(): Promise<number>;
  /** A contract with its workspace in a situation. The actions themselves bring the situation about where they can. */
  signed(contract: Contract, situation?: ExampleSituation, through?: Through): Promise<Signed>;
  /** Removes every contract, because each move of the clock visits all of them. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a twin with a catalog of three plans. */
export async function startContracts(): Promise<Contracts> {
  const twin = await startProviderTwin({ port: 0 });
  const provider = createStripeProvider({ secretKey: key, apiBase: twin.url, timeoutMs: 10_000 });
  const at = atTwin(twin.url);
  await seedPlans(at);
  let count = 0;
  return {
    ...at,
    provider,
    signed: (contract, situation = 'subscribed', through = () => provider) =>
      sign({ ...at, number: (count += 1), through }, contract, situation),
    reset: async () => {
      await at.control('reset', {});
      await seedPlans(at);
    },
    close: async () => {
      provider.close();
      await twin.close();
    },
  };
}

function seedPlans({ control }: AtTwin): Promise<void> {
  const monthly = (id: string, unitAmount: number) => ({ id, product: 'prod_plans', unitAmount });
  const yearly = { ...monthly('price_yearly', 49_000), recurring: { interval: 'year', intervalCount: 1 } };
  return control('seed', {
    products: [{ id: 'prod_plans', name: 'Plans' }],
    prices: [monthly('price_starter', 1_900), monthly('price_pro', 4_900), yearly],
  });
}

type AtTwin = Pick<Contracts, 'control' | 'raw' | 'now'>;

function atTwin(url: string): AtTwin {
  const answered = async (path: string, response: Response) => {
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const authorization = `Bearer ${key}`;
  return {
    control: async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      const sent = await fetch(`${url}/_twin/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      await answered(path, sent);
    },
    raw: async (method, path, body) => {
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
      const form = body && { body: new URLSearchParams(body).toString() };
      return (await answered(path, await fetch(`${url}/v1/${path}`, { method, headers, ...form }))) as Raw;
    },
    now: async () => {
      const { now } = (await answered('clock', await fetch(`${url}/_twin/clock`))) as { readonly now: number | string };
      return typeof now === 'number' ? now : Math.floor(Date.parse(now) / 1_000);
    },
  };
}

interface Place extends AtTwin {
  readonly number: number;
  readonly through: Through;
}

/** Situations of a workspace that the provider's subscription does not pay for. */
const apart: ReadonlySet<ExampleSituation> = new Set(['unsubscribed', 'checkout_open']);

async function sign(place: Place, contract: Contract, situation: ExampleSituation): Promise<Signed> {
  const { number, through, control, raw, now } = place;
  const { trialing, quantity, taxed, discounted, metadata, ageDays } = contract;
  const [customerId, subscriptionId] = [`cus_contract${number}`, `sub_contract${number}`];
  const subscription = {
    id: subscriptionId,
    customer: customerId,
    price: 'price_starter',
    quantity,
    metadata,
    ...(trialing && { status: 'trialing', trialDays: 20 }),
    ...(taxed && { defaultTaxRates: ['txr_vat'], automaticTax: true }),
    ...(discounted && { discounts: ['di_partner'] }),
  };
  const card = situation === 'payment_waits' ? 'pm_card_authenticationRequired' : 'pm_card_visa';
  const customers = [{ id: customerId, paymentMethod: card }];
  await control('seed', { customers, subscriptions: [subscription] });
  const itemId = (await raw('GET', `subscriptions/${subscriptionId}`)).items.data[0]!.id;
  await control('clock', { advanceSeconds: ageDays * dayS });
  const world = await createOperatorWorld({
    ...(trialing && { status: 'trialing' }),
    provider: { customerId, ...(!apart.has(situation) && { subscriptionId, itemId }) },
    ...(apart.has(situation) && { planId: 'free' }),
  });
  const life = bootOperator(world, 1, { provider: through({ customerId, subscriptionId, itemId }) });
  const yearly = { _id: 'yearly', name: 'Yearly', amountCents: 49_000, currency: 'usd', priceId: 'price_yearly' };
  const billedEvery = { interval: 'year', count: 1 } as const;
  await life.ports.plans.insert({ ...yearly, billedEvery, offered: true });
  let asked = 0;
  const signed: Signed = {
    world,
    subscriptionId,
    standing: async (...named) => {
      const [sold, payer] = await Promise.all([
        raw('GET', `subscriptions/${subscriptionId}`),
        raw('GET', `customers/${customerId}`),
      ]);
      return standingOf(sold, payer, named);
    },
    ask: async (action, values = {}) => {
      asked += 1;
      const answer = await runOperation(life.ports, {
        ...exampleRequest(action),
        operationId: `op-${number}-${String(asked).padStart(6, '0')}`,
        values,
      });
      await settle();
      await deliverSettlements(world, life);
      return answer.kind === 'failed' ? answer.operation.error.code : answer.kind;
    },
    refresh: async () => {
      await requestRefresh(life.ports, tenant, 'test', 'workspace_committed');
      expect(await refreshMirror(life.ports, tenant)).toBe(true);
    },
  };
  await bringAbout(signed, situation, { control, raw, now });
  return signed;
}

/**
 * Without the fields that every change alters: the last invoice, the customer's count of invoices, and the last writer.
 */
function standingOf(sold: Raw, payer: Raw, named: readonly string[]): Record<string, unknown> {
  const { operationId: _id, step: _step, ...kept } = sold['metadata'] as Record<string, string>;
  const { latest_invoice: _invoice, items, ...rest } = sold;
  const { next_invoice_sequence: _next, ...customer } = payer as Raw & { readonly next_invoice_sequence?: number };
  const whole: Record<string, unknown> = {
    ...rest,
    metadata: kept,
    items: items.data.map((item) => {
      const { price: _price, plan: _plan, ...each } = item as typeof item & { readonly plan?: unknown };
      return each;
    }),
    prices: items.data.map(({ price }) => price.id),
    ...Object.fromEntries(Object.entries(customer).map(([name, value]) => [`customer.${name}`, value])),
  };
  for (const name of named) delete whole[name];
  return whole;
}

async function bringAbout(
  { ask, world, subscriptionId }: Signed,
  situation: ExampleSituation,
  { control, raw, now }: AtTwin,
): Promise<void> {
  const done = async (action: OperationAction, values: OperationValues, answer = 'succeeded') =>
    expect({ action, answer: await ask(action, values) }).toEqual({ action, answer });
  const pending = () => done('change_plan_later', { planId: 'pro' });
  const bringers: { readonly [Name in ExampleSituation]: () => Promise<void> } = {
    subscribed: async () => {},
    unsubscribed: async () => {},
    suspended: () => done('suspend', {}, 'unfinished'),
    change_pending: pending,
    change_landed: async () => {
      await pending();
      const lands = Math.floor(world.subscription()!.pendingPlan!.at.getTime() / 1_000);
      await control('clock', { advanceSeconds: lands - (await now()) + dayS });
    },
    ended_at_provider: async () => void (await raw('DELETE', `subscriptions/${subscriptionId}`)),
    ending: () => done('cancel_subscription', {}),
    granted: () => done('grant_free_access', { planId: 'pro', ...exampleRequest('end_free_access').values }),
    payment_waits: () => done('upgrade_plan', { planId: 'pro' }, 'to_confirm'),
    checkout_open: () => done('checkout', exampleRequest('checkout').values, 'unfinished'),
  };
  await bringers[situation]();
}
