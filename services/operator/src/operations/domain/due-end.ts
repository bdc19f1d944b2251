/**
 * Ends that time brings, as requests for operations (decision 14). The id is made from the workspace, the action and the
 * date, so that every replica asks for the same operation: the insert of that id admits one of them, and no clock claims
 * anything. A later generation of the id follows only an operation that can never take effect any more.
 */
import { operatorLimits, timeOperationPrefix, type OperationAction } from '@platform/contracts-operator';
import { digestOf } from '@platform/kernel';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Operation, OperationRequest, OperationValues } from './operation';

export interface DueEnd {
  readonly tenantId: string;
  readonly action: OperationAction;
  readonly values: OperationValues;
  /** The date that has come; part of the id. */
  readonly due: Date;
  readonly reason: string;
}

/** What is due on this workspace at `now`, the database's clock; nothing while an operation holds it, or it is deleted. */
export function dueEndsOf(subscription: Subscription, now: Date): DueEnd[] {
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
  return ends;
}

/** Callers may not choose ids that begin like this one. */
function idOf({ tenantId, action, due }: DueEnd, generation: number): string {
  const digest = digestOf({ tenantId, action, due: due.toISOString() });
  return `${timeOperationPrefix}${digest.slice(0, 40)}-${generation}`;
}

/** Who asks; no person. */
const actor = { id: 'time' };

/** The operation that this end is, or null while one of its generations is under way or waits for people. */
export async function requestOf(
  end: DueEnd,
  now: Date,
  find: (operationId: string) => Promise<Operation | null>,
): Promise<OperationRequest | null> {
  for (let generation = 1; ; generation += 1) {
    const operationId = idOf(end, generation);
    const stored = await find(operationId);
    if (stored && isUnderWay(stored)) return null;
    if (stored && isOver(stored, now)) continue;
    const { tenantId, action, values, reason } = end;
    return { operationId, tenantId, action, values, actor, reason };
  }
}

function isUnderWay({ status }: Operation): boolean {
  return status === 'running' || status === 'awaiting_receipts' || status === 'reconciliation_required';
}

/** It succeeded, and the same is due again; or it failed for good. */
function isOver({ status, resolution, createdAt }: Operation, now: Date): boolean {
  if (status === 'succeeded') return true;
  return resolution !== undefined || now.getTime() - createdAt.getTime() >= operatorLimits.retryWindowHours * 3_600_000;
}
