/**
 * The end of an administrative grant: the workspace is no longer complimentary, and on a paid plan no subscription pays
 * for it (workflows §1).
 */
import type { Subscription, SubscriptionPatch } from '../../../mirror/domain/subscription';
import type { Operation } from '../operation';
import type { ActionRun } from './action';

export const endFreeAccess: ActionRun<'end_free_access'> = {
  inOrder: 'mirror: not complimentary any more; cancelled, unless the plan costs nothing',
  announces: null,
  readsPlans: true,
  refuses: {
    no_free_access: ({ subscription: { isComplimentary, freeUntil }, values: { freeUntil: named } }) =>
      !isComplimentary || (named !== undefined && freeUntil?.getTime() !== new Date(String(named)).getTime()),
    already_suspended: ({ subscription }) =>
      subscription.status === 'suspended' && 'A suspended workspace is reactivated first.',
  },
  // A plan that is missing from the catalog does not count as free.
  checkpoint: ({ plan }) => ({ then: plan?.amountCents === 0 ? 'active' : 'cancelled' }),
  effects: () => [],
  mirrored: ended,
  onResolved: ended,
  result: (_subscription, operation) => ({ status: statusAfter(operation), isComplimentary: false }),
};

function statusAfter({ checkpoint }: Operation): 'active' | 'cancelled' {
  return checkpoint?.['then'] === 'active' ? 'active' : 'cancelled';
}

function ended(_subscription: Subscription, operation: Operation): SubscriptionPatch {
  return { status: statusAfter(operation), isComplimentary: false, freeUntil: undefined };
}
