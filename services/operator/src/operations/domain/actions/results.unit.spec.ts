/** The result that the journal keeps of each action, and shows. */
import type { OperationAction } from '@platform/contracts-operator';
import { actionOf } from '.';
import { at, periodEnd, phase, running, workspace } from '../../testing/action-fixtures';
import type { Subscription } from '../../../mirror/domain/subscription';
import type { EffectAnswer } from '../effects';
import type { RunningOperation } from '../operation';

type Row = readonly [
  what: string,
  given: {
    readonly mirror?: Partial<Subscription>;
    readonly operation?: Partial<RunningOperation>;
    readonly answers?: readonly EffectAnswer[];
  },
  result: Readonly<Record<string, unknown>>,
];

const fromPlan = { operation: { checkpoint: { fromPlanId: 'starter' } } };
const session = { sessionId: 'cs_1', url: 'https://pay.test/cs_1', expiresAt: periodEnd, trialDays: 0 };
const announced = { announcedAt: at, listenersCalledAt: periodEnd };

const results: { readonly [Action in OperationAction]: readonly Row[] } = {
  suspend: [['closed access', {}, { access: 'closed', status: 'suspended' }]],
  reactivate: [
    [
      'open access with the status of the subscription',
      { answers: [{ step: 'resume_collection', status: 'trialing' }] },
      { access: 'open', status: 'trialing' },
    ],
    [
      'closed access where nothing pays',
      { operation: { checkpoint: { unpaid: 'price_pro' } } },
      { access: 'closed', status: 'cancelled' },
    ],
  ],
  upgrade_plan: [
    ['both plans', fromPlan, { planId: 'pro', fromPlanId: 'starter' }],
    ['the new plan, for a record without a checkpoint', {}, { planId: 'pro', fromPlanId: undefined }],
  ],
  credit_customer: [
    [
      'the amount and its transaction',
      {
        operation: { values: { amountCents: 500 }, checkpoint: { customerId: 'cus_acme', currency: 'usd' } },
        answers: [{ step: 'balance_credit', objectId: 'cbtxn_1' }],
      },
      { amountCents: 500, currency: 'usd', balanceTransactionId: 'cbtxn_1' },
    ],
    [
      'the amount, where neither is known',
      { operation: { values: { amountCents: 500 } } },
      { amountCents: 500, currency: undefined, balanceTransactionId: undefined },
    ],
  ],
  grant_free_access: [
    ['a grant without an end', {}, { planId: 'pro', isComplimentary: true, freeUntil: null }],
    [
      'the end in one notation',
      { operation: { values: { planId: 'pro', freeUntil: '2026-04-01T02:00:00+02:00' } } },
      { planId: 'pro', isComplimentary: true, freeUntil: '2026-04-01T00:00:00.000Z' },
    ],
  ],
  cancel_subscription: [
    [
      'the end that the provider answers',
      { mirror: { currentPeriodEnd: at }, answers: [{ step: 'cancel_at_period_end', periodEnd }] },
      { cancelsAt: '2026-04-01T00:00:00.000Z' },
    ],
    [
      'the end of the period, where the answer has none',
      { mirror: { currentPeriodEnd: at }, answers: [{ step: 'cancel_at_period_end' }] },
      { cancelsAt: '2026-03-01T00:00:00.000Z' },
    ],
    ['no end, where no period is known', {}, { cancelsAt: null }],
  ],
  change_plan_later: [
    [
      'when the plan changes',
      { answers: [{ step: 'schedule_price', objectId: 'sched_1', runningPhase: phase('price_starter') }] },
      { planId: 'pro', at: '2026-04-01T00:00:00.000Z' },
    ],
    [
      'no date, where the answer has none',
      { answers: [{ step: 'schedule_price', objectId: 'sched_1' }] },
      { planId: 'pro', at: undefined },
    ],
    ['no date without an answer', {}, { planId: 'pro', at: undefined }],
  ],
  drop_pending_change: [['the plan that goes on', {}, { planId: 'starter', pendingPlan: null }]],
  checkout: [
    [
      'the subscription and its session',
      { operation: { checkout: session } },
      { planId: 'pro', subscriptionId: 'sub_acme', sessionId: 'cs_1' },
    ],
    [
      'the plan, where no session was recorded',
      { mirror: { provider: {} } },
      { planId: 'pro', subscriptionId: undefined, sessionId: undefined },
    ],
  ],
  expire_checkout: [
    [
      'the session and its status',
      {
        operation: { checkpoint: { sessionId: 'cs_1' } },
        answers: [{ step: 'expire_session', objectId: 'cs_1', status: 'expired' }],
      },
      { sessionId: 'cs_1', session: 'expired' },
    ],
    ['nothing that is not known', {}, { sessionId: undefined, session: undefined }],
  ],
  delete_workspace: [
    [
      'when it began and when the listeners were called',
      { mirror: { deletion: { startedAt: at, operationId: 'op-00000001' } }, operation: { deletion: announced } },
      {
        access: 'closed',
        status: 'cancelled',
        deletionStartedAt: '2026-03-01T00:00:00.000Z',
        listenersCalledAt: '2026-04-01T00:00:00.000Z',
      },
    ],
    [
      'no instants that are not recorded',
      { operation: { deletion: { announcedAt: at } } },
      { access: 'closed', status: 'cancelled', deletionStartedAt: null, listenersCalledAt: null },
    ],
    [
      'no instants of a deletion that announced nothing',
      {},
      { access: 'closed', status: 'cancelled', deletionStartedAt: null, listenersCalledAt: null },
    ],
  ],
  end_free_access: [
    ['a cancelled workspace', {}, { status: 'cancelled', isComplimentary: false }],
    [
      'an active workspace on a plan without a price',
      { operation: { checkpoint: { then: 'active' } } },
      { status: 'active', isComplimentary: false },
    ],
  ],
  record_subscription_end: [
    ['a cancelled workspace', { mirror: { status: 'past_due' } }, { status: 'cancelled' }],
    ['a workspace that stays suspended', { mirror: { status: 'suspended' } }, { status: 'suspended' }],
  ],
  record_plan_change: [
    ['both plans', fromPlan, { planId: 'pro', fromPlanId: 'starter' }],
    ['the new plan, for a record without a checkpoint', {}, { planId: 'pro', fromPlanId: undefined }],
  ],
  give_up_upgrade: [
    [
      'the upgrade and its invoice',
      {
        operation: { checkpoint: { invoiceId: 'in_1', upgradeId: 'op-upgrade-1' } },
        answers: [{ step: 'void_invoice', objectId: 'in_1', status: 'void' }],
      },
      { upgrade: 'op-upgrade-1', invoice: 'void' },
    ],
    ['nothing that is not known', {}, { upgrade: undefined, invoice: undefined }],
  ],
  keep_subscription: [
    [
      'when the subscription renews',
      { mirror: { currentPeriodEnd: periodEnd } },
      { planId: 'starter', renewsAt: '2026-04-01T00:00:00.000Z' },
    ],
    ['no date, where no period is known', {}, { planId: 'starter', renewsAt: null }],
  ],
};

describe.each(Object.entries(results) as [OperationAction, readonly Row[]][])(
  'the result of %s says',
  (action, rows) => {
    it.each(rows)('%s', (_what, { mirror, operation, answers = [] }, result) => {
      const said = actionOf(action).result(workspace(mirror), running(action, operation), answers);
      expect(said).toStrictEqual(result);
    });
  },
);
