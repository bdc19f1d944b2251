/**
 * An action leaves everything that it does not name as it was at the provider. Random contracts (trial, quantity,
 * taxes, discount, metadata, card, age of the period) meet every action on the provider twin, which replaces all phases
 * of a schedule at once, as the provider does. `npm run proof` plays more contracts.
 */
import {
  contractOf,
  exampleValues,
  operationActions,
  operatorCodes,
  type OperationAction,
} from '@platform/contracts-operator';
import { createRandom, playedText, proofSize } from '@platform/testing';
import { plansCollection } from '../../catalogue/store/plans';
import {
  drawnContract,
  startContracts,
  type Contract,
  type Contracts,
  type SoldIds,
  type Through,
} from '../testing/contracts-at-twin';

const sizes = { lean: 6, full: 200 };
const contracts = proofSize(sizes);
/** Contracts that share one twin, and contracts between two lines of progress. */
const blockContracts = 20;
const progressContracts = 50;
const dayS = 86_400;
const named = { pause: ['pause_collection'], end: ['cancel_at', 'cancel_at_period_end', 'canceled_at'] } as const;
/** The fields of a subscription that show its end when it ends at once. */
const ended = [...named.end, 'status', 'ended_at', 'cancellation_details', 'pause_collection'];

/**
 * The fields that each action may change, by its definition; all others must stay. A new action does not compile
 * without a row.
 */
const changes: Readonly<Record<OperationAction, readonly string[]>> = {
  suspend: named.pause,
  reactivate: named.pause,
  upgrade_plan: ['prices'],
  credit_customer: ['customer.balance'],
  grant_free_access: ended,
  cancel_subscription: [...named.end, 'cancellation_details'],
  change_plan_later: ['schedule'],
  drop_pending_change: ['schedule'],
  checkout: [],
  expire_checkout: [],
  delete_workspace: ended,
  end_free_access: [],
  record_subscription_end: [],
  record_plan_change: [],
  give_up_upgrade: ['pending_update'],
  keep_subscription: [...named.end, 'cancellation_details'],
};

const waits: ReadonlySet<OperationAction> = new Set(['suspend', 'reactivate', 'checkout', 'delete_workspace']);

let stage: Contracts;
beforeAll(async () => {
  stage = await startContracts();
});
afterAll(() => stage.close());

const contract = (change: Partial<Contract> = {}): Contract => ({
  trialing: false,
  quantity: 3,
  taxed: true,
  discounted: true,
  metadata: { contract: 'C-7' },
  ageDays: 5,
  ...change,
});

/**
 * Runs the example of an action in its situation, and returns the fields that the action does not name, before and
 * after.
 */
async function compared(action: OperationAction, kind: Contract, through?: Through) {
  const situation = contractOf(action).example.in;
  // A change during a trial is not invoiced, so it cannot wait for a payment.
  const standing = situation === 'payment_waits' ? { ...kind, trialing: false } : kind;
  const signed = await stage.signed(standing, situation, through);
  const before = await signed.standing(...changes[action]);
  const answer = await signed.ask(action, exampleValues(action, { optional: true }));
  expect({ action, answer }).toEqual({ action, answer: waits.has(action) ? 'unfinished' : 'succeeded' });
  return { signed, before, after: await signed.standing(...changes[action]) };
}

const lost = (before: Record<string, unknown>, after: Record<string, unknown>): string[] =>
  Object.keys({ ...before, ...after }).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));

// Each contract meets every action, and each meeting takes some twenty requests.

it(`leaves what no action names as it was, in ${contracts} random contracts for each action`, async () => {
  const random = createRandom(23);
  for (let number = 1; number <= contracts; number += 1) {
    if (number % blockContracts === 0) await stage.reset();
    if (number % progressContracts === 0) process.stdout.write(`contracts: ${number} of ${contracts}\n`);
    const kind = drawnContract(random);
    for (const action of operationActions) {
      const { before, after } = await compared(action, kind);
      expect({ action, kind, standing: after }).toEqual({ action, kind, standing: before });
    }
  }
  process.stdout.write(
    `contracts: ${playedText(contracts, sizes, `contracts by ${operationActions.length} actions`)}\n`,
  );
});

