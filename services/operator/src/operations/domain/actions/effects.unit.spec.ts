/** The steps that each action sends to the provider, made from what its first attempt fixed. */
import type { OperationAction } from '@platform/contracts-operator';
import { textOfPhase } from '@platform/payment-provider/effects';
import { actionOf, type EffectStep } from '.';
import { phase, running, workspace } from '../../testing/action-fixtures';
import type { Effect, EffectAnswer } from '../effects';

type Fixed = Readonly<Record<string, string>>;
type Steps = readonly [what: string, checkpoint: Fixed | undefined, steps: readonly Effect[]];

const sub = { subscriptionId: 'sub_fixed' };
const current = phase('price_starter');
const schedule = { scheduleId: 'sched_fixed', runningPhase: textOfPhase(current) };
const later = { ...sub, priceId: 'price_pro', interval: 'week', intervalCount: '3' };
const follows = { step: 'schedule_price', priceId: 'price_pro', interval: 'week', intervalCount: 3 } as const;
const price = { ...sub, itemId: 'si_fixed', priceId: 'price_pro' };
const unsubscribed = 'the workspace has no subscription at the provider';

/** The effects of an attempt in which every step before answered like this. */
function performed(steps: readonly EffectStep[], answers: readonly EffectAnswer[] = []): Effect[] {
  return steps.flatMap((step) => ('from' in step ? (step.from(answers) ?? []) : step));
}

function effects(action: OperationAction, checkpoint: Fixed | undefined, values = {}): readonly EffectStep[] {
  const { effects: before, effectsAfterReceipts: after } = actionOf(action);
  const operation = running(action, { values, ...(checkpoint && { checkpoint }) });
  return [...before(workspace(), operation), ...(after?.(workspace(), operation) ?? [])];
}

const steps: { readonly [Action in OperationAction]?: readonly Steps[] } = {
  suspend: [
    ['a subscription', sub, [{ step: 'pause_collection', ...sub, unlessAbsent: true }]],
    ['no subscription', {}, [{ step: 'pause_collection', skipped: unsubscribed }]],
    [
      'the subscription of the mirror, for a record without a checkpoint',
      undefined,
      [{ step: 'pause_collection', subscriptionId: 'sub_acme', unlessAbsent: true }],
    ],
  ],
  reactivate: [
    ['a subscription', sub, [{ step: 'resume_collection', ...sub, unlessAbsent: true }]],
    ['no subscription', {}, [{ step: 'resume_collection', skipped: unsubscribed }]],
    [
      'the subscription of the mirror, for a record without a checkpoint',
      undefined,
      [{ step: 'resume_collection', subscriptionId: 'sub_acme', unlessAbsent: true }],
    ],
  ],
  grant_free_access: [
    ['a subscription', sub, [{ step: 'cancel_now', ...sub, unlessAbsent: true }]],
    ['no subscription', {}, [{ step: 'cancel_now', skipped: unsubscribed }]],
    ['no checkpoint', undefined, [{ step: 'cancel_now', skipped: unsubscribed }]],
  ],
  delete_workspace: [
    ['a subscription', sub, [{ step: 'cancel_now', ...sub, unlessAbsent: true }]],
    ['no subscription', {}, [{ step: 'cancel_now', skipped: 'no subscription runs at the provider' }]],
    ['no checkpoint', undefined, [{ step: 'cancel_now', skipped: 'no subscription runs at the provider' }]],
  ],
  cancel_subscription: [
    [
      'no schedule',
      sub,
      [
        { step: 'release_schedule', skipped: 'no schedule manages the subscription' },
        { step: 'cancel_at_period_end', ...sub },
      ],
    ],
    [
      'a schedule',
      { ...sub, scheduleId: 'sched_fixed' },
      [
        { step: 'release_schedule', scheduleId: 'sched_fixed' },
        { step: 'cancel_at_period_end', ...sub },
      ],
    ],
  ],
  change_plan_later: [
    [
      'a schedule with its running phase',
      { ...later, ...schedule },
      [
        { step: 'create_schedule', skipped: 'a schedule manages the subscription' },
        { ...follows, scheduleId: 'sched_fixed', current },
      ],
    ],
  ],
  drop_pending_change: [
    ['a schedule', { scheduleId: 'sched_fixed' }, [{ step: 'release_schedule', scheduleId: 'sched_fixed' }]],
  ],
  expire_checkout: [['a session', { sessionId: 'cs_1' }, [{ step: 'expire_session', sessionId: 'cs_1' }]]],
  give_up_upgrade: [['an invoice', { invoiceId: 'in_1' }, [{ step: 'void_invoice', invoiceId: 'in_1' }]]],
  keep_subscription: [['a subscription', sub, [{ step: 'keep_after_period', ...sub }]]],
  checkout: [['a session that its own starter makes', {}, []]],
  end_free_access: [['nothing at the provider', {}, []]],
  record_subscription_end: [['nothing at the provider', sub, []]],
  record_plan_change: [['nothing at the provider', {}, []]],
};

