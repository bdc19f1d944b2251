/** What an action is judged by: which reads are made for it, and how their answers appear. */
import { failed, succeeded, unknown } from '@platform/kernel';
import type { ActionDefinition } from '../domain/actions';
import { charge, inStatus, periodEnd, phase, plans, running, workspace } from '../testing/action-fixtures';
import { asksProvider, contextOf, plansReadBy } from './action-context';

type Reads = Parameters<typeof contextOf>[1];
type Ports = Parameters<typeof contextOf>[0];

const sold = { id: 'sub_acme', status: 'active', priceId: 'price_starter', quantity: 3, scheduleId: null };
const price = {
  id: 'price_pro',
  unitAmount: 4_900,
  currency: 'usd',
  interval: 'month',
  intervalCount: 1,
  active: true,
};
const payment = {
  invoiceId: 'in_1',
  subscriptionId: 'sub_acme',
  confirmUrl: 'https://invoice.test/in_1',
  expiresAt: periodEnd,
};

/** Reads that answer like this, and the list of what was read. */
function reads(answers: Readonly<Record<string, unknown>> = {}) {
  const read: string[] = [];
  const answering = (name: string, standard: unknown) => async (given: unknown) => {
    read.push(`${name} ${typeof given === 'string' ? given : JSON.stringify(given)}`);
    return name in answers ? answers[name] : standard;
  };
  const ports = {
    plans: {
      findById: async (id: string) => (read.push(`plan ${id}`), plans[id as keyof typeof plans] ?? null),
    },
    operations: { findById: answering('operation', null) },
    provider: {
      retrieveSubscription: answering('subscription', succeeded(sold)),
      retrieveSchedule: answering('schedule', unknown('time-out')),
      retrievePrice: answering('price', succeeded(price)),
      previewPriceChange: answering('preview', succeeded(charge)),
    },
  } as unknown as Ports;
  return { read, ports };
}

const nothing: Reads = { readsPlans: false };
const asked = { values: { planId: 'pro' } };
const change = { subscriptionId: 'sub_acme', itemId: 'si_acme', priceId: 'price_pro', quantity: 1 };
const charging: Reads = { readsPlans: true, charges: () => change };
const previewed = { ...asked, previewDigest: 'digest.1772400000' };

describe('whether the provider is asked', () => {
  it.each<[Partial<ActionDefinition>, boolean]>([
    [{}, false],
    [{ readsProvider: false, readsPrice: false }, false],
    [{ readsProvider: true }, true],
    [{ readsPrice: true }, true],
    [{ charges: () => null }, true],
  ])('for %j is %s', (action, asks) => {
    expect(asksProvider(action)).toBe(asks);
  });
});

describe('the plans of a judgement', () => {
  it.each([
    [false, asked, 'starter', []],
    [false, previewed, 'starter', ['starter', 'pro']],
    [true, asked, 'starter', ['starter', 'pro']],
    [true, asked, undefined, ['pro']],
    [true, { values: { planId: 7 } }, 'starter', ['starter']],
  ] as const)('read: %s, for %j on %s', (readsPlans, request, own, ids) => {
    expect(plansReadBy({ readsPlans }, request, own)).toEqual(ids);
  });
});