describe('an upgrade of a customer without a card', () => {
  it('is refused, leaves the contract as it was, and its answer and its preview name the card', async () => {
    const signed = await stage.signed(contract());
    const before = await signed.standing();
    const cards = await stage.raw('GET', `payment_methods?customer=${String(before['customer'])}`);
    const [card] = (cards as unknown as { readonly data: readonly { readonly id: string }[] }).data;
    await stage.raw('POST', `payment_methods/${card!.id}/detach`);
    expect(await signed.ask('upgrade_plan', { planId: 'pro' })).toBe('provider_refused');
    expect(await signed.standing('customer.invoice_settings')).toEqual(
      Object.fromEntries(Object.entries(before).filter(([name]) => name !== 'customer.invoice_settings')),
    );
    expect(operatorCodes.provider_refused.nextStep).toMatch(/no card at the provider/);
    const { consequences } = contractOf('upgrade_plan');
    expect(consequences({ plan: 'starter', values: { planId: 'pro' } } as never).join(' ')).toMatch(
      /card is to be charged and the customer has none/,
    );
  });
});

describe('what a pair of actions leaves', () => {
  const kinds = [contract(), contract({ trialing: true }), contract({ quantity: 1, discounted: false })];

  it.each(kinds)('is the contract as it was, after a suspension and its end (trial $trialing)', async (kind) => {
    const { standing, ask } = await stage.signed(kind);
    const before = await standing();
    expect(await ask('suspend')).toBe('unfinished');
    expect(await ask('reactivate')).toBe('unfinished');
    expect(await standing()).toEqual(before);
  });

  it('is no pause that a person had set at the provider: the suspension replaces it, and its end removes both', async () => {
    const { subscriptionId, ask } = await stage.signed(contract());
    const path = `subscriptions/${subscriptionId}`;
    const pause = async () => (await stage.raw('GET', path))['pause_collection'];
    const resumesAt = (await stage.now()) + 40 * dayS;
    await stage.raw('POST', path, {
      'pause_collection[behavior]': 'keep_as_draft',
      'pause_collection[resumes_at]': String(resumesAt),
    });
    expect(await pause()).toEqual({ behavior: 'keep_as_draft', resumes_at: resumesAt });
    await ask('suspend');
    expect(await pause()).toEqual({ behavior: 'void', resumes_at: null });
    await ask('reactivate');
    expect(await pause()).toBeNull();
  });

  it.each(kinds)(
    'is the contract as it was, after a replaced change that is dropped (trial $trialing)',
    async (kind) => {
      const { standing, ask } = await stage.signed(kind);
      const before = await standing();
      expect(await ask('change_plan_later', { planId: 'pro' })).toBe('succeeded');
      const managed = (await standing())['schedule'];
      expect(await ask('change_plan_later', { planId: 'yearly' })).toBe('succeeded');
      expect(await standing()).toEqual({ ...before, schedule: managed });
      expect(await ask('drop_pending_change')).toBe('succeeded');
      expect(await standing()).toEqual(before);
    },
  );

  it.each(kinds)('is the price alone, when a deferred change lands (trial $trialing)', async (kind) => {
    const { world, standing, ask, refresh } = await stage.signed(kind);
    const moved = ['items', 'prices', 'status', 'schedule', 'trial_end', 'billing_cycle_anchor', 'current_period_end'];
    const before = await standing(...moved);
    expect(await ask('change_plan_later', { planId: 'pro' })).toBe('succeeded');
    const lands = Math.floor(world.subscription()!.pendingPlan!.at.getTime() / 1_000);
    await stage.control('clock', { advanceSeconds: lands - (await stage.now()) + dayS });
    expect(await standing(...moved)).toEqual(before);
    expect(await standing()).toMatchObject({ prices: ['price_pro'], items: [{ quantity: kind.quantity }] });
    await refresh();
    expect(world.subscription()).toMatchObject({ planId: 'pro', status: 'active' });
    expect(world.subscription()).not.toHaveProperty('pendingPlan');
  });
});

