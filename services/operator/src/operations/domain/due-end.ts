/**
 * Operations that become due on a date (decision 14). The id is made from the workspace, the action and the date, so
 * every replica requests the same operation: the insert of that id admits one replica, and no clock decides which. The
 * next generation of the id follows only an operation that can never take effect any more.
 */
import { operatorLimits, timeOperationPrefix, type OperationAction } from '@platform/contracts-operator';
import { digestOf } from '@platform/kernel';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Operation, OperationRequest, OperationValues } from './operation';

export interface DueEnd {
  readonly tenantId: string;
  readonly action: OperationAction;
  readonly values: OperationValues;
  /** The date that has been reached. The id of the operation contains it. */
  readonly due: Date;
  readonly reason: string;
}

/** What happens to a workspace whose payment stays overdue for so many days. */
export interface OverduePolicy {
  readonly then: 'none' | 'warn' | 'suspend';
  readonly afterDays: number;
}
export const noOverduePolicy: OverduePolicy = { then: 'none', afterDays: 0 };

/** The end of the grace period of an overdue payment. */
function graceEnd(overdueSince: Date, { afterDays }: OverduePolicy): Date {
  return new Date(overdueSince.getTime() + afterDays * 86_400_000);
}

/** What is due on this workspace at `now`, the database's clock; nothing while an operation holds it, or it is deleted. */
export function dueEndsOf(subscription: Subscription, now: Date, overdue: OverduePolicy = noOverduePolicy): DueEnd[] {
  const {
    _id: tenantId,
    transition,
    deletion,
    status,
    isComplimentary,
    freeUntil,
    cancelsAt,
    pendingPlan,
  } = subscription;
  if (transition || deletion) return [];
  const has = (date: Date | undefined): date is Date => date !== undefined && date.getTime() <= now.getTime();
  const ends: DueEnd[] = [];
  if (isComplimentary && has(freeUntil) && status !== 'suspended')
    ends.push({
      tenantId,
      action: 'end_free_access',
      values: { freeUntil: freeUntil.toISOString() },
      due: freeUntil,
      reason: `Free access was granted until ${freeUntil.toISOString()}`,
    });
  if (has(cancelsAt) && status !== 'cancelled')
    ends.push({
      tenantId,
      action: 'record_subscription_end',
      values: {},
      due: cancelsAt,
      reason: `The subscription was cancelled for ${cancelsAt.toISOString()}`,
    });
  if (pendingPlan && has(pendingPlan.at))
    ends.push({
      tenantId,
      action: 'record_plan_change',
      values: { planId: pendingPlan.planId },
      due: pendingPlan.at,
      reason: `The plan change was to take effect at ${pendingPlan.at.toISOString()}`,
    });
  const { overdueSince } = subscription;
  const grace = overdueSince && graceEnd(overdueSince, overdue);
  if (overdue.then === 'suspend' && status === 'past_due' && has(grace))
    ends.push({
      tenantId,
      action: 'suspend',
      values: {},
      due: grace,
      reason: `A payment has been overdue since ${overdueSince?.toISOString()}`,
    });
  return ends;
}

/** The actor of these requests, which is no person. */
const actor = { id: 'time' };

/** The request for one generation of the operation. Callers may not choose ids with the same prefix. */
export function requestFor({ tenantId, action, values, due, reason }: DueEnd, generation: number): OperationRequest {
  const digest = digestOf({ tenantId, action, due: due.toISOString() });
  const operationId = `${timeOperationPrefix}${digest.slice(0, 40)}-${generation}`;
  return { operationId, tenantId, action, values, actor, reason };
}

/**
 * What to do while the end is due, given the record with the id of a generation, or no record. `wait`: the operation is
 * under way or waits for people. `next`: it succeeded and the same is due again, or it can never take effect any more.
 */
export function judgeGeneration(stored: Operation | null, now: Date): 'begin' | 'wait' | 'next' {
  if (!stored) return 'begin';
  const { status, resolution, createdAt } = stored;
  if (
    status === 'running' ||
    status === 'awaiting_receipts' ||
    status === 'awaiting_payment' ||
    status === 'reconciliation_required'
  )
    return 'wait';
  if (status === 'succeeded' || resolution) return 'next';
  const windowMs = operatorLimits.retryWindowHours * 3_600_000;
  return now.getTime() - createdAt.getTime() >= windowMs ? 'next' : 'begin';
}
