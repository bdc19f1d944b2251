/**
 * Routes that create workspaces and inspect creations. They use request/reply to provisioning: a stream would store its
 * messages, and extras must not be stored. The gateway chooses the new id, so that it can name the attempt when no
 * answer arrives.
 */
import {
  attemptRequests,
  attemptsListed,
  attemptAnswerSchema,
  attemptListSchema,
  attemptPageSchema,
  attemptViewSchema,
  creationLimits,
  creationRequests,
  creationRefusalCodes,
  createdWorkspaceSchema,
  createWorkspaceRequestSchema,
  type CreateWorkspace,
  type AttemptView,
  type CreationRefusalCode,
} from '@platform/contracts-provisioning';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import type { Clock, Ids } from '@platform/kernel';
import { wasNotReceived, type RequestRefusal } from '@platform/messaging';
import type { RevisionedCollection } from '@platform/mongo';
import { z } from 'zod';
import type { Plan } from '../../catalogue/domain/plan';
import { tenantParams } from '../../operations/http/request-parts';
import { readAttempt } from '../../work-queue/workflows/asked-owners';
import { isUnavailable } from '../../work-queue/workflows/ports';
import { confirmUrlOf, creationOutcomeRoute, creationPath, type CreationOutcomePorts } from './creation-outcome';

export interface ProvisioningRoutePorts extends CreationOutcomePorts {
  readonly plans: RevisionedCollection<Plan>;
  readonly ids: Ids;
  readonly clock: Clock;
}

const inspectionWaitMs = 2_000;
const createdSchema = z.object({ tenantId: z.string(), status: z.literal('committed') });
/** `attempt` is absent while the progress of the creation is unknown; read it at the address in `Location`. */
const openSchema = z.object({
  tenantId: z.string(),
  /** The first payment waits for the person. */
  code: z.literal('authentication_required').optional(),
  /** Where the person confirms or pays. */
  confirmUrl: z.string().optional(),
  attempt: attemptViewSchema.optional(),
});

export function provisioningRoutes(ports: ProvisioningRoutePorts): Route[] {
  return [creationRoute(ports), creationOutcomeRoute(ports), ...attemptRoutes(ports)];
}

function creationRoute(ports: ProvisioningRoutePorts): Route {
  return defineRoute({
    name: 'createWorkspace',
    method: 'POST',
    path: '/api/saas/workspaces',
    policy: 'signed_in',
    tags: ['workspaces'],
    summary: 'Create a workspace',
    description:
      '201 when it is committed; 202 when its outcome is open: nothing is charged again, `confirmUrl` is where the person confirms a payment that waits for that, and `Location` names where the person who asked reads what became of it. Requests are not idempotent.',
    body: createWorkspaceRequestSchema,
    responses: { 201: createdSchema, 202: openSchema },
    errors: [
      'plan_not_available',
      'reconciliation_required',
      'payment_method_not_usable',
      'card_identity_unknown',
      'capacity_exhausted',
      'card_declined',
      'authentication_required',
      'confirmation_expired',
      'provider_refused',
      'provider_unavailable',
      'rate_limited',
      'peer_unavailable',
      'store_unavailable',
    ],
    examples: {
      body: {
        example: {
          workspaceName: 'Acme',
          planId: 'starter',
          paymentMethodId: 'pm_card_visa',
          billingProfile: { name: 'Acme Ltd', country: 'GB' },
        },
      },
    },
    handle: async ({ body, caller, gone }) => {
      const { planId, ...wanted } = body;
      const plan = await ports.plans.findById(planId);
      if (!plan?.offered) return problem('plan_not_available');
      const price = plan.amountCents > 0 && plan.priceId !== undefined && { priceId: plan.priceId };
      const user = { id: caller.subject, email: caller.email };
      const lost = await refusalByLost(ports, caller.email);
      if (lost) return lost;
      // A gateway that was frozen reads the requests of clients that have given up since, and may have asked again.
      if (gone().aborted) return problem('peer_unavailable', { detail: 'The client has left; nothing was begun.' });
      const askedAt = ports.clock.now().toISOString();
      return askForCreation(ports, {
        ...wanted,
        tenantId: ports.ids.next(),
        user,
        plan: { planId, ...price },
        askedAt,
      });
    },
  });
}

const lostCreation = {
  detail:
    'The payment provider has a workspace of this person that the records lack, as after a restore. Nothing was begun; a person looks at it first.',
};

/**
 * A creation that provisioning has on record was only under way when its customer was seen, and is not lost. One that it
 * has committed has a workspace that the gateway lacks.
 */
async function refusalByLost(ports: ProvisioningRoutePorts, email: string) {
  for (const tenantId of await ports.lostCreations(email)) {
    const attempt = await readAttempt(ports, tenantId);
    if (isUnavailable(attempt)) return notBegun;
    if (!attempt || attempt.status === 'committed') return problem('reconciliation_required', lostCreation);
  }
  return undefined;
}

const notBegun = problem('peer_unavailable', {
  detail: 'Provisioning does not answer; nothing was begun.',
  retryAfterSeconds: 2,
});