describe('the context of a judgement', () => {
  const bare = {
    subscription: workspace(),
    values: asked.values,
    plan: null,
    target: null,
    atProvider: null,
    held: null,
    targetPrice: null,
  };
  const seen = { status: 'active', priceId: 'price_starter', quantity: 3, ending: false, scheduleId: null };
  const scheduled = { subscription: succeeded({ ...sold, scheduleId: 'sched_1' }) };
  const started = {
    phases: [phase('price_starter'), phase('price_pro')],
    runningSince: phase('price_starter').startDate,
  };
  const refusal = failed('provider_refused', 'no such object');

  it.each<[string, Reads, Readonly<Record<string, unknown>>, object, readonly string[]]>([
    ['nothing', nothing, {}, {}, []],
    ['plans', { readsPlans: true }, {}, { plan: plans.starter, target: plans.pro }, ['plan starter', 'plan pro']],
    [
      'the subscription at the provider',
      { ...nothing, readsProvider: true },
      {},
      { atProvider: { ...seen, running: null, upcoming: null } },
      ['subscription sub_acme'],
    ],
    [
      'a subscription that cannot be read',
      { ...nothing, readsProvider: true },
      { subscription: unknown('time-out') },
      { atProvider: 'unavailable' },
      ['subscription sub_acme'],
    ],
    [
      'a schedule that cannot be read',
      { ...nothing, readsProvider: true },
      scheduled,
      { atProvider: 'unavailable' },
      ['subscription sub_acme', 'schedule sched_1'],
    ],
    [
      'a schedule',
      { ...nothing, readsProvider: true },
      { ...scheduled, schedule: succeeded(started) },
      {
        atProvider: {
          ...seen,
          scheduleId: 'sched_1',
          running: phase('price_starter'),
          upcoming: phase('price_pro'),
        },
      },
      ['subscription sub_acme', 'schedule sched_1'],
    ],
    [
      'a schedule that does not run',
      { ...nothing, readsProvider: true },
      { ...scheduled, schedule: succeeded({ ...started, runningSince: null }) },
      { atProvider: { ...seen, scheduleId: 'sched_1', running: null, upcoming: null } },
      ['subscription sub_acme', 'schedule sched_1'],
    ],
    [
      'the price of the target',
      { readsPlans: true, readsPrice: true },
      {},
      { plan: plans.starter, target: plans.pro, targetPrice: price },
      ['plan starter', 'plan pro', 'price price_pro'],
    ],
    [
      'a price that does not exist',
      { readsPlans: true, readsPrice: true },
      { price: refusal },
      { plan: plans.starter, target: plans.pro, targetPrice: 'missing' },
      ['plan starter', 'plan pro', 'price price_pro'],
    ],
    [
      'a price that cannot be read',
      { readsPlans: true, readsPrice: true },
      { price: unknown('time-out') },
      { plan: plans.starter, target: plans.pro, targetPrice: 'unavailable' },
      ['plan starter', 'plan pro', 'price price_pro'],
    ],
    ['the price of no plan', { ...nothing, readsPrice: true }, {}, {}, []],
    [
      'no invoice without a preview',
      charging,
      {},
      { plan: plans.starter, target: plans.pro },
      ['plan starter', 'plan pro'],
    ],
  ])('of an action that reads %s', async (_what, action, answers, found, made) => {
    const { ports, read } = reads(answers);
    expect(await contextOf(ports, action, asked, workspace())).toStrictEqual({ ...bare, ...found });
    expect(read).toEqual(made);
  });

  it('of a plan without a price at the provider asks for none', async () => {
    const { ports, read } = reads();
    const action = { readsPlans: true, readsPrice: true };
    const context = await contextOf(ports, action, { values: { planId: 'free' } }, workspace());
    expect(context).toMatchObject({ target: plans.free, targetPrice: null });
    expect(read).toEqual(['plan starter', 'plan free']);
  });

  it('of a workspace without a subscription asks for none', async () => {
    const { ports, read } = reads();
    const without = workspace({ provider: {} });
    expect((await contextOf(ports, { ...nothing, readsProvider: true }, asked, without)).atProvider).toBeNull();
    expect(read).toEqual([]);
  });

  it.each<[string, object, unknown]>([
    ['succeeded', succeeded(charge), charge],
    ['is not known', unknown('time-out'), 'unavailable'],
    ['is a refusal, which confirms no figures', refusal, undefined],
  ])('of a previewed charge whose answer %s', async (_how, preview, expected) => {
    const { ports, read } = reads({ preview });
    const context = await contextOf(ports, charging, previewed, workspace());
    expect(context.charge).toEqual(expected);
    expect('charge' in context).toBe(expected !== undefined);
    expect(read.at(-1)).toBe(`preview ${JSON.stringify({ ...change, prorationDate: 1_772_400_000 })}`);
  });

  it.each<[string, Reads]>([
    ['charges nothing', nothing],
    ['has nothing to charge now', { ...nothing, charges: () => null }],
  ])('of an action that %s asks for no invoice, also with a preview', async (_what, action) => {
    const { ports, read } = reads();
    expect(await contextOf(ports, action, previewed, workspace())).not.toHaveProperty('charge');
    expect(read).toEqual(['plan starter', 'plan pro']);
  });
});

describe('the change that waits for a payment', () => {
  const upgrade = running('upgrade_plan');
  const transition = { operationId: upgrade._id, kind: 'change_plan', requestedAt: periodEnd } as const;
  const held = workspace({ transition });
  const reading: Reads = { ...nothing, readsHeld: true };
  const waits = inStatus(upgrade, 'awaiting_payment', { payment });

  it.each([
    ['waits', waits, held, { ...payment, operationId: upgrade._id }, [`operation ${upgrade._id}`]],
    ['runs', upgrade, held, null, [`operation ${upgrade._id}`]],
    ['is gone', null, held, null, [`operation ${upgrade._id}`]],
    ['is none', waits, workspace(), null, []],
  ])('is found where the holder of the workspace %s', async (_what, operation, subscription, expected, made) => {
    const { ports, read } = reads({ operation });
    expect((await contextOf(ports, reading, asked, subscription)).held).toEqual(expected);
    expect(read).toEqual(made);
  });

  it('is not looked for by another action', async () => {
    const { ports, read } = reads({ operation: waits });
    expect((await contextOf(ports, nothing, asked, held)).held).toBeNull();
    expect(read).toEqual([]);
  });
});
