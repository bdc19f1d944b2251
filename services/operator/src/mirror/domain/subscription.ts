/**
 * The local mirror of a workspace's subscription and the transition that fences competing changes and deletion
 * (specification §2, contracts §4.2). The operation's journal is written before a transition is cleared (law 6).
 */
import { assert, type Revisioned } from '@platform/kernel';
import { withAccessRevision } from './access';
import type { Refusal, SubscriptionStatus, TransitionKind } from '@platform/contracts-operator';

export interface SubscriptionTransition {
  readonly operationId: string;
  readonly kind: TransitionKind;
  readonly targetPlanId?: string;
  /** The attempt that took the transition; only the end of that attempt, or of a later one, clears it. */
  readonly attempt?: number;
  /** An investigator is about to end the operation: its attempts can no longer write under this transition. */
  readonly investigated?: true;
  readonly requestedAt: Date;
}

interface DeletionMarker {
  readonly startedAt: Date;
  /** The operation that set the marker; a later deletion may complete it. */
  readonly operationId: string;
  /** Every part of a deletion is durable. */
  readonly completedAt?: Date;
}

export interface Subscription extends Revisioned {
  readonly workspaceName: string;
  /**
   * The person who requested the workspace. Absent in records that were written before this was passed on; the address
   * is also absent where it is unknown.
   */
  readonly owner?: { readonly userId: string; readonly email?: string };
  /** The search keys of the workspace, see `search-keys.ts`; set by every write through `announce-access.ts`. */
  readonly search?: readonly string[];
  readonly status: SubscriptionStatus;
  readonly access: { readonly state: 'open' | 'closed'; readonly since: Date; readonly operationId: string | null };
  /** Grows with each change of what {@link accessOf} says; orders the published values. */
  readonly accessRevision?: number;
  readonly planId: string;
  /** The price at the provider where no plan of the catalog has it; `planId` is then the plan that was known last. */
  readonly unlistedPriceId?: string;
  readonly pendingPlan?: { readonly planId: string; readonly at: Date; readonly scheduleId: string };
  readonly provider: {
    readonly customerId?: string;
    /** Customers that were replaced, oldest first: the provider keeps their invoices with them. */
    readonly formerCustomerIds?: readonly string[];
    readonly subscriptionId?: string;
    readonly itemId?: string;
    /** The quantity of the subscription's item; absent for one. */
    readonly quantity?: number;
    readonly scheduleId?: string;
  };
  readonly checkout?: { readonly sessionId: string; readonly operationId: string };
  readonly isComplimentary: boolean;
  readonly freeUntil?: Date;
  readonly currentPeriodEnd?: Date;
  /** When a cancelled subscription ends. */
  readonly cancelsAt?: Date;
  /** When the platform first saw the overdue payment; a reactivation restarts the period. */
  readonly overdueSince?: Date;
  readonly transition?: SubscriptionTransition;
  /** Irreversible: no write removes it. */
  readonly deletion?: DeletionMarker;
}

/**
 * Fields that an action may change. Identity and transition are not among them, and a deletion marker can only gain
 * fields.
 */
export type SubscriptionPatch = Partial<
  Pick<
    Subscription,
    | 'status'
    | 'access'
    | 'planId'
    | 'unlistedPriceId'
    | 'pendingPlan'
    | 'provider'
    | 'isComplimentary'
    | 'freeUntil'
    | 'currentPeriodEnd'
    | 'cancelsAt'
    | 'overdueSince'
    | 'checkout'
    | 'deletion'
  >
>;

/** The identities at the provider with this customer; one that it replaces stays on record. */
export function withCustomer(provider: Subscription['provider'], customerId: string): Subscription['provider'] {
  const { customerId: before, formerCustomerIds = [] } = provider;
  if (before === undefined || before === customerId) return { ...provider, customerId };
  return {
    ...provider,
    customerId,
    formerCustomerIds: [...formerCustomerIds.filter((id) => id !== customerId), before],
  };
}

type WithoutTransition = Omit<Subscription, 'transition'>;

/**
 * The record with the patch; a field that the patch sets to undefined is removed. Throws InvariantError when the patch
 * would remove a deletion marker, or open access to a deleted workspace.
 */
