/** The start of a checkout by the workspace's owner. A repeat with the same id gives the same address. */
import {
  actionStarters,
  checkoutRequestSchema,
  checkoutViewSchema,
  operationViewSchema,
} from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import type { OperationRequest } from '../../operations/domain/operation';
import type { OperationAnswer } from '../../operations/workflows/operation-answer';
import { answerInHttp } from '../../operations/http/answer';
import { tenantParams } from '../../operations/http/request-parts';

export interface CheckoutRoutePorts {
  /** Runs the operation until its session is recorded. */
  readonly startCheckout: (request: OperationRequest) => Promise<OperationAnswer>;
  readonly workspaceExists: (tenantId: string) => Promise<boolean>;
}

export function checkoutRoutes({ startCheckout, workspaceExists }: CheckoutRoutePorts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/saas/workspaces/:tenantId/checkout',
      policy: actionStarters.checkout,
      tags: ['operations'],
      summary: 'Begin a checkout',
      description:
        "Answers with the address of the payment provider's page. The subscription is held until that session completes or expires.",
      params: tenantParams,
      body: checkoutRequestSchema,
      responses: { 200: checkoutViewSchema, 202: operationViewSchema },
      errors: [
        'operation_id_reused',
        'operation_running',
        'reconciliation_required',
        'retry_window_expired',
        'resolved_not_applied',
        'deletion_started',
        'transition_pending',
        'checkout_in_progress',
        'plan_not_available',
        'plan_already_applied',
        'already_suspended',
        'peer_unavailable',
        'provider_refused',
        'provider_unavailable',
        'outcome_unknown',
        'store_unavailable',
      ],
      examples: {
        body: {
          example: {
            operationId: 'op-checkout-0001',
            planId: 'pro',
            successUrl: 'https://app.example.com/billing/done',
            cancelUrl: 'https://app.example.com/billing',
          },
        },
      },
      guard: async ({ params }) =>
        (await workspaceExists(params.tenantId))
          ? undefined
          : problem('not_found', { detail: 'There is no such workspace.' }),
      handle: async ({ params, body, caller }) => {
        const { operationId, ...values } = body;
        const actor = { id: caller.subject, email: caller.email };
        const { tenantId } = params;
        const answer = await startCheckout({ operationId, tenantId, action: 'checkout', values, actor });
        return checkoutAnswer(answer, operationId);
      },
    }),
  ];
}

/** The page's address while the session is open; otherwise what became of the operation. */
function checkoutAnswer(answer: OperationAnswer, operationId: string) {
  if (answer.kind === 'succeeded') return reply(200, { operationId, status: 'completed' as const, checkoutUrl: null });
  const operation = answer.kind === 'unfinished' ? answer.operation : undefined;
  if (operation?.checkout && operation.status === 'awaiting_receipts') {
    const { url, expiresAt, trialDays } = operation.checkout;
    return reply(200, {
      operationId,
      status: 'open' as const,
      checkoutUrl: url,
      expiresAt: expiresAt.toISOString(),
      trialDays,
    });
  }
  // Only a finished operation is shown by 200, and that is answered above.
  const other = answerInHttp(answer, operationId);
  return other.kind === 'reply' ? reply(202, other.body as never, other.headers) : other;
}
