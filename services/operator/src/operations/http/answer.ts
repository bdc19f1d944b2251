/** The result of a request as an HTTP answer (contracts §2): 200 finished, 202 accepted, or the code of the refusal. */
import { operationViewSchema, operatorCodes, type OperatorCode } from '@platform/contracts-operator';
import { problem, reply } from '@platform/http-server';
import type { Operation, OperationError } from '../domain/operation';
import type { OperationAnswer } from '../workflows/operation-answer';
import type { AnswerForm } from './action-routes';
import { operationView } from './operation-view';

/**
 * Seconds until a repeat is useful. Null for an operation that runs or has stopped: its record is read instead, and the
 * specification forbids an automatic repeat.
 */
const retryAfterSeconds: Partial<Record<string, number>> = {
  transition_pending: 5,
  provider_unavailable: 5,
  checkout_in_progress: 60,
  store_unavailable: 2,
};

/** The address of an operation's record. */
function operationPath(operation: Operation): string {
  return `/api/saas/workspaces/${operation.tenantId}/operations/${operation._id}`;
}

/** The reply or problem for an operation's outcome. `operationId` names the caller's id where no record can be shown. */
export function answerInHttp(answer: OperationAnswer, operationId: string) {
  switch (answer.kind) {
    case 'succeeded':
      return reply(200, operationView(answer.operation));
    case 'unfinished':
      return reply(202, operationView(answer.operation), {
        location: operationPath(answer.operation),
        'retry-after': '2',
      });
    case 'to_confirm':
      return reply(202, operationView(answer.operation), { location: operationPath(answer.operation) });
    case 'failed':
      return refusal(
        answer.operation,
        answer.operation.error.code,
        answer.operation.error.message,
        answer.operation.error,
      );
    case 'stopped':
      return refusal(answer.operation, 'outcome_unknown', answer.operation.error.message);
    case 'refused':
      return refusal(answer.operation, answer.refusal.code, answer.refusal.detail, undefined, answer.refusal.errors);
    case 'no_such_workspace':
      return problem('not_found', { detail: 'There is no such workspace.', operationId });
    case 'not_acceptable':
      return problem(answer.refusal.code, { operationId, errors: answer.refusal.errors });
    case 'store_unavailable':
      return problem('store_unavailable', {
        detail: answer.detail,
        operationId,
        extras: { executor: answer.atWork === true ? 'at_work' : 'none' },
        ...(answer.atWork !== true && { retryAfterSeconds: 2 }),
      });
  }
}

/** The operation itself, once it is finished or the caller's wait has ended. */
export const operationForm: AnswerForm = {
  responses: { 200: operationViewSchema, 202: operationViewSchema },
  waits: true,
  replyTo: answerInHttp,
};

function refusal(
  operation: Operation,
  stored: string,
  detail?: string,
  error: Pick<OperationError, 'detail' | 'changed' | 'unchanged'> = {},
  errors?: readonly { readonly pointer: string; readonly message: string }[],
) {
  const code: OperatorCode = Object.hasOwn(operatorCodes, stored) ? (stored as OperatorCode) : 'provider_refused';
  const stopped = code === 'outcome_unknown' || code === 'reconciliation_required';
  const hasCase = stopped || code === 'operation_running';
  return problem(code, {
    detail,
    operationId: operation._id,
    errors,
    retryAfterSeconds: retryAfterSeconds[code],
    // Another workspace's record is not linked: the answer says only that the id is taken.
    extras:
      code === 'operation_id_reused'
        ? {}
        : {
            operation: operationPath(operation),
            ...(hasCase && { case: `/api/saas/cases/operation?id=${encodeURIComponent(operation._id)}` }),
            ...(stopped && stoppedExtras(operation)),
            ...(code === 'workspace_closed' ? error.detail : error.detail && { provider: error.detail }),
            ...(error.changed && { changed: error.changed, unchanged: error.unchanged ?? [] }),
          },
    headers: code === 'operation_running' ? { location: operationPath(operation) } : undefined,
  });
}

function stoppedExtras(operation: Operation) {
  return {
    evidence: `${operationPath(operation)}/evidence`,
    reconciliationRequirements: operationView(operation).reconciliationRequirements,
  };
}
