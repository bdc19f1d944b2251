/**
 * A preview shows what the action does: random contracts on the provider twin, a random time between preview and
 * action, and sometimes a change in between. Either the invoice has the figures that were shown, or the action is
 * refused and makes no invoice. `npm run proof` plays all cases.
 */
import { createStripeProvider, type PaymentProvider } from '@platform/payment-provider';
import { startProviderTwin } from '@platform/provider-twin';
import { createRandom, proofSize } from '@platform/testing';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { previewAction } from './preview-action';
import { runOperation } from './run-operation';

const key = 'sk_test_previews';
const cases = proofSize({ lean: 40, full: 10_000 });
const seed = 23;
/** The cases that share one twin, and the cases between two lines of progress. */
const blockCases = 250;
const progressCases = 1_000;

let twin: Awaited<ReturnType<typeof startProviderTwin>>;
let provider: PaymentProvider & { close(): void };

beforeAll(async () => {
  twin = await startProviderTwin({ port: 0 });
  provider = createStripeProvider({ secretKey: key, apiBase: twin.url, timeoutMs: 10_000 });
  await beginBlock();
});
afterAll(async () => {
  provider.close();
  await twin.close();
});

/** A twin without the contracts of earlier cases, because each move of the clock visits all contracts. */
async function beginBlock(): Promise<void> {
  await control('reset', {});
  await control('seed', {
    products: [{ id: 'prod_plans', name: 'Plans' }],
    prices: [
      { id: 'price_starter', product: 'prod_plans', unitAmount: 1_900 },
      { id: 'price_pro', product: 'prod_plans', unitAmount: 4_900 },
    ],
  });
}

