/** Whether an action may be taken on a workspace as it is: for a request, for its attempt, and for a preview alike. */
import type { Refusal } from '@platform/contracts-operator';
import { closedReasonOf } from '../../mirror/domain/access';
import { fenceRefusal } from '../../mirror/domain/subscription';
import type { ActionContext, ActionDefinition } from './actions';

/**
 * The documented order: deletion, closed access, pending transition, the action's own preconditions. A credit needs no
 * transition, so none stops it. Judged on the record whose revision fences the transition, so a suspension that wins the
 * race is never overlooked.
 */
export function refusalOf(action: ActionDefinition, operationId: string, context: ActionContext): Refusal | null {
  const fence = fenceRefusal(context.subscription, operationId, action.transition);
  if (fence?.code === 'deletion_started') return fence;
  const closed = action.whileClosed === 'refused' ? closedReasonOf(context.subscription) : null;
  if (closed)
    return { code: 'workspace_closed', access: closed, detail: `Access to this workspace is closed: ${closed}.` };
  if (fence && action.transition) return fence;
  return action.precondition(context);
}
