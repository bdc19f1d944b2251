/**
 * Whether the product may be used in a workspace, from its subscription record alone: the one rule that admin state,
 * guards and publication share (specification §3: access closes before consumers hear of it, and opens after all agreed).
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
 * Null: open. A subscription that is merely past due stays open, because the provider still collects; a complimentary
 * workspace needs none.
 */
export function closedReasonOf({ status, access, deletion, isComplimentary }: Judged): ClosedReason | null {
  if (deletion) return 'deleted';
  if (access.state === 'closed' || status === 'suspended') return 'suspended';
  if (status === 'pending_payment') return 'unpaid';
  return status === 'cancelled' && !isComplimentary ? 'cancelled' : null;
}

/** What is published of the record. Rows of earlier builds have no revision of their access and count as 0. */
export function accessOf(subscription: Numbered): WorkspaceAccess {
  const reason = closedReasonOf(subscription);
  const revision = subscription.accessRevision ?? 0;
  return reason ? { state: 'closed', reason, revision } : { state: 'open', revision };
}

/** The draft with the revision of its access: one more than before when the change opens, closes or names another reason. */
export function withAccessRevision<T extends Numbered>(before: T, next: T): T {
  if (closedReasonOf(before) === closedReasonOf(next)) return next;
  return { ...next, accessRevision: (before.accessRevision ?? 0) + 1 };
}
