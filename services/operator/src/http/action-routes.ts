/** The actions on a workspace, of the platform owner and of its own owner: parse, run one operation, reply. */
import {
  balanceCreditRequestSchema,
  cancellationRequestSchema,
  changePlanRequestSchema,
  dropPendingChangeRequestSchema,
  grantFreeAccessRequestSchema,
  OPERATOR_LIMITS,
  operationViewSchema,
  reactivateRequestSchema,
  suspendRequestSchema,
  upgradeRequestSchema,
  type OperationAction,
} from '@platform/contracts-operator';
import { defineRoute, problem, type Route } from '@platform/http-server';
import type { z } from 'zod';
import type { OperationRequest, OperationValues } from '../domain/operation';
import type { OperationAnswer } from '../workflows/operation-answer';
import { answerInHttp } from './answer';
import { preferHeaders, tenantParams, waitMs } from './request-parts';

export interface ActionRoutePorts {
  /** Runs the operation and waits for its outcome at most `waitMs`. */
  readonly start: (request: OperationRequest, waitMs: number) => Promise<OperationAnswer>;
  readonly workspaceExists: (tenantId: string) => Promise<boolean>;
}

type Body = { operationId: string } & Partial<OperationValues>;

interface ActionRoute {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly segment: string;
  readonly policy: 'platform_owner' | 'workspace_owner';
  readonly action: OperationAction;
  readonly summary: string;
  readonly description: string;
  readonly body: z.ZodType<Body>;
  readonly errors: readonly string[];
  readonly example: Readonly<Record<string, unknown>>;
}

const everyAction = [
  'operation_id_reused',
  'operation_running',
  'reconciliation_required',
  'retry_window_expired',
  'resolved_not_applied',
  'deletion_started',
  'provider_refused',
  'provider_unavailable',
  'outcome_unknown',
  'store_unavailable',
];
const withTransition = [...everyAction, 'transition_pending', 'checkout_in_progress'];

const actions: readonly ActionRoute[] = [
  {
    method: 'POST',
    segment: 'suspend',
    policy: 'platform_owner',
    action: 'suspend',
    body: suspendRequestSchema,
    summary: 'Suspend a workspace',
    description:
      'Closes access, pauses collection at the payment provider and tells every required consumer. 200 when every receipt is in, 202 while some are awaited.',
    errors: [...withTransition, 'already_suspended'],
    example: { operationId: 'op-suspend-0001' },
  },
  {
    method: 'POST',
    segment: 'reactivate',
    policy: 'platform_owner',
    action: 'reactivate',
    body: reactivateRequestSchema,
    summary: 'Reactivate a suspended workspace',
    description:
      'Asks every required consumer; when every receipt is in, resumes collection and opens access. Access stays closed until then.',
    errors: [...withTransition, 'not_suspended'],
    example: { operationId: 'op-reactivate-0001' },
  },
  {
    method: 'POST',
    segment: 'upgrade',
    policy: 'platform_owner',
    action: 'upgrade_plan',
    body: upgradeRequestSchema,
    summary: 'Upgrade to a more expensive plan now',
    description: 'Changes the price at the payment provider, prorated and invoiced at once.',
    errors: [
      ...withTransition,
      'plan_not_available',
      'plan_already_applied',
      'not_an_upgrade',
      'no_provider_subscription',
      'card_declined',
    ],
    example: { operationId: 'op-upgrade-0001', planId: 'pro' },
  },
  {
    method: 'POST',
    segment: 'balance-credit',
    policy: 'platform_owner',
    action: 'credit_customer',
    body: balanceCreditRequestSchema,
    summary: "Credit the customer's balance",
    description:
      "Adds a credit in the plan's currency to the customer's balance at the payment provider, once per operation id.",
    errors: [...everyAction, 'no_provider_customer', 'plan_not_available', 'credit_too_large'],
    example: { operationId: 'op-credit-0001', amountCents: 500, reason: 'Outage on 12 March' },
  },
  {
    method: 'POST',
    segment: 'grant-free-access',
    policy: 'platform_owner',
    action: 'grant_free_access',
    body: grantFreeAccessRequestSchema,
    summary: 'Grant free access to a plan',
    description: 'Ends a running subscription at the payment provider and makes the workspace complimentary.',
    errors: [...withTransition, 'plan_not_available', 'plan_already_applied', 'already_suspended'],
    example: { operationId: 'op-grant-0001', planId: 'pro' },
  },
  {
    method: 'POST',
    segment: 'cancellation',
    policy: 'workspace_owner',
    action: 'cancel_subscription',
    body: cancellationRequestSchema,
    summary: 'Cancel the subscription at the end of its period',
    description: 'A pending plan change is dropped first.',
    errors: [...withTransition, 'no_provider_subscription', 'already_cancelled'],
    example: { operationId: 'op-cancel-0001' },
  },
  {
    method: 'PUT',
    segment: 'plan',
    policy: 'workspace_owner',
    action: 'change_plan_later',
    body: changePlanRequestSchema,
    summary: 'Change the plan at the end of the period',
    description:
      "Makes or replaces the payment provider's schedule. An ambiguous replacement keeps the previous state and the pending intent.",
    errors: [
      ...withTransition,
      'plan_not_available',
      'plan_already_applied',
      'no_provider_subscription',
      'already_cancelled',
    ],
    example: { operationId: 'op-later-0001', planId: 'pro' },
  },
  {
    method: 'DELETE',
    segment: 'plan/pending',
    policy: 'workspace_owner',
    action: 'drop_pending_change',
    body: dropPendingChangeRequestSchema,
    summary: 'Drop a pending plan change',
    description: 'The subscription goes on as it is.',
    errors: [...withTransition, 'no_pending_change'],
    example: { operationId: 'op-drop-0001' },
  },
];

/** Routes of the actions; a repeat with the same id and values is answered from the record. */
export function actionRoutes(ports: ActionRoutePorts): Route[] {
  return actions.map((definition) =>
    defineRoute({
      method: definition.method,
      path: `/api/saas/workspaces/:tenantId/${definition.segment}` as '/api/saas/workspaces/:tenantId/suspend',
      policy: definition.policy,
      tags: ['operations'],
      summary: definition.summary,
      description: `${definition.description} \`Prefer: wait=n\` waits up to n seconds (default ${OPERATOR_LIMITS.defaultWaitSeconds}, at most ${OPERATOR_LIMITS.maximumWaitSeconds}).`,
      params: tenantParams,
      headers: preferHeaders,
      body: definition.body,
      responses: { 200: operationViewSchema, 202: operationViewSchema },
      errors: definition.errors,
      examples: { body: { example: definition.example } },
      guard: async ({ params }) =>
        (await ports.workspaceExists(params.tenantId))
          ? undefined
          : problem('not_found', { detail: 'There is no such workspace.' }),
      handle: async ({ params, headers, body, caller }) => {
        const { operationId, ...given } = body;
        const values = Object.fromEntries(
          Object.entries(given).filter(([, value]) => value !== undefined),
        ) as OperationValues;
        const actor = { id: caller.subject, email: caller.email };
        const answer = await ports.start(
          { operationId, tenantId: params.tenantId, action: definition.action, values, actor },
          waitMs(headers.prefer),
        );
        return answerInHttp(answer, operationId);
      },
    }),
  );
}
