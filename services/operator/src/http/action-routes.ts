/** The platform owner's actions on a workspace: parse, run one operation, reply. */
import { balanceCreditRequestSchema, OPERATOR_LIMITS, operationViewSchema, reactivateRequestSchema, suspendRequestSchema, type OperationAction } from '@platform/contracts-operator';
import { defineRoute, problem, type Route } from '@platform/http-server';
import type { z } from 'zod';
import type { OperationValues } from '../domain/operation';
import type { OperationAnswer } from '../workflows/operation-answer';
import { answerInHttp } from './answer';
import { preferHeaders, tenantParams, waitMs } from './request-parts';

export interface ActionRoutePorts {
  /** Runs the operation and waits for its outcome at most `waitMs`. */
  readonly start: (request: { operationId: string; tenantId: string; action: OperationAction; values: OperationValues; actor: { id: string; email?: string } }, waitMs: number) => Promise<OperationAnswer>;
  readonly workspaceExists: (tenantId: string) => Promise<boolean>;
}

interface ActionRoute {
  readonly segment: string;
  readonly action: OperationAction;
  readonly summary: string;
  readonly description: string;
  readonly body: z.ZodType<{ operationId: string } & OperationValues>;
  readonly errors: readonly string[];
  readonly example: Readonly<Record<string, unknown>>;
}

const everyAction = ['operation_id_reused', 'operation_running', 'reconciliation_required', 'retry_window_expired', 'deletion_started', 'provider_refused', 'provider_unavailable', 'outcome_unknown', 'store_unavailable'];

const platformOwnerActions: readonly ActionRoute[] = [
  {
    segment: 'suspend',
    action: 'suspend',
    summary: 'Suspend a workspace',
    description: 'Closes access, pauses collection at the payment provider and tells every required consumer. 200 when every receipt is in, 202 while some are awaited.',
    body: suspendRequestSchema,
    errors: [...everyAction, 'transition_pending', 'checkout_in_progress', 'already_suspended'],
    example: { operationId: 'op-suspend-0001' },
  },
  {
    segment: 'reactivate',
    action: 'reactivate',
    summary: 'Reactivate a suspended workspace',
    description: 'Asks every required consumer; when every receipt is in, resumes collection and opens access. Access stays closed until then.',
    body: reactivateRequestSchema,
    errors: [...everyAction, 'transition_pending', 'checkout_in_progress', 'not_suspended'],
    example: { operationId: 'op-reactivate-0001' },
  },
  {
    segment: 'balance-credit',
    action: 'credit_customer',
    summary: "Credit the customer's balance",
    description: "Adds a credit in the plan's currency to the customer's balance at the payment provider, once per operation id.",
    body: balanceCreditRequestSchema,
    errors: [...everyAction, 'no_provider_customer'],
    example: { operationId: 'op-credit-0001', amountCents: 500, reason: 'Outage on 12 March' },
  },
];

/** Routes of the actions; a repeat with the same id and values is answered from the record. */
export function actionRoutes(ports: ActionRoutePorts): Route[] {
  return platformOwnerActions.map((definition) =>
    defineRoute({
      method: 'POST',
      path: `/api/saas/workspaces/:tenantId/${definition.segment}` as '/api/saas/workspaces/:tenantId/suspend',
      policy: 'platform_owner',
      tags: ['operations'],
      summary: definition.summary,
      description: `${definition.description} \`Prefer: wait=n\` waits up to n seconds (default ${OPERATOR_LIMITS.defaultWaitSeconds}, at most ${OPERATOR_LIMITS.maximumWaitSeconds}).`,
      params: tenantParams,
      headers: preferHeaders,
      body: definition.body,
      responses: { 200: operationViewSchema, 202: operationViewSchema },
      errors: definition.errors,
      examples: { body: { example: definition.example } },
      guard: async ({ params }) => ((await ports.workspaceExists(params.tenantId)) ? undefined : problem('not_found', { detail: 'There is no such workspace.' })),
      handle: async ({ params, headers, body, caller }) => {
        const { operationId, ...values } = body;
        const actor = { id: caller.subject, email: caller.email };
        const answer = await ports.start({ operationId, tenantId: params.tenantId, action: definition.action, values, actor }, waitMs(headers.prefer));
        return answerInHttp(answer, operationId);
      },
    }),
  );
}
