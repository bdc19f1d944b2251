/**
 * The states of a workspace from its creation to its deletion, in one table: what holds it, its access, and which
 * actions may begin. A workspace is in the first row that matches it. `docs/states.md` shows the table; a search over
 * everything that can be done to a workspace compares each row with the gateway's behaviour.
 */
import type { OperationAction } from './actions';
import type { ClosedReason } from './closed-reasons';

export interface TenantStateRow {
  /** The facts in the records that decide, in words. */
  readonly when: string;
  /** `open`, or why the workspace is closed. */
  readonly access: 'open' | ClosedReason;
  /** What refuses competing changes. */
  readonly fence: string;
  /** The actions that may begin, by the platform or by the workspace's owner. */
  readonly actions: readonly OperationAction[];
}

const ofEachTenant = ['credit_customer', 'delete_workspace'] as const;
const ofTheOpen = ['suspend', 'grant_free_access', ...ofEachTenant] as const;

export const tenantStates = {
  preparing: {
    when: 'its creation is under way, or stopped, and the gateway has no record',
    access: 'preparing',
    fence: 'the creation marker',
    actions: [],
  },
  awaiting_payment: {
    when: 'its creation is prepared, and its first invoice is not paid',
    access: 'unpaid',
    fence: 'the creation marker',
    actions: [],
  },
  not_created: {
    when: 'its creation was taken back; the tombstone exists',
    access: 'deleted',
    fence: 'the tombstone, permanently',
    actions: [],
  },
  deleted: {
    when: 'the deletion marker is set, and every part of a deletion is durable',
    access: 'deleted',
    fence: 'the deletion marker, permanently',
    actions: [],
  },
  deleting: {
    when: 'the deletion marker is set',
    access: 'deleted',
    fence: 'the deletion marker',
    actions: ['delete_workspace'],
  },
  suspending: {
    when: 'a transition `suspend` is under way',
    access: 'suspended',
    fence: 'the transition',
    actions: ['credit_customer'],
  },
  reactivating: {
    when: 'a transition `reactivate` is under way (`reactivation_requested` of the specification)',
    access: 'suspended',
    fence: 'the transition',
    actions: ['credit_customer'],
  },
  suspended: {
    when: 'it is suspended',
    access: 'suspended',
    fence: '–',
    actions: ['reactivate', 'record_subscription_end', ...ofEachTenant],
  },
  ended: {
    when: 'its subscription or its free access has ended',
    access: 'cancelled',
    fence: '–',
    actions: ['checkout', 'expire_checkout', ...ofTheOpen],
  },
  checking_out: {
    when: 'a transition `checkout` is under way',
    access: 'open',
    fence: 'the transition, until its session is paid or expires',
    actions: ['expire_checkout', 'credit_customer'],
  },
  changing: {
    when: 'another transition is under way',
    access: 'open',
    fence: 'the transition',
    actions: ['give_up_upgrade', 'credit_customer'],
  },
  complimentary: {
    when: 'its access is granted',
    access: 'open',
    fence: '–',
    actions: ['checkout', 'end_free_access', ...ofTheOpen],
  },
  overdue: {
    when: 'a payment is overdue',
    access: 'open',
    fence: '–',
    actions: ['cancel_subscription', ...ofTheOpen],
  },
  ending: {
    when: 'it ends with its period',
    access: 'open',
    fence: '–',
    actions: ['keep_subscription', 'record_subscription_end', ...ofTheOpen],
  },
  changing_later: {
    when: 'a plan change is pending for the end of its period',
    access: 'open',
    fence: '–',
    actions: ['cancel_subscription', 'change_plan_later', 'drop_pending_change', 'record_plan_change', ...ofTheOpen],
  },
  active: {
    when: 'nothing of the above',
    access: 'open',
    fence: '–',
    actions: [
      'upgrade_plan',
      'cancel_subscription',
      'change_plan_later',
      'checkout',
      'record_subscription_end',
      ...ofTheOpen,
    ],
  },
} as const satisfies Readonly<Record<string, TenantStateRow>>;

export type TenantState = keyof typeof tenantStates;
export const tenantStateNames = Object.keys(tenantStates) as [TenantState, ...TenantState[]];
