/**
 * Whether an action is allowed on a workspace in its current state. A request, its attempt and a preview share this
 * judgement.
 */
import type { Refusal } from '@platform/contracts-operator';
import { closedReasonOf } from '../../mirror/domain/access';
import { fenceRefusal } from '../../mirror/domain/subscription';
import type { ActionContext, ActionDefinition } from './actions';
import type { Attempt, Operation } from './operation';
import { previewDigestOf } from './preview';

/**
 * The documented order: deletion, closed access, pending transition, the action's own preconditions. A pending
 * transition does not refuse a credit, which needs none. The judged record is the one whose revision fences the
 * transition, so a suspension that wins the race is never overlooked.
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

/** A repeat sends what was fixed. */
function contractChanged(
  { undoes }: ActionDefinition,
  { checkpoint }: Pick<Operation, 'checkpoint'>,
  context: ActionContext,
): Refusal | null {
  if (!checkpoint || !undoes?.(context, checkpoint)) return null;
  const detail =
    'The subscription was changed at the payment provider since this operation was first tried, and a repeat would undo that. Choose a new id.';
  return { code: 'retry_window_expired', detail };
}

/**
 * The judgement of every request. A first request is also compared with the preview that it names, until an attempt has
 * passed that check and called the provider.
 */
export function judgeAttempt(
  action: ActionDefinition,
  operation: Pick<Operation, '_id' | 'tenantId' | 'action' | 'values' | 'previewDigest' | 'checkpoint'>,
  earlier: readonly Pick<Attempt, 'providerCalls'>[],
  context: ActionContext,
): Refusal | null {
  const refusal = refusalOf(action, operation._id, context) ?? contractChanged(action, operation, context);
  if (refusal?.code === 'deletion_started' || refusal?.code === 'workspace_closed') return refusal;
  const { previewDigest } = operation;
  const first = earlier.every(({ providerCalls }) => providerCalls.length === 0);
  if (previewDigest === undefined || !first) return refusal;
  const unread = [context.charge, context.atProvider, context.targetPrice].includes('unavailable');
  if (unread) return refusal ?? { code: 'provider_unavailable' };
  return previewDigest === previewDigestOf(operation, context) ? refusal : { code: 'preview_outdated' };
}