function patched<T extends WithoutTransition>(subscription: T, patch: SubscriptionPatch): T {
  const { deletion } = { ...subscription, ...patch };
  const before = subscription.deletion;
  assert(
    !before ||
      (deletion?.startedAt.getTime() === before.startedAt.getTime() && deletion.operationId === before.operationId),
    `the deletion marker of ${subscription._id} is irreversible`,
  );
  assert(!deletion || patch.access?.state !== 'open', `access to ${subscription._id} stays closed: it is deleted`);
  // Who names the plan knows its price, unless the patch says otherwise.
  const known = patch.planId !== undefined && { unlistedPriceId: undefined };
  const next = Object.fromEntries(
    Object.entries({ ...subscription, ...known, ...patch }).filter(([, value]) => value !== undefined),
  ) as T;
  return withAccessRevision<T>(subscription, next);
}

/** Whether this operation's transition is recorded here; a stale executor finds another one, or none. */
export function holdsTransition(subscription: Subscription, operationId: string): boolean {
  return subscription.transition?.operationId === operationId;
}

/** The attempts that an executor knows of its operation, or those that an end belongs to. */
interface Attempted {
  readonly _id: string;
  readonly attempts: readonly unknown[];
}

/**
 * Whether an operation with these attempts still has its transition here. A transition of a later attempt belongs to a
 * running executor and is not cleared for an earlier one.
 */
export function leftTransition({ transition }: Subscription, { _id, attempts }: Attempted): boolean {
  return transition?.operationId === _id && (transition.attempt ?? 0) <= attempts.length;
}

/** Whether an executor may write under its transition: it exists, and no person investigates the operation. */
export function writesUnderTransition(subscription: Subscription, operation: Attempted): boolean {
  return leftTransition(subscription, operation) && subscription.transition?.investigated === undefined;
}

/**
 * Prevents the attempts of this operation from writing under the transition, which remains until the operation has
 * ended.
 */
export function investigateTransition(subscription: Subscription, operation: Attempted): Subscription {
  const { transition } = subscription;
  assert(transition && leftTransition(subscription, operation), `operation ${operation._id} holds no transition here`);
  return { ...subscription, transition: { ...transition, investigated: true } };
}

/**
 * The fences before an action of this kind: a deletion marker first, which admits only a deletion, then another
 * operation's transition.
 */
export function fenceRefusal(
  subscription: Subscription,
  operationId: string,
  kind: TransitionKind | null,
): Refusal | null {
  if (subscription.deletion && kind !== 'deletion') return { code: 'deletion_started' };
  const standing = subscription.transition;
  if (!standing || standing.operationId === operationId) return null;
  if (standing.kind === 'checkout') return { code: 'checkout_in_progress' };
  return {
    code: 'transition_pending',
    detail: `Operation ${standing.operationId} (${standing.kind}) holds this subscription.`,
  };
}

/**
 * Admits the transition, with the action's own change in the same fenced write; the identical one may be recorded
 * already (a retry of the same operation). Ask {@link fenceRefusal} first: a competing transition here is a broken
 * invariant.
 */
export function admitTransition(
  subscription: Subscription,
  transition: SubscriptionTransition,
  patch: SubscriptionPatch,
): Subscription {
  const refusal = fenceRefusal(subscription, transition.operationId, transition.kind);
  assert(!refusal, `subscription ${subscription._id} is fenced: ${refusal?.code}`);
  // What a newer release keeps in it stays; no attempt is admitted while a person investigates.
  const { investigated: _former, ...same } = subscription.transition ?? {};
  return { ...patched(subscription, patch), transition: { ...same, ...transition } };
}

/** Applies what the provider now holds while the transition exists. */
export function mirror(subscription: Subscription, patch: SubscriptionPatch): Subscription {
  return patched(subscription, patch);
}

/** Removes the transition; only after the journal holds the outcome. */
export function clearTransition(subscription: Subscription, patch: SubscriptionPatch): Subscription {
  const { transition: _cleared, ...rest } = subscription;
  return patched(rest, patch);
}