describe('a deferred change', () => {
  it('to a plan in another currency is refused before a schedule is made, and the provider has none of two', async () => {
    const { world, subscriptionId, standing, ask } = await stage.signed(contract());
    const [id, priceId, currency] = ['euro', 'price_euro', 'eur'];
    await stage.control('seed', { prices: [{ id: priceId, product: 'prod_plans', unitAmount: 9_900, currency }] });
    const euro = { name: 'Euro', amountCents: 9_900, currency, priceId, offered: true };
    await world.store.collection(plansCollection).insert({ _id: id, ...euro });
    const before = await standing();
    expect(await ask('change_plan_later', { planId: id })).toBe('plan_not_available');
    expect(await standing()).toEqual(before);
    const { id: scheduleId } = (await stage.raw('POST', 'subscription_schedules', {
      from_subscription: subscriptionId,
    })) as unknown as { readonly id: string };
    const mixed = {
      'phases[0][items][0][price]': 'price_starter',
      'phases[0][start_date]': 'now',
      'phases[0][end_date]': String((await stage.now()) + dayS),
      'phases[1][items][0][price]': priceId,
    };
    await expect(stage.raw('POST', `subscription_schedules/${scheduleId}`, mixed)).rejects.toThrow(
      "This doesn't match the expected currency: `usd`",
    );
  });

  it('lasts as long as the interval of its price says', async () => {
    const { world, subscriptionId, ask } = await stage.signed(contract());
    expect(await ask('change_plan_later', { planId: 'yearly' })).toBe('succeeded');
    const { scheduleId } = world.subscription()!.provider;
    const { phases } = (await stage.raw('GET', `subscription_schedules/${scheduleId}`)) as unknown as {
      readonly phases: readonly { readonly start_date: number; readonly end_date: number }[];
    };
    const { start_date: start, end_date: end } = phases[1]!;
    expect((end - start) / dayS).toBeGreaterThanOrEqual(365);
    expect((await stage.raw('GET', `subscriptions/${subscriptionId}`))['schedule']).toBe(scheduleId);
  });
});

describe('a law-breaking build is noticed', () => {
  /** Sends the running phase of a deferred change without one of its settings. */
  const forgetting =
    (setting: string): Through =>
    () => ({
      ...stage.provider,
      prepare: (intent, effect) => {
        if (effect.step !== 'schedule_price') return stage.provider.prepare(intent, effect);
        const items = effect.current.settings.items.map(({ quantity: _count, ...item }) => ({ ...item, quantity: 1 }));
        const { [setting as 'items']: _lost, ...kept } = effect.current.settings;
        const settings = { ...kept, items: setting === 'items' ? items : effect.current.settings.items };
        return stage.provider.prepare(intent, { ...effect, current: { ...effect.current, settings } });
      },
    });

  it.each([
    ['trial_end', 'status'],
    ['discounts', 'discounts'],
    ['default_tax_rates', 'default_tax_rates'],
    ['automatic_tax', 'automatic_tax'],
    ['items', 'items'],
  ])('when it leaves %s of the running phase out', async (setting, field) => {
    const { before, after } = await compared('change_plan_later', contract({ trialing: true }), forgetting(setting));
    expect(lost(before, after)).toContain(field);
  });

  /** Changes one more thing after each call of an action. */
  const overreaching =
    (change: string): Through =>
    (ids) => ({
      ...stage.provider,
      prepare: (intent, effect) => {
        const call = stage.provider.prepare(intent, effect);
        return { ...call, send: () => call.send().then((answer) => overreaches[change]!(ids).then(() => answer)) };
      },
    });
  const update =
    (change: Record<string, string>) =>
    ({ subscriptionId }: SoldIds) =>
      stage.raw('POST', `subscriptions/${subscriptionId}`, change);
  const overreaches: Readonly<Record<string, (ids: SoldIds) => Promise<unknown>>> = {
    status: update({ trial_end: 'now' }),
    metadata: update({ 'metadata[contract]': '' }),
    description: update({ description: 'changed' }),
    'customer.invoice_settings': ({ customerId }) =>
      stage.raw('POST', `customers/${customerId}`, { 'invoice_settings[default_payment_method]': '' }),
    billing_cycle_anchor: update({ billing_cycle_anchor: 'now', proration_behavior: 'none' }),
    items: (ids) => {
      const item = { 'items[0][id]': ids.itemId, 'items[0][quantity]': '9' };
      return update({ ...item, proration_behavior: 'none' })(ids);
    },
  };
  /** Actions that change a running subscription or its customer in one call. */
  const sending = ['suspend', 'upgrade_plan', 'cancel_subscription', 'credit_customer'] as const;

  it.each(Object.keys(overreaches).flatMap((field) => sending.map((action) => [action, field] as const)))(
    'when %s changes %s as well',
    async (action, field) => {
      const { before, after } = await compared(action, contract({ trialing: field === 'status' }), overreaching(field));
      expect(lost(before, after)).toContain(field);
    },
  );
});
