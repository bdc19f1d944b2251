/**
 * The actions on a workspace and their previews, each built from the action's definition: parse, run one operation,
 * reply.
 */
import {
  actionPath,
  actionRequestSchema,
  contractOf,
  errorsOf,
  exampleValues,
  operationActions,
  operatorLimits,
  starterPolicy,
  type ActionContract,
  type ActionValues,
  type OperationAction,
} from '@platform/contracts-operator';
import { defineRoute, problem, type Problem, type Reply, type Responses, type Route } from '@platform/http-server';
import type { OperationRequest, OperationValues } from '../domain/operation';
import type { OperationAnswer } from '../workflows/operation-answer';
import { preferHeaders, tenantParams, waitMs } from './request-parts';

export interface ActionRoutePorts {
  /** Runs the operation and waits for its outcome at most `waitMs`; null: until the request itself ends. */
  readonly start: (request: OperationRequest, waitMs: number | null) => Promise<OperationAnswer>;
  readonly workspaceExists: (tenantId: string) => Promise<boolean>;
}

/** How an action answers. */
export interface AnswerForm {
  readonly responses: Responses;
  /** Whether the caller chooses how long to wait, by `Prefer: wait=n`. */
  readonly waits: boolean;
  readonly replyTo: (answer: OperationAnswer, operationId: string) => Reply | Problem;
}

export type AnswerForms = Readonly<Record<ActionContract['answers'], AnswerForm>>;

const waiting = `\`Prefer: wait=n\` waits up to n seconds (default ${operatorLimits.defaultWaitSeconds}, at most ${operatorLimits.maximumWaitSeconds}).`;

/** One route for each action; a repeat with the same id and values is answered from the record. */
export function actionRoutes(ports: ActionRoutePorts, forms: AnswerForms): Route[] {
  return operationActions.map((action) => actionRoute(action, ports, forms[contractOf(action).answers]));
}

function actionRoute(action: OperationAction, ports: ActionRoutePorts, form: AnswerForm): Route {
  const contract = contractOf(action);
  return defineRoute({
    name: nameOf(action),
    method: contract.method,
    path: actionPath(action) as WorkspaceAddress,
    policy: starterPolicy(contract),
    tags: ['operations'],
    summary: contract.summary,
    description: form.waits ? `${contract.description} ${waiting}` : contract.description,
    params: tenantParams,
    ...(form.waits && { headers: preferHeaders }),
    body: actionRequestSchema(action),
    idempotentBy: 'operationId',
    responses: form.responses,
    errors: errorsOf(action),
    examples: { body: { example: { operationId: contract.example.operationId, ...exampleValues(action) } } },
    guard: ({ params }) => workspaceGuard(ports, params.tenantId),
    handle: async ({ params, headers, body, caller }) => {
      const { operationId, reason, previewDigest, ...given } = body;
      const request: OperationRequest = {
        operationId,
        tenantId: params.tenantId,
        action,
        // The reason of a credit is also one of its values, because the provider shows it to the customer.
        values: valuesOf('reason' in contract.values ? { ...given, reason } : given),
        actor: { id: caller.subject, email: caller.email },
        role: caller.role,
        ...(reason !== undefined && { reason }),
        ...(previewDigest !== undefined && { previewDigest }),
      };
      const wait = form.waits ? waitMs((headers as { prefer?: string } | undefined)?.prefer) : null;
      return form.replyTo(await ports.start(request, wait), operationId) as Problem;
    },
  });
}

/** The name in the documentation and in clients: `creditCustomer` for `credit_customer`. */
export function nameOf(action: string): string {
  return action.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Every address of an action contains its workspace. */
export type WorkspaceAddress = '/api/saas/workspaces/:tenantId/suspend';

export async function workspaceGuard(
  { workspaceExists }: Pick<ActionRoutePorts, 'workspaceExists'>,
  tenantId: string,
): Promise<Problem | undefined> {
  return (await workspaceExists(tenantId))
    ? undefined
    : problem('not_found', { detail: 'There is no such workspace.' });
}

/** The values that were given; an omitted value is left out. */
export function valuesOf(given: ActionValues): OperationValues {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as OperationValues;
}
