/** The actions on a workspace, of the platform owner and of its own owner: parse, run one operation, reply. */
import {
  actionStarters,
  balanceCreditRequestSchema,
  cancellationRequestSchema,
  changePlanRequestSchema,
  dropPendingChangeRequestSchema,
  grantFreeAccessRequestSchema,
  operatorLimits,
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

/** A checkout has a route of its own (`checkout-routes.ts`): it answers with an address instead of the operation. */
const actions: Readonly<Record<Exclude<OperationAction, 'checkout'>, ActionRoute>> = {
  suspend: {
    method: 'POST',
    segment: 'suspend',
    body: suspendRequestSchema,
    summary: 'Suspend a workspace',
    description:
      'Closes access, pauses collection at the payment provider and tells every required consumer. 200 when every receipt is in, 202 while some are awaited.',
    errors: [...withTransition, 'already_suspended'],
    example: { operationId: 'op-suspend-0001' },
  },
  reactivate: {
    method: 'POST',
    segment: 'reactivate',
    body: reactivateRequestSchema,
    summary: 'Reactivate a suspended workspace',
    description:
      'Asks every required consumer; when every receipt is in, resumes collection and opens access. Access stays closed until then.',
    errors: [...withTransition, 'not_suspended'],
    example: { operationId: 'op-reactivate-0001' },
  },
  upgrade_plan: {
    method: 'POST',
    segment: 'upgrade',
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
  credit_customer: {
    method: 'POST',
    segment: 'balance-credit',
    body: balanceCreditRequestSchema,
    summary: "Credit the customer's balance",
    description:
      "Adds a credit in the plan's currency to the customer's balance at the payment provider, once per operation id.",
    errors: [...everyAction, 'no_provider_customer', 'plan_not_available', 'credit_too_large'],
    example: { operationId: 'op-credit-0001', amountCents: 500, reason: 'Outage on 12 March' },
  },
  grant_free_access: {
    method: 'POST',
    segment: 'grant-free-access',
    body: grantFreeAccessRequestSchema,
    summary: 'Grant free access to a plan',
    description: 'Ends a running subscription at the payment provider and makes the workspace complimentary.',
    errors: [...withTransition, 'plan_not_available', 'plan_already_applied', 'already_suspended'],
    example: { operationId: 'op-grant-0001', planId: 'pro' },
  },
  cancel_subscription: {
    method: 'POST',
    segment: 'cancellation',
    body: cancellationRequestSchema,
    summary: 'Cancel the subscription at the end of its period',
    description: 'A pending plan change is dropped first.',
    errors: [...withTransition, 'no_provider_subscription', 'already_cancelled'],
    example: { operationId: 'op-cancel-0001' },
  },
  change_plan_later: {
    method: 'PUT',
    segment: 'plan',
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
  drop_pending_change: {
    method: 'DELETE',
    segment: 'plan/pending',
    body: dropPendingChangeRequestSchema,
    summary: 'Drop a pending plan change',
    description: 'The subscription goes on as it is.',
    errors: [...withTransition, 'no_pending_change'],
    example: { operationId: 'op-drop-0001' },
  },
};

/** Routes of the actions; a repeat with the same id and values is answered from the record. */
export function actionRoutes(ports: ActionRoutePorts): Route[] {
  return (Object.keys(actions) as (keyof typeof actions)[]).map((action) => {
    const definition = actions[action];
    return defineRoute({
      method: definition.method,
      path: `/api/saas/workspaces/:tenantId/${definition.segment}` as '/api/saas/workspaces/:tenantId/suspend',
      policy: actionStarters[action],
      tags: ['operations'],
      summary: definition.summary,
      description: `${definition.description} \`Prefer: wait=n\` waits up to n seconds (default ${operatorLimits.defaultWaitSeconds}, at most ${operatorLimits.maximumWaitSeconds}).`,
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
          { operationId, tenantId: params.tenantId, action, values, actor },
          waitMs(headers.prefer),
        );
        return answerInHttp(answer, operationId);
      },
    });
  });
}
