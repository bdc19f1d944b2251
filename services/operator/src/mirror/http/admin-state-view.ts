/** The workspace in the words of the contract: no provider identities, only what its owner may see. */
import type { AdminState } from '@platform/contracts-operator';
import { accessOf } from '../domain/access';
import type { Subscription } from '../domain/subscription';
import { tenantStateOf } from '../domain/tenant-state';

export function adminStateView(subscription: Subscription): AdminState {
  const { transition, deletion, access, pendingPlan } = subscription;
  const { state, reason } = accessOf(subscription);
  return {
    tenantId: subscription._id,
    workspaceName: subscription.workspaceName,
    status: subscription.status,
    state: tenantStateOf(subscription),
    access: { state, ...(reason && { reason }), since: access.since.toISOString(), operationId: access.operationId },
    planId: subscription.planId,
    ...(subscription.unlistedPriceId !== undefined && { priceNotInCatalog: true as const }),
    ...(pendingPlan && { pendingPlan: { planId: pendingPlan.planId, at: pendingPlan.at.toISOString() } }),
    isComplimentary: subscription.isComplimentary,
    ...(subscription.freeUntil && { freeUntil: subscription.freeUntil.toISOString() }),
    ...(subscription.currentPeriodEnd && { currentPeriodEnd: subscription.currentPeriodEnd.toISOString() }),
    ...(subscription.cancelsAt && { cancelsAt: subscription.cancelsAt.toISOString() }),
    ...(subscription.overdueSince && { overdueSince: subscription.overdueSince.toISOString() }),
    ...(transition && {
      transition: {
        operationId: transition.operationId,
        kind: transition.kind,
        ...(transition.targetPlanId && { targetPlanId: transition.targetPlanId }),
        requestedAt: transition.requestedAt.toISOString(),
      },
    }),
    ...(deletion && {
      deletion: {
        startedAt: deletion.startedAt.toISOString(),
        operationId: deletion.operationId,
        ...(deletion.completedAt && { completedAt: deletion.completedAt.toISOString() }),
      },
    }),
    revision: subscription.revision,
    updatedAt: subscription.updatedAt.toISOString(),
  };
}
