/** Whether an action may be taken on a workspace as it is: for a request, for its attempt, and for a preview alike. */
import type { Refusal } from '@platform/contracts-operator';
import { fenceRefusal } from '../../mirror/domain/subscription';
import type { ActionContext, ActionDefinition } from './actions';

/** The documented order: deletion, pending transition, the action's own preconditions. A credit needs no transition, so none stops it. */
export function refusalOf(action: ActionDefinition, operationId: string, context: ActionContext): Refusal | null {
  const fence = fenceRefusal(context.subscription, operationId, action.transition);
  if (fence && (action.transition || fence.code === 'deletion_started')) return fence;
  return action.precondition(context);
}