async function control(path: string, body: object): Promise<void> {
  const response = await fetch(`${twin.url}/_twin/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

interface Raw {
  readonly latest_invoice: string;
  readonly total: number;
  readonly amount_due: number;
  readonly items: { readonly data: readonly { readonly id: string }[] };
}

async function raw(method: 'GET' | 'POST' | 'DELETE', path: string, body?: Record<string, string>): Promise<Raw> {
  const response = await fetch(`${twin.url}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-www-form-urlencoded' },
    ...(body && { body: new URLSearchParams(body).toString() }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Raw;
}

interface Case {
  readonly quantity: number;
  readonly trialing: boolean;
  readonly balance: number;
  /** Seconds into the period, and from the preview to the action. */
  readonly elapsed: number;
  readonly between: number;
  readonly disturbed: 'nothing' | 'balance' | 'quantity';
}

function drawn(random: ReturnType<typeof createRandom>): Case {
  const upTo = (most: number) => random.below(most + 1);
  return {
    quantity: 1 + upTo(4),
    trialing: upTo(5) === 0,
    balance: upTo(2) === 0 ? -upTo(9_000) : 0,
    elapsed: upTo(27 * 86_400),
    between: upTo(4) === 0 ? upTo(6 * 86_400) : upTo(3_600),
    disturbed: (['nothing', 'nothing', 'nothing', 'balance', 'quantity'] as const)[upTo(4)]!,
  };
}

async function play(drawnCase: Case, number: number, through: PaymentProvider = provider) {
  const { quantity, trialing, balance, elapsed, between, disturbed } = drawnCase;
  const [customer, subscription] = [`cus_${number}`, `sub_${number}`];
  await control('seed', {
    customers: [{ id: customer, paymentMethod: 'pm_card_visa', ...(balance !== 0 && { balance }) }],
    subscriptions: [
      {
        id: subscription,
        customer,
        price: 'price_starter',
        quantity,
        ...(trialing && { status: 'trialing', trialDays: 29 }),
      },
    ],
  });
  const itemId = (await raw('GET', `subscriptions/${subscription}`)).items.data[0]!.id;
  const world = await createOperatorWorld({
    ...(trialing && { status: 'trialing' }),
    provider: { customerId: customer, subscriptionId: subscription, itemId },
  });
  const { ports } = bootOperator(world, 1, { provider: through });
  await control('clock', { advanceSeconds: elapsed });
  const request = {
    operationId: `op-preview-${String(number).padStart(6, '0')}`,
    tenantId: tenant,
    action: 'upgrade_plan' as const,
    values: { planId: 'pro' },
    actor: { id: 'owner' },
  };
  const preview = (await previewAction(ports, request))!;
  expect(preview.refusal).toBeNull();
  await control('clock', { advanceSeconds: between });
  if (disturbed === 'balance')
    await raw('POST', `customers/${customer}/balance_transactions`, { amount: '-700', currency: 'usd' });
  if (disturbed === 'quantity')
    await raw('POST', `subscriptions/${subscription}`, {
      'items[0][id]': itemId,
      'items[0][quantity]': String(quantity + 1),
      proration_behavior: 'none',
    });
  const before = (await raw('GET', `subscriptions/${subscription}`)).latest_invoice;
  const answer = await runOperation(ports, { ...request, previewDigest: preview.previewDigest });
  const after = (await raw('GET', `subscriptions/${subscription}`)).latest_invoice;
  const invoice = after === before ? null : await raw('GET', `invoices/${after}`);
  await raw('DELETE', `subscriptions/${subscription}`);
  return {
    shown: preview.amounts.charge ?? null,
    code: answer.kind === 'failed' ? answer.operation.error.code : answer.kind,
    made: invoice && { totalCents: invoice.total, dueCents: invoice.amount_due },
  };
}

// Thousands of cases, each with a dozen requests.
jest.setTimeout(1_800_000);

it(`makes the invoice that the preview has shown, or none, in ${cases} random cases`, async () => {
  const random = createRandom(seed);
  const ends: Record<string, number> = {};
  for (let number = 1; number <= cases; number += 1) {
    if (number % blockCases === 0) await beginBlock();
    if (number % progressCases === 0) process.stdout.write(`previews: case ${number} of ${cases}\n`);
    const drawnCase = drawn(random);
    const { shown, code, made } = await play(drawnCase, number);
    const end = code === 'succeeded' ? (made ? 'charged' : 'nothing to charge') : code;
    ends[end] = (ends[end] ?? 0) + 1;
    const seen = { number, drawnCase, shown, code, made };
    if (code === 'succeeded') {
      // Either nothing was shown and no invoice was made, or the invoice has the figures that were shown.
      if (!shown) expect({ ...seen, made: null }).toEqual(seen);
      else expect({ ...seen, made: { totalCents: shown.totalCents, dueCents: shown.dueCents } }).toEqual(seen);
      expect(drawnCase.disturbed === 'quantity').toBe(false);
      if (shown) expect(drawnCase.disturbed).toBe('nothing');
    } else {
      expect(['preview_outdated', 'payment_overdue']).toContain(code);
      expect(made).toBeNull();
    }
  }
  process.stdout.write(`previews: ${cases} cases, ${JSON.stringify(ends)}\n`);
  expect(ends['charged']).toBeGreaterThan(cases / 4);
  expect(ends['preview_outdated']).toBeGreaterThan(0);
});

it('notices a build that prorates from the instant of the action', async () => {
  const forgetful: PaymentProvider = {
    ...provider,
    prepare: (intent, effect) => {
      if (effect.step !== 'change_price') return provider.prepare(intent, effect);
      const { prorationDate: _shown, ...rest } = effect;
      return provider.prepare(intent, rest as typeof effect);
    },
  };
  const late: Case = {
    quantity: 3,
    trialing: false,
    balance: 0,
    elapsed: 86_400,
    between: 2 * 86_400,
    disturbed: 'nothing',
  };
  const { shown, made } = await play(late, cases + 1, forgetful);
  expect(made?.totalCents).not.toBe(shown?.totalCents);
});
