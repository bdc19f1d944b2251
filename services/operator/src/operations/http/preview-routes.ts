/**
 * A preview for every action, under the action's policy: what it would do now, or why it would be refused. The refusal
 * is part of the answer and not a problem document, because the page shows consequences and refusal together.
 */
import {
  actionPreviewRequestSchema,
  actionPreviewSchema,
  contractOf,
  exampleValues,
  operationActions,
  operatorCodes,
  previewPath,
  type OperationAction,
  starterPolicy,
} from '@platform/contracts-operator';
import { baseCodes, defineRoute, problem, reply, type Route } from '@platform/http-server';
import type { OperationRequest } from '../domain/operation';
import type { PreviewedAction } from '../workflows/preview-action';
import { nameOf, valuesOf, workspaceGuard, type ActionRoutePorts, type WorkspaceAddress } from './action-routes';
import { tenantParams } from './request-parts';

export interface PreviewRoutePorts extends Pick<ActionRoutePorts, 'workspaceExists'> {
  readonly preview: (request: OperationRequest) => Promise<PreviewedAction | null>;
}

export function previewRoutes(ports: PreviewRoutePorts): Route[] {
  return operationActions.map((action) => previewRoute(action, ports));
}

function previewRoute(action: OperationAction, ports: PreviewRoutePorts): Route {
  const contract = contractOf(action);
  return defineRoute({
    name: nameOf(`preview_${action}`),
    method: 'POST',
    path: previewPath(action) as WorkspaceAddress,
    policy: starterPolicy(contract),
    tags: ['operations'],
    summary: `Preview: ${contract.summary.charAt(0).toLowerCase()}${contract.summary.slice(1)}`,
    description:
      'Judged as a first request would be now, in the same order. Nothing is written and no operation id is taken; the workspace may change before the action is sent.',
    params: tenantParams,
    body: actionPreviewRequestSchema(action),
    responses: { 200: actionPreviewSchema },
    errors: ['store_unavailable'],
    examples: { body: { example: exampleValues(action) } },
    guard: ({ params }) => workspaceGuard(ports, params.tenantId),
    handle: async ({ params: { tenantId }, body: { operationId = '', reason, ...given }, caller }) => {
      const values = valuesOf('reason' in contract.values ? { ...given, reason } : given);
      const previewed = await ports.preview({
        ...{ operationId, tenantId, action, values },
        actor: { id: caller.subject, email: caller.email },
        role: caller.role,
      });
      if (!previewed) return problem('not_found', { detail: 'There is no such workspace.' });
      const { refusal, ...preview } = previewed;
      return reply(200, { ...preview, ...(refusal && { refusal: refusalView(refusal) }) });
    },
  });
}

function refusalView({ code, detail, errors }: NonNullable<PreviewedAction['refusal']>) {
  const { message, nextStep } =
    code === 'invalid_request'
      ? { message: 'The values are not valid for a first request.', nextStep: baseCodes.invalid_request.nextStep }
      : operatorCodes[code];
  return {
    code,
    detail: detail ?? message,
    nextStep,
    ...(errors && { errors: errors.map((error) => ({ ...error })) }),
  };
}
