/**
 * What each action writes over the mirror: with its transition, after its effects, when it is cleared, when it is
 * abandoned, and when an investigation found it applied. A field that is undefined is removed.
 */
import type { OperationAction } from '@platform/contracts-operator';
import { actionOf } from '.';
import { at, now, pendingPlan, periodEnd, phase, running, workspace } from '../../testing/action-fixtures';
import type { Subscription, SubscriptionPatch } from '../../../mirror/domain/subscription';
import type { EffectAnswer } from '../effects';
import type { RunningOperation } from '../operation';

type Row = readonly [
  what: string,
  given: {
    readonly mirror?: Partial<Subscription>;
    readonly operation?: Partial<RunningOperation>;
    readonly answers?: readonly EffectAnswer[];
  },
  patch: SubscriptionPatch,
];
type Table = { readonly [Action in OperationAction]?: readonly Row[] };

const own = { state: 'closed', since: at, operationId: 'op-00000001' } as const;
const others = { ...own, operationId: 'op-00000002' };
const bought = { customerId: 'cus_acme', subscriptionId: 'sub_acme', itemId: 'si_acme' };
const managed = { ...bought, scheduleId: 'sched_acme' };
const marker = { startedAt: at, operationId: 'op-delete-01' };
const complete = { announcedAt: at, deliveriesSkippedAt: at, listenersCalledAt: at };
const resolution = (providerObject: string | null) => ({
  operation: {
    resolution: { outcome: 'applied', executorStopped: 'gone', providerObject, by: 'ops@example.com', at },
  } as const,
});
const resumed = (status?: string): Row[1] => ({
  operation: { checkpoint: { subscriptionId: 'sub_acme' } },
  answers: [{ step: 'resume_collection', ...(status !== undefined && { status }) }],
});
const opened = (status: Subscription['status']): SubscriptionPatch => ({
  status,
  access: { state: 'open', since: now, operationId: 'op-00000001' },
  overdueSince: status === 'past_due' ? now : undefined,
});
const grant: SubscriptionPatch = {
  status: 'active',
  planId: 'pro',
  isComplimentary: true,
  freeUntil: undefined,
  provider: { customerId: 'cus_acme' },
  pendingPlan: undefined,
  cancelsAt: undefined,
  currentPeriodEnd: undefined,
  overdueSince: undefined,
};
const freeUntil = { operation: { values: { planId: 'pro', freeUntil: '2026-04-01T02:00:00+02:00' } } };
const granted: readonly Row[] = [
  ['without an end', { mirror: { provider: managed } }, grant],
  ['until an instant', freeUntil, { ...grant, freeUntil: periodEnd }],
  ['for a workspace without a customer', { mirror: { provider: {} } }, { ...grant, provider: {} }],
];
const notFree = { isComplimentary: false, freeUntil: undefined };
const freeEnd: readonly Row[] = [
  ['of a plan with a price', { operation: { checkpoint: { then: 'cancelled' } } }, { status: 'cancelled', ...notFree }],
  ['of a plan without a price', { operation: { checkpoint: { then: 'active' } } }, { status: 'active', ...notFree }],
  ['of a record without a checkpoint', {}, { status: 'cancelled', ...notFree }],
];
const nothingDue = { pendingPlan: undefined, cancelsAt: undefined, overdueSince: undefined };
const gone = { provider: bought, ...nothingDue };
const end: readonly Row[] = [
  ['of an active workspace', { mirror: { provider: managed, pendingPlan } }, { status: 'cancelled', ...gone }],
  ['of an overdue workspace', { mirror: { status: 'past_due' } }, { status: 'cancelled', ...gone }],
  ['of a suspended workspace', { mirror: { status: 'suspended' } }, { status: 'suspended', ...gone }],
];
const landed: readonly Row[] = [
  ['to the plan', { mirror: { pendingPlan } }, { planId: 'pro', pendingPlan: undefined }],
];

function patchOf(
  moment: 'onAdmitted' | 'onResolved' | 'onCleared' | 'onAbandoned' | 'mirrored',
  action: OperationAction,
  { mirror, operation, answers = [] }: Row[1],
): SubscriptionPatch | undefined {
  const [subscription, record] = [workspace(mirror), running(action, operation)];
  const definition = actionOf(action);
  return moment === 'mirrored'
    ? definition.mirrored?.(subscription, record, answers, now)
    : definition[moment]?.(subscription, record, now);
}

