/** The tenant state of a workspace that has a record here: the first row of the table that matches. */
import type { TenantState } from '@platform/contracts-operator';
import type { Subscription } from './subscription';

export function tenantStateOf(subscription: Subscription): TenantState {
  const { deletion, transition, status, access, isComplimentary, cancelsAt, pendingPlan } = subscription;
  if (deletion) return deletion.completedAt ? 'deleted' : 'deleting';
  if (transition?.kind === 'suspend') return 'suspending';
  if (transition?.kind === 'reactivate') return 'reactivating';
  if (status === 'suspended' || access.state === 'closed') return 'suspended';
  if (status === 'pending_payment') return 'awaiting_payment';
  if (status === 'cancelled' && !isComplimentary) return 'ended';
  if (transition) return transition.kind === 'checkout' ? 'checking_out' : 'changing';
  if (isComplimentary) return 'complimentary';
  if (status === 'past_due') return 'overdue';
  if (cancelsAt) return 'ending';
  return pendingPlan ? 'changing_later' : 'active';
}
