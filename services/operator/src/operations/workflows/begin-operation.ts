/**
 * The first request for an operation (workflows §1). When the store alone says what the decision needs, one insert holds
 * the intent, its first attempt and that attempt's first recorded call, or the refusal. When the provider must be asked,
 * the intent is durable before anybody has answered.
 */
import { insertFenced } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { actionOf, type ActionContext, type ActionDefinition } from '../domain/actions';
import { beginAttempt, beginRefused, newIntent } from '../domain/beginning';
import { firstRefusal } from '../domain/first-request';
import { judgeAttempt } from '../domain/judge-action';
import { recordCall } from '../domain/journal';
import type {
  CreditApproval,
  Operation,
  OperationRequest,
  PendingOperation,
  RunningOperation,
} from '../domain/operation';
import type { Subscription } from '../../mirror/domain/subscription';
import { asksProvider, contextOf, type PlanReads } from './action-context';
import { attempt } from './admit-attempt';
import { answerOf, type OperationAnswer } from './operation-answer';
import { operationKey } from './operation-key';
import { errorOf, firstEffect, performAttempt } from './perform-attempt';
import type { RecordedEffect } from './perform-effects';
import type { OperatorPorts } from './ports';
import { judgeCreditLimit } from './take-credit-part';

/** The result of a first request: an answer, or the record that another request created with the same id. */
export type Begun = OperationAnswer | { readonly kind: 'exists'; readonly operation: Operation };

/** The data that decides a first request. */
interface FirstReading {
  readonly subscription: Subscription;
  readonly plans: PlanReads;
}

interface First {
  readonly request: OperationRequest;
  readonly action: ActionDefinition;
  readonly approval: CreditApproval | undefined;
  readonly accepted: () => void;
}

/** `accepted` is called once the intent is durable, or once an executor goes on trying to make it so. */
export async function beginOperation(
  ports: OperatorPorts,
  request: OperationRequest,
  read: FirstReading,
  accepted: () => void,
): Promise<Begun> {
  const { subscription, plans } = read;
  const judged = (currency?: string) => firstRefusal(request, ports.limits, ports.clock.now(), currency);
  // Only a refusal needs the currency, so only a refusal reads the plan for it.
  const refusal = judged() && judged((await plans.findById(subscription.planId))?.currency);
  if (refusal) return { kind: 'not_acceptable', refusal };
  const { refused, approval } = await judgeCreditLimit({ ...ports, plans }, request, subscription.planId, 1);
  if (refused) return refused;
  const first = { request, action: actionOf(request.action), approval, accepted };
  if (asksProvider(first.action)) return intentFirst(ports, first, read);
  const context = await contextOf({ ...ports, plans }, first.action, request, subscription);
  const key = operationKey(request.operationId);
  const rivalled = ports.work.find(key) !== undefined;
  return ports.work.run(key, ({ retryPolicy }) => attemptAtOnce({ ...ports, retryPolicy }, first, context, rivalled));
}

/**
 * One write; what a crash leaves behind it is what it leaves behind the admission of any attempt. `rivalled`: another
 * request of this process is at work on the same id.
 */
async function attemptAtOnce(
  ports: OperatorPorts,
  first: First,
  context: ActionContext,
  rivalled: boolean,
): Promise<Begun> {
  const { request, action, accepted } = first;
  const { draft, effect } = drafted(ports, first, context);
  // Two drafts of one process could be equal, so the second is tried after the first, and only where no record exists.
  const inserted = await ports.mutex.runExclusive(operationKey(request.operationId), async () => {
    const standing = rivalled ? await ports.operations.findById(request.operationId) : null;
    if (standing) return { kind: 'exists', record: standing } as const;
    return insertFenced(ports.operations, draft, ports.retryPolicy, accepted);
  });
  if (inserted.kind === 'unknown')
    return {
      kind: 'store_unavailable',
      detail: 'The intent could not be recorded; no effect was begun. Read the operation before repeating it.',
    };
  accepted();
  if (inserted.kind === 'exists') return existing(inserted.record);
  const operation = inserted.record;
  if (operation.status === 'running') return performAttempt(ports, action, operation, context, effect);
  ports.meter.operationReached(operation.action, operation.status);
  ports.notifier.notify(operation);
  return answerOf(operation);
}

/** The attempt that the insert admits, or its refusal. Without a transition to take first, its first call is in it. */
function drafted(
  ports: OperatorPorts,
  { request, action, approval }: First,
  context: ActionContext,
): { readonly draft: Checked<Operation>; readonly effect: RecordedEffect | null } {
  const beginning = { executor: ports.executor, now: ports.clock.now(), approval };
  const refusal = judgeAttempt(action, { ...request, _id: request.operationId }, [], context);
  if (refusal) return { draft: beginRefused(request, beginning, errorOf(refusal)), effect: null };
  const draft: Checked<RunningOperation> = beginAttempt(request, beginning, action.checkpoint(context));
  const effect = action.transition ? null : firstEffect(ports, action, context.subscription, draft);
  return { draft: effect ? recordCall(draft, effect.record) : draft, effect };
}

/** Reads the data that decides the action. A read changes nothing, so it need not wait until the intent is durable. */
async function intentFirst(
  ports: OperatorPorts,
  { request, action, approval, accepted }: First,
  { subscription, plans }: FirstReading,
): Promise<Begun> {
  const intent = newIntent(request, approval);
  const [insertion, context] = await Promise.all([
    ports.operations.insert(intent),
    contextOf({ ...ports, plans }, action, intent, subscription),
  ]);
  if (insertion.outcome === 'unknown')
    return {
      kind: 'store_unavailable',
      detail: 'The intent could not be recorded; nothing has happened. Repeat with the same operation id.',
    };
  accepted();
  if (insertion.outcome === 'not_applied') return existing(insertion.existing);
  return attempt(ports, insertion.record as PendingOperation, context, request);
}

function existing(operation: Operation | null): Begun {
  if (operation) return { kind: 'exists', operation };
  return {
    kind: 'store_unavailable',
    detail: 'The record of this operation could not be read; nothing was begun by this request.',
  };
}
