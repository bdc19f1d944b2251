/**
 * Whether the product may be used in a workspace, from its subscription record alone. Admin state, guards and
 * publication share this one rule. Access closes before consumers receive the change, and opens after all of them have
 * agreed (specification §3).
 */
import type { ClosedReason, SubscriptionStatus, WorkspaceAccess } from '@platform/contracts-operator';

/** The fields of a subscription record that decide access. */
interface Judged {
  readonly status: SubscriptionStatus;
  readonly access: { readonly state: 'open' | 'closed' };
  readonly deletion?: object | undefined;
  readonly isComplimentary: boolean;
}

interface Numbered extends Judged {
  readonly accessRevision?: number | undefined;
}

/**
 * Null: open. A subscription that is past due stays open, because the provider still collects; a complimentary
 * workspace needs no subscription.
 */
export function closedReasonOf({ status, access, deletion, isComplimentary }: Judged): ClosedReason | null {
  if (deletion) return 'deleted';
  if (access.state === 'closed' || status === 'suspended') return 'suspended';
  if (status === 'pending_payment') return 'unpaid';
  return status === 'cancelled' && !isComplimentary ? 'cancelled' : null;
}

/** The published form of the record's access. Rows of earlier builds have no access revision and count as 0. */
export function accessOf(subscription: Numbered): WorkspaceAccess {
  const reason = closedReasonOf(subscription);
  const revision = subscription.accessRevision ?? 0;
  return reason ? { state: 'closed', reason, revision } : { state: 'open', revision };
}

/**
 * The draft with its access revision, which grows by one when the change opens or closes access or gives another
 * reason.
 */
export function withAccessRevision<T extends Numbered>(before: T, next: T): T {
  if (closedReasonOf(before) === closedReasonOf(next)) return next;
  return { ...next, accessRevision: (before.accessRevision ?? 0) + 1 };
}