describe.each(Object.entries(steps) as [OperationAction, readonly Steps[]][])('%s sends with', (action, rows) => {
  it.each(rows)('%s', (_what, checkpoint, expected) => {
    expect(performed(effects(action, checkpoint))).toStrictEqual(expected);
  });
});

describe('a credit', () => {
  it('sends amount and reason of the request, in the currency that is fixed', () => {
    const values = { amountCents: 1_250, reason: 'outage' };
    expect(effects('credit_customer', { customerId: 'cus_fixed', currency: 'eur' }, values)).toEqual([
      { step: 'balance_credit', customerId: 'cus_fixed', currency: 'eur', amountCents: 1_250, description: 'outage' },
    ]);
  });
});

describe('an upgrade', () => {
  const changed = { step: 'change_price', ...price, orConfirmed: true } as const;

  it.each<[string, Fixed, object]>([
    ['a record that fixed no quantity', price, {}],
    ['the quantity', { ...price, quantity: '3' }, { quantity: 3 }],
    ['the instant of proration', { ...price, prorationDate: '1772400000' }, { prorationDate: 1_772_400_000 }],
  ])('changes the price with %s', (_what, checkpoint, more) => {
    const answers = [{ step: 'change_price', objectId: 'sub_fixed' }] as const;
    expect(performed(effects('upgrade_plan', checkpoint), answers)).toStrictEqual([{ ...changed, ...more }]);
  });

  it('lets the provider hold the same change when the card holder must confirm', () => {
    const fixed = { ...price, quantity: '3', prorationDate: '1772400000' };
    const [first, second] = performed(effects('upgrade_plan', fixed));
    const { orConfirmed: _first, ...same } = { ...first, orConfirmed: true };
    expect(second).toStrictEqual({ ...same, step: 'hold_price_change' });
  });
});

describe('a deferred change without a running phase', () => {
  const made = { step: 'create_schedule', objectId: 'sched_new', runningPhase: current } as const;
  const other = { ...made, step: 'release_schedule', objectId: 'sched_other' } as const;

  it.each<[string, Fixed]>([
    ['no schedule', later],
    ['a schedule that has none', { ...later, scheduleId: 'sched_fixed' }],
    ['a phase of no schedule', { ...later, runningPhase: textOfPhase(current) }],
  ])('makes a schedule, and the new price follows its phase: %s', (_what, checkpoint) => {
    expect(performed(effects('change_plan_later', checkpoint), [other, made])).toStrictEqual([
      { step: 'create_schedule', ...sub },
      { ...follows, scheduleId: 'sched_new', current },
    ]);
  });

  it.each<[string, EffectAnswer[]]>([
    ['no answer', []],
    ['an answer without the schedule', [{ step: 'create_schedule', runningPhase: current }]],
    ['a schedule without a running phase', [{ step: 'create_schedule', objectId: 'sched_new' }]],
  ])('sends no price after %s', (_what, answers) => {
    expect(() => performed(effects('change_plan_later', later), answers)).toThrow(
      'operation op-00000001: the schedule has no running phase',
    );
  });
});

describe('a step that waits for the answer of another', () => {
  it.each<[OperationAction, Fixed, string[]]>([
    ['upgrade_plan', price, ['change_price', 'hold_price_change']],
    ['change_plan_later', later, ['create_schedule', 'schedule_price']],
  ])('is named before it can be made: %s', (action, checkpoint, names) => {
    expect(effects(action, checkpoint).map(({ step }) => step)).toEqual(names);
  });
});

describe('an operation whose record lacks what the first attempt fixed', () => {
  const needed: { readonly [Action in OperationAction]?: Fixed } = {
    upgrade_plan: price,
    credit_customer: { customerId: 'cus_fixed', currency: 'usd' },
    cancel_subscription: sub,
    change_plan_later: { ...sub, priceId: 'price_pro' },
    drop_pending_change: { scheduleId: 'sched_fixed' },
    expire_checkout: { sessionId: 'cs_1' },
    give_up_upgrade: { invoiceId: 'in_1' },
    keep_subscription: sub,
  };

  it.each(Object.entries(needed) as [OperationAction, Fixed][])('sends nothing: %s', (action, fixed) => {
    expect(effects(action, fixed, { amountCents: 1, reason: 'outage' })).not.toHaveLength(0);
    const without = Object.keys(fixed).map((gone) =>
      Object.fromEntries(Object.entries(fixed).filter(([key]) => key !== gone)),
    );
    for (const checkpoint of [undefined, ...without])
      expect(() => effects(action, checkpoint)).toThrow('operation op-00000001 has no checkpoint');
  });
});