const moments: Readonly<Record<Parameters<typeof patchOf>[0], Table>> = {
  onAdmitted: {
    suspend: [['access', {}, { access: { state: 'closed', since: now, operationId: 'op-00000001' } }]],
    delete_workspace: [
      [
        'marker and access',
        {},
        {
          deletion: { startedAt: now, operationId: 'op-00000001' },
          access: { state: 'closed', since: now, operationId: 'op-00000001' },
        },
      ],
      [
        'only the marker where access is closed already',
        { mirror: { access: others } },
        { deletion: { startedAt: now, operationId: 'op-00000001' } },
      ],
      [
        'nothing new where a former deletion set both',
        { mirror: { access: others, deletion: marker } },
        { deletion: marker },
      ],
    ],
  },
  mirrored: {
    reactivate: [
      ['a subscription that runs', resumed('active'), opened('active')],
      ['a subscription whose payment is overdue', resumed('unpaid'), opened('past_due')],
      ['a subscription on trial', resumed('trialing'), opened('trialing')],
      ['a subscription that has ended', resumed('canceled'), opened('cancelled')],
      ['a status that is not known', resumed('of a later version'), opened('active')],
      ['an answer without a status', resumed(), opened('active')],
      ['a subscription that the provider no longer has', { ...resumed(), answers: [] }, opened('cancelled')],
      ['a plan that nothing pays for', { operation: { checkpoint: { unpaid: 'price_pro' } } }, opened('cancelled')],
      ['a plan that costs nothing', { operation: { checkpoint: {} } }, opened('active')],
      ['a record without a checkpoint', {}, opened('active')],
      [
        'the answer of another step',
        { operation: { checkpoint: {} }, answers: [{ step: 'cancel_now', status: 'canceled' }] },
        opened('active'),
      ],
    ],
    upgrade_plan: [['the plan', {}, { planId: 'pro' }]],
    grant_free_access: granted,
    cancel_subscription: [
      [
        'the end of the period that the provider answers',
        {
          mirror: { provider: managed, pendingPlan, currentPeriodEnd: at },
          answers: [{ step: 'cancel_at_period_end', periodEnd }],
        },
        { provider: bought, pendingPlan: undefined, cancelsAt: periodEnd },
      ],
      [
        'the end of the period in the mirror, where the answer has none',
        { mirror: { currentPeriodEnd: at }, answers: [{ step: 'cancel_at_period_end' }] },
        { provider: bought, pendingPlan: undefined, cancelsAt: at },
      ],
      ['an end now, where no period is known', {}, { provider: bought, pendingPlan: undefined, cancelsAt: now }],
    ],
    change_plan_later: [
      [
        'the pending plan with its schedule',
        { answers: [{ step: 'schedule_price', objectId: 'sched_acme', runningPhase: phase('price_starter') }] },
        { provider: managed, pendingPlan: { planId: 'pro', at: periodEnd, scheduleId: 'sched_acme' } },
      ],
    ],
    drop_pending_change: [
      ['no pending plan', { mirror: { provider: managed, pendingPlan } }, { provider: bought, pendingPlan: undefined }],
    ],
    end_free_access: freeEnd,
    record_subscription_end: end,
    record_plan_change: landed,
    keep_subscription: [['no end', { mirror: { cancelsAt: periodEnd } }, { cancelsAt: undefined }]],
  },
  onResolved: {
    reactivate: [
      ['a plan that is paid for', { operation: { checkpoint: { subscriptionId: 'sub_acme' } } }, resolvedAs('active')],
      ['a plan that nothing pays for', { operation: { checkpoint: { unpaid: 'p' } } }, resolvedAs('cancelled')],
      ['a record without a checkpoint', {}, resolvedAs('active')],
    ],
    grant_free_access: granted,
    end_free_access: freeEnd,
    record_subscription_end: end,
    record_plan_change: landed,
  },
  onCleared: {
    suspend: [['the suspension', {}, { status: 'suspended' }]],
    checkout: [
      ['no session', {}, { checkout: undefined }],
      ['no session, where an investigation named one', resolution('cs_1'), { checkout: undefined }],
      ['no session, where an investigation named nothing', resolution(null), { checkout: undefined }],
      [
        'the subscription that an investigation named',
        resolution('sub_found'),
        {
          ...{ checkout: undefined, planId: 'pro', provider: { ...bought, subscriptionId: 'sub_found' } },
          ...{ isComplimentary: false, freeUntil: undefined },
        },
      ],
    ],
    delete_workspace: [
      ['nothing without a marker', { operation: { deletion: complete } }, {}],
      ['nothing of a deletion that published nothing', { mirror: { deletion: marker } }, {}],
      [
        'the end of a complete deletion',
        { mirror: { deletion: marker }, operation: { deletion: complete } },
        {
          status: 'cancelled',
          ...nothingDue,
          deletion: { ...marker, completedAt: now },
        },
      ],
      [
        'the first end of a deletion that was complete before',
        { mirror: { deletion: { ...marker, completedAt: at } }, operation: { deletion: complete } },
        { status: 'cancelled', ...nothingDue, deletion: { ...marker, completedAt: at } },
      ],
    ],
  },
  onAbandoned: {
    suspend: [
      [
        'access that it closed',
        { mirror: { access: own } },
        { access: { state: 'open', since: now, operationId: null } },
      ],
      ['nothing of access that another operation closed', { mirror: { access: others } }, {}],
    ],
    reactivate: [
      [
        'the suspension that it lifted',
        { mirror: { access: { ...own, state: 'open' } } },
        { status: 'suspended', access: { state: 'closed', since: now, operationId: 'op-00000001' } },
      ],
      ['nothing of access that another operation closed', { mirror: { access: others } }, {}],
    ],
    checkout: [['no session', {}, { checkout: undefined }]],
  },
};

function resolvedAs(status: Subscription['status']): SubscriptionPatch {
  return { status, access: { state: 'open', since: now, operationId: 'op-00000001' } };
}

describe.each(Object.entries(moments) as [Parameters<typeof patchOf>[0], Table][])('%s', (moment, table) => {
  describe.each(Object.entries(table) as [OperationAction, readonly Row[]][])('of %s writes', (action, rows) => {
    it.each(rows)('%s', (_what, given, patch) => {
      expect(patchOf(moment, action, given)).toStrictEqual(patch);
    });
  });
});

describe('a deferred change without the answer of its last step', () => {
  it.each<[string, EffectAnswer[]]>([
    ['no answer', [{ step: 'create_schedule', objectId: 'sched_1', runningPhase: phase('price_starter') }]],
    ['an answer without the schedule', [{ step: 'schedule_price', runningPhase: phase('price_starter') }]],
    ['an answer without a running phase', [{ step: 'schedule_price', objectId: 'sched_1' }]],
  ])('is never mirrored: %s', (_what, answers) => {
    expect(() => patchOf('mirrored', 'change_plan_later', { answers })).toThrow(
      'operation op-00000001: nothing was scheduled',
    );
  });
});