async function askForCreation(ports: ProvisioningRoutePorts, request: CreateWorkspace) {
  const { tenantId } = request;
  const waitMs = creationLimits.requestSeconds * 1_000;
  const answer = await ports.messaging.request(creationRequests.create, request, waitMs);
  if (!answer.ok) return refusalOf(ports, tenantId, answer.error);
  const created = createdWorkspaceSchema.safeParse(answer.value);
  if (!created.success) return answerOfRecord(ports, tenantId);
  if (created.data.status === 'unresolved') return open(tenantId, created.data.attempt);
  const location = `/api/saas/workspaces/${tenantId}/admin-state`;
  return reply(201, { tenantId, status: 'committed' as const }, { location });
}

function open(tenantId: string, attempt?: AttemptView) {
  const confirmUrl = attempt && confirmUrlOf(attempt);
  const asked = attempt?.confirmation?.reason === 'authentication_required';
  return reply(
    202,
    {
      tenantId,
      ...(confirmUrl !== undefined && { ...(asked && { code: 'authentication_required' as const }), confirmUrl }),
      ...(attempt && { attempt }),
    },
    { location: creationPath(tenantId) },
  );
}

const retryAfterSeconds: Partial<Record<CreationRefusalCode, number>> = {
  rate_limited: 600,
  provider_unavailable: 5,
  store_unavailable: 2,
};

async function refusalOf(ports: ProvisioningRoutePorts, tenantId: string, refusal: RequestRefusal) {
  if (wasNotReceived(refusal)) return notBegun;
  const { serverCode, message } = refusal;
  const known = creationRefusalCodes.find((each) => each === serverCode);
  if (known === 'tenant_id_taken' || !known) return answerOfRecord(ports, tenantId);
  const seconds = retryAfterSeconds[known];
  return problem(known, { detail: message, ...(seconds !== undefined && { retryAfterSeconds: seconds }) });
}

/**
 * No answer arrived: the creation may be under way. No process starts it again; the response shows the attempt as far
 * as it can be read.
 */
async function answerOfRecord({ messaging }: ProvisioningRoutePorts, tenantId: string) {
  const answer = await messaging.request(attemptRequests.read, { tenantId }, inspectionWaitMs);
  const read = answer.ok ? attemptAnswerSchema.safeParse(answer.value) : undefined;
  const attempt = read?.success ? read.data.attempt : undefined;
  if (attempt?.status === 'committed') return reply(201, { tenantId, status: 'committed' as const });
  return open(tenantId, attempt);
}

function attemptRoutes({ messaging }: ProvisioningRoutePorts): Route[] {
  const unavailable = ({ code }: RequestRefusal) =>
    problem('peer_unavailable', { detail: `Provisioning did not answer (${code}).`, retryAfterSeconds: 2 });
  const unreadable = () =>
    problem('peer_unavailable', { detail: 'Provisioning answered what this version cannot read.' });
  return [
    defineRoute({
      name: 'listProvisioningAttempts',
      method: 'GET',
      path: '/api/saas/workspaces/provisioning-attempts',
      policy: 'staff',
      tags: ['workspaces'],
      summary: 'The first 100 unresolved provisioning attempts, oldest first',
      description: 'Asked of provisioning. `total` counts all of them.',
      responses: { 200: attemptListSchema },
      errors: ['peer_unavailable'],
      handle: async () => {
        const attempts: AttemptView[] = [];
        let cursor: string | undefined;
        for (;;) {
          const answer = await messaging.request(
            attemptRequests.list,
            cursor === undefined ? {} : { cursor },
            inspectionWaitMs,
          );
          if (!answer.ok) return unavailable(answer.error);
          const page = attemptPageSchema.safeParse(answer.value);
          if (!page.success) return unreadable();
          attempts.push(...page.data.attempts);
          cursor = page.data.nextCursor;
          if (cursor === undefined || attempts.length >= attemptsListed)
            return reply(200, { attempts: attempts.slice(0, attemptsListed), total: page.data.total });
        }
      },
    }),
    defineRoute({
      name: 'readProvisioningAttempt',
      method: 'GET',
      path: '/api/saas/workspaces/:tenantId/provisioning-attempt',
      policy: 'staff',
      tags: ['workspaces'],
      summary: "A workspace's provisioning attempt, with the timeline of what it reserved",
      description: 'Read-only; asked of provisioning. What is reserved stays reserved until the outcome is known.',
      params: tenantParams,
      responses: { 200: attemptViewSchema },
      errors: ['not_found', 'peer_unavailable'],
      handle: async ({ params }) => {
        const answer = await messaging.request(attemptRequests.read, { tenantId: params.tenantId }, inspectionWaitMs);
        if (!answer.ok) return unavailable(answer.error);
        const read = attemptAnswerSchema.safeParse(answer.value);
        if (!read.success) return unreadable();
        return read.data.attempt
          ? reply(200, read.data.attempt)
          : problem('not_found', { detail: 'No provisioning attempt created this workspace.' });
      },
    }),
  ];
}
