/** The rows of the table of tenant states that a record can be in; the first one that matches counts. */
import type { TransitionKind } from '@platform/contracts-operator';
import type { Subscription } from './subscription';
import { tenantStateOf } from './tenant-state';

const at = new Date('2026-01-01T00:00:00.000Z');
const record: Subscription = {
  _id: 'acme',
  revision: 'r1',
  createdAt: at,
  updatedAt: at,
  workspaceName: 'Acme',
  status: 'active',
  access: { state: 'open', since: at, operationId: null },
  planId: 'starter',
  provider: {},
  isComplimentary: false,
};
const closed = { state: 'closed', since: at, operationId: 'op-suspend-1' } as const;
const deletion = { startedAt: at, operationId: 'op-delete-1' };
const pendingPlan = { planId: 'pro', at, scheduleId: 'sub_sched_1' };
const under = (kind: TransitionKind) => ({ transition: { operationId: 'op-1', kind, requestedAt: at } });

describe('the state of a workspace', () => {
  it.each<[string, Partial<Subscription>, string]>([
    ['nothing else holds', {}, 'active'],
    ['it is on trial', { status: 'trialing' }, 'active'],
    ['its deletion is complete', { deletion: { ...deletion, completedAt: at } }, 'deleted'],
    ['its deletion has started', { deletion }, 'deleting'],
    ['its deletion has started under a transition', { deletion, ...under('suspend') }, 'deleting'],
    ['it is being suspended', { access: closed, ...under('suspend') }, 'suspending'],
    ['it is being reactivated', { status: 'suspended', access: closed, ...under('reactivate') }, 'reactivating'],
    ['it is suspended', { status: 'suspended' }, 'suspended'],
    ['only its access is closed', { access: closed }, 'suspended'],
    ['it is suspended under another transition', { status: 'suspended', ...under('change_plan') }, 'suspended'],
    ['its first invoice is not paid', { status: 'pending_payment' }, 'awaiting_payment'],
    ['its subscription has ended', { status: 'cancelled' }, 'ended'],
    ['its subscription has ended, and a checkout is under way', { status: 'cancelled', ...under('checkout') }, 'ended'],
    ['a checkout is under way', { isComplimentary: true, ...under('checkout') }, 'checking_out'],
    ['another transition is under way', { isComplimentary: true, ...under('change_plan') }, 'changing'],
    ['its access is granted', { isComplimentary: true }, 'complimentary'],
    ['its access is granted after its end', { isComplimentary: true, status: 'cancelled' }, 'complimentary'],
    ['a payment is overdue', { status: 'past_due', cancelsAt: at }, 'overdue'],
    ['it ends with its period', { cancelsAt: at, pendingPlan }, 'ending'],
    ['a plan change is pending', { pendingPlan }, 'changing_later'],
  ])('when %s', (_when, change, state) => {
    expect(tenantStateOf({ ...record, ...change })).toBe(state);
  });
});
