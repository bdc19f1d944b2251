/** What a workspace's owner and the platform's owner see of its record. */
import type { AdminState } from '@platform/contracts-operator';
import type { Subscription } from '../domain/subscription';
import { adminStateView } from './admin-state-view';

const day = (at: number) => new Date(Date.UTC(2026, 0, at));
const text = (at: number) => day(at).toISOString();
const record: Subscription = {
  _id: 'acme',
  revision: 'r1',
  createdAt: day(1),
  updatedAt: day(2),
  workspaceName: 'Acme',
  owner: { userId: 'ann', email: 'ann@acme.example' },
  status: 'active',
  access: { state: 'open', since: day(3), operationId: null },
  accessRevision: 4,
  planId: 'starter',
  provider: { customerId: 'cus_acme', subscriptionId: 'sub_acme' },
  checkout: { sessionId: 'cs_1', operationId: 'op-checkout-1' },
  isComplimentary: false,
};
const seen: AdminState = {
  tenantId: 'acme',
  workspaceName: 'Acme',
  status: 'active',
  state: 'active',
  access: { state: 'open', since: text(3), operationId: null },
  planId: 'starter',
  isComplimentary: false,
  revision: 'r1',
  updatedAt: text(2),
};
const transition = { operationId: 'op-upgrade-1', kind: 'change_plan', attempt: 2, requestedAt: day(4) } as const;
const deletion = { operationId: 'op-delete-1', startedAt: day(5) };

describe('the view of a workspace', () => {
  it.each<[string, Partial<Subscription>, Partial<AdminState>]>([
    ['its access and its plan, and no identity of the provider', {}, {}],
    [
      'why its access is closed, since when and by which operation',
      { status: 'suspended', access: { state: 'closed', since: day(6), operationId: 'op-suspend-1' } },
      {
        status: 'suspended',
        state: 'suspended',
        access: { state: 'closed', reason: 'suspended', since: text(6), operationId: 'op-suspend-1' },
      },
    ],
    [
      'that its price is in no plan of the catalog, and not which price',
      { unlistedPriceId: 'price_own' },
      { priceNotInCatalog: true },
    ],
    [
      'the plan to which it changes, and when',
      { pendingPlan: { planId: 'pro', at: day(7), scheduleId: 'sub_sched_1' } },
      { state: 'changing_later', pendingPlan: { planId: 'pro', at: text(7) } },
    ],
    [
      'its dates',
      { isComplimentary: true, freeUntil: day(8), currentPeriodEnd: day(9), cancelsAt: day(10), overdueSince: day(11) },
      {
        state: 'complimentary',
        isComplimentary: true,
        freeUntil: text(8),
        currentPeriodEnd: text(9),
        cancelsAt: text(10),
        overdueSince: text(11),
      },
    ],
    [
      'the transition that is under way',
      { transition },
      { state: 'changing', transition: { operationId: 'op-upgrade-1', kind: 'change_plan', requestedAt: text(4) } },
    ],
    [
      'the plan that the transition leads to',
      { transition: { ...transition, targetPlanId: 'pro' } },
      {
        state: 'changing',
        transition: { operationId: 'op-upgrade-1', kind: 'change_plan', targetPlanId: 'pro', requestedAt: text(4) },
      },
    ],
    [
      'the deletion that has started',
      { deletion },
      {
        state: 'deleting',
        access: { ...seen.access, state: 'closed', reason: 'deleted' },
        deletion: { operationId: 'op-delete-1', startedAt: text(5) },
      },
    ],
    [
      'the deletion that is complete',
      { deletion: { ...deletion, completedAt: day(12) } },
      {
        state: 'deleted',
        access: { ...seen.access, state: 'closed', reason: 'deleted' },
        deletion: { operationId: 'op-delete-1', startedAt: text(5), completedAt: text(12) },
      },
    ],
  ])('shows %s', (_what, change, shown) => {
    expect(adminStateView({ ...record, ...change })).toStrictEqual({ ...seen, ...shown });
  });
});
