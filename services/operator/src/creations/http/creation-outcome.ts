/**
 * What the person who asked for a workspace reads of its creation (specification §5 keeps the attempt itself for the
 * platform's owners): how it ended, in words, and what to do. It contains neither the provider's objects nor executors.
 */
import {
  attemptAnswerSchema,
  attemptRequests,
  creationRefusalCodes,
  type AttemptView,
  type CreationOutcome,
  creationOutcomeSchema,
} from '@platform/contracts-provisioning';
import { defineRoute, isStaff, problem, reply, type Route } from '@platform/http-server';
import type { Messaging } from '@platform/messaging';
import { tenantParams } from '../../operations/http/request-parts';

export const creationPath = (tenantId: string): string => `/api/saas/workspaces/${tenantId}/creation`;

const inspectionWaitMs = 2_000;

/** A refusal that the person may read; only the platform's owners see any other reason. */
function refusalOf({ lastError, remains }: AttemptView): Pick<CreationOutcome, 'code' | 'message'> {
  const code = creationRefusalCodes.find((known) => known === lastError?.code);
  // What an investigation ended may have been paid; its remains say whether the provider shows that.
  const charge =
    remains === undefined || remains.state === 'removed'
      ? ', and nothing was charged for it.'
      : '. Whether something was charged for it is being looked at.';
  return {
    ...(code && { code }),
    message: `The workspace was not created${charge}${code && lastError ? ` ${lastError.message}` : ''}`,
  };
}

/** The page for the first payment while it waits; undefined once it has ended or the creation is rolled back. */
export function confirmUrlOf({ status, confirmation, rollback }: AttemptView): string | undefined {
  return status === 'awaiting_payment' && !rollback ? confirmation?.url : undefined;
}

function openWords(attempt: AttemptView): Pick<CreationOutcome, 'code' | 'message' | 'confirmUrl'> {
  const { status, confirmation, rollback } = attempt;
  if (status !== 'awaiting_payment' || !confirmation || rollback)
    return { message: 'The creation has not ended. Read this address again.' };
  const url = confirmUrlOf(attempt);
  const confirmUrl = url === undefined ? {} : { confirmUrl: url };
  return confirmation.reason === 'authentication_required'
    ? {
        code: 'authentication_required',
        message: 'Your bank asks you to confirm the payment. The workspace is created when you have.',
        ...confirmUrl,
      }
    : { message: 'The payment is on its way. The workspace is created when it has arrived.', ...confirmUrl };
}

function told(attempt: AttemptView): Pick<CreationOutcome, 'outcome' | 'code' | 'message' | 'confirmUrl'> {
  switch (attempt.status) {
    case 'committed':
      return { outcome: 'created', message: 'The workspace is created.' };
    case 'cancelled':
      return { outcome: 'not_created', ...refusalOf(attempt) };
    case 'reconciliation_required':
      return {
        outcome: 'not_known',
        message: 'It is not known how the creation ended. It is being investigated. Nothing is charged a second time.',
      };
    default:
      return { outcome: 'open', ...openWords(attempt) };
  }
}

/** The part of an attempt that the person who asked for it may see. */
export function creationOutcome(attempt: AttemptView): CreationOutcome {
  const { tenantId, workspaceName, planId, createdAt, updatedAt } = attempt;
  return { tenantId, workspaceName, planId, ...told(attempt), askedAt: createdAt, asOf: updatedAt };
}

export interface CreationOutcomePorts {
  readonly messaging: Pick<Messaging, 'request'>;
  /** Creations of this person that left a customer at the provider which no workspace names, as after a restore. */
  readonly lostCreations: (email: string) => Promise<readonly string[]>;
}

/** Visible to the person who asked and to the platform's owners; for all others it does not exist. */
export function creationOutcomeRoute({ messaging, lostCreations }: CreationOutcomePorts): Route {
  return defineRoute({
    name: 'readCreation',
    method: 'GET',
    path: '/api/saas/workspaces/:tenantId/creation',
    policy: 'signed_in',
    tags: ['workspaces'],
    summary: 'What became of a creation',
    description: 'For the person who asked for the workspace, and for platform owners.',
    params: tenantParams,
    responses: { 200: creationOutcomeSchema },
    errors: ['not_found', 'reconciliation_required', 'peer_unavailable'],
    handle: async ({ params, caller }) => {
      const answer = await messaging.request(attemptRequests.read, { tenantId: params.tenantId }, inspectionWaitMs);
      const read = answer.ok ? attemptAnswerSchema.safeParse(answer.value) : undefined;
      if (!read?.success)
        return problem('peer_unavailable', { detail: 'Provisioning did not answer.', retryAfterSeconds: 2 });
      const { attempt } = read.data;
      if (!attempt && (await lostCreations(caller.email)).includes(params.tenantId))
        return problem('reconciliation_required', {
          detail:
            'The payment provider has this creation, and the records lack it, as after a restore. A person looks at it.',
        });
      if (!attempt || (attempt.userId !== caller.subject && !isStaff(caller.role)))
        return problem('not_found', {
          detail:
            'No record says that you have asked for a workspace with this id. Its creation may not have begun: none is begun whose request provisioning receives a minute late.',
        });
      return reply(200, creationOutcome(attempt));
    },
  });
}
