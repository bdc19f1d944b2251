import type { Plan } from '../../catalogue/domain/plan';
import type { Subscription } from '../../mirror/domain/subscription';
import { judgeActions } from './judged-actions';

const at = new Date('2026-01-01T00:00:00.000Z');
const stamped = { revision: 'r', createdAt: at, updatedAt: at };
const plan = (id: string, amountCents: number): Plan => ({
  ...stamped,
  _id: id,
  name: id,
  amountCents,
  currency: 'usd',
  ...(amountCents > 0 && { priceId: `price_${id}` }),
  offered: true,
});
const plans = [plan('free', 0), plan('starter', 1_900), plan('pro', 4_900)];
const workspace = (change: Partial<Subscription> = {}): Subscription => ({
  ...stamped,
  _id: 'acme',
  workspaceName: 'Acme',
  status: 'active',
  access: { state: 'open', since: at, operationId: null },
  planId: 'starter',
  provider: { customerId: 'cus_1', subscriptionId: 'sub_1', itemId: 'si_1' },
  isComplimentary: false,
  ...change,
});
const judged = (change?: Partial<Subscription>) =>
  Object.fromEntries(judgeActions(workspace(change), plans).map(({ action, refusal }) => [action, refusal?.code]));

describe('the actions of a platform owner', () => {
  it('are those that can succeed on an active workspace', () =>
    expect(judged()).toMatchObject({
      suspend: undefined,
      reactivate: 'not_suspended',
      upgrade_plan: undefined,
      credit_customer: undefined,
      grant_free_access: undefined,
      delete_workspace: undefined,
      end_free_access: 'no_free_access',
      record_plan_change: 'no_pending_change',
      // Decided by the provider's state, which this test does not have.
      record_subscription_end: undefined,
    }));

  it.each<[string, Partial<Subscription>, object]>([
    [
      'suspended',
      { status: 'suspended', access: { state: 'closed', since: at, operationId: 'op-1' } },
      { suspend: 'already_suspended', reactivate: undefined, upgrade_plan: 'workspace_suspended' },
    ],
    ['on the most expensive plan', { planId: 'pro' }, { upgrade_plan: expect.any(String), suspend: undefined }],
    [
      'about to change its plan',
      { pendingPlan: { planId: 'pro', at, scheduleId: 'sub_sched_1' } },
      { record_plan_change: undefined },
    ],
    [
      'held by another operation',
      { transition: { operationId: 'op-other-1', kind: 'suspend', requestedAt: at } },
      { suspend: 'transition_pending', upgrade_plan: 'transition_pending', credit_customer: undefined },
    ],
    [
      'being deleted',
      { deletion: { startedAt: at, operationId: 'op-delete-1' } },
      { suspend: 'deletion_started', credit_customer: 'deletion_started' },
    ],
  ])('are judged on a workspace that is %s', (_what, change, wanted) => expect(judged(change)).toMatchObject(wanted));
});
