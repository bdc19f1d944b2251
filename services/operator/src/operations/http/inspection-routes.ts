/** Reads of the gateway: operations, work queue, case files, admin state and streams. Nothing here changes anything. */
import {
  adminStateSchema,
  contractOf,
  evidenceSchema,
  listQueryMembers,
  operationPageSchema,
  operationStatusSchema,
  operationViewSchema,
  streamsSchema,
} from '@platform/contracts-operator';
import type { IsUnderWay } from '@platform/durable/executors';
import { defineRoute, isStaff, problem, reply, type Route } from '@platform/http-server';
import { z } from 'zod';
import { collectEvidence, type EvidencePorts } from '../workflows/collect-evidence';
import { operationKey } from '../workflows/operation-key';
import { executorStates, listOperations, readOperation, type ListRequest } from '../workflows/read-operation';
import type { StreamsReport } from '../workflows/report-streams';
import { adminStateView } from '../../mirror/http/admin-state-view';
import { evidenceView } from './evidence-view';
import { operationView } from './operation-view';
import { operationParams, tenantParams } from './request-parts';

export interface InspectionPorts extends EvidencePorts {
  readonly reportStreams: () => Promise<StreamsReport>;
  readonly isUnderWay: IsUnderWay;
}

const listQuery = z.strictObject({
  status: operationStatusSchema.optional().describe('Only operations with this status now.'),
  ...listQueryMembers,
});

export function inspectionRoutes(ports: InspectionPorts): Route[] {
  return [...operationRoutes(ports), ...operationListRoutes(ports), ...workspaceRoutes(ports)];
}

function operationRoutes(ports: InspectionPorts): Route[] {
  return [
    defineRoute({
      name: 'readOperation',
      method: 'GET',
      path: '/api/saas/workspaces/:tenantId/operations/:operationId',
      policy: 'workspace_owner_or_staff',
      tags: ['operations'],
      summary: 'Read the persisted operation record',
      description: 'A workspace owner sees the operations that workspace owners started.',
      params: operationParams,
      responses: { 200: operationViewSchema },
      errors: ['not_found', 'store_unavailable'],
      handle: async ({ params, caller }) => {
        const read = await readOperation(ports, params.tenantId, params.operationId);
        if (!read && isStaff(caller.role) && (await isUnrecorded(ports, params.operationId)))
          return problem('store_unavailable', { detail: notRecordedYet, retryAfterSeconds: 2 });
        return read && (isStaff(caller.role) || contractOf(read.operation.action).startedBy === 'workspace_owner')
          ? reply(200, operationView(read.operation, read.executors))
          : problem('not_found', { detail: 'This workspace has no such operation.' });
      },
    }),
    defineRoute({
      name: 'collectEvidence',
      method: 'GET',
      path: '/api/saas/workspaces/:tenantId/operations/:operationId/evidence',
      policy: 'staff',
      tags: ['operations'],
      summary: 'Collect the case file of an operation',
      description: 'Read-only. A matching provider read alone does not prove that the executor is quiescent.',
      params: operationParams,
      responses: { 200: evidenceSchema },
      errors: ['not_found', 'store_unavailable'],
      handle: async ({ params }) => {
        const file = await collectEvidence(ports, params.tenantId, params.operationId);
        return file
          ? reply(200, evidenceView(file))
          : problem('not_found', { detail: 'This workspace has no such operation.' });
      },
    }),
  ];
}

const notRecordedYet =
  'The store has not taken the operation yet, and an executor goes on trying. Read it again; do not choose a new id.';

/** Whether an executor still tries to record the operation, which a person would take for one that never was. */
async function isUnrecorded({ operations, isUnderWay }: InspectionPorts, operationId: string): Promise<boolean> {
  return (await operations.findById(operationId)) === null && isUnderWay(operationKey(operationId));
}

function operationListRoutes(ports: InspectionPorts): Route[] {
  return [
    defineRoute({
      name: 'listWorkspaceOperations',
      method: 'GET',
      path: '/api/saas/workspaces/:tenantId/operations',
      policy: 'staff',
      tags: ['operations'],
      summary: "List a workspace's operations, newest first",
      description: 'Whatever their status; those of workspace owners and those that time started too.',
      params: tenantParams,
      query: listQuery,
      responses: { 200: operationPageSchema },
      errors: ['store_unavailable'],
      handle: async ({ params, query }) => listReply(ports, { tenantId: params.tenantId, ...query }),
    }),
    defineRoute({
      name: 'listOperations',
      method: 'GET',
      path: '/api/saas/operations',
      policy: 'staff',
      tags: ['operations'],
      summary: 'List operations of all workspaces, newest first',
      description: 'With `status=reconciliation_required` this is the work queue.',
      query: listQuery,
      responses: { 200: operationPageSchema },
      errors: ['store_unavailable'],
      handle: async ({ query }) => listReply(ports, query),
    }),
  ];
}

async function listReply(ports: InspectionPorts, request: ListRequest) {
  const page = await listOperations(ports, request);
  if (!page)
    return problem('invalid_request', {
      errors: [{ pointer: '/query/cursor', message: 'is not a cursor of this list' }],
    });
  const executors = await executorStates(ports, page.operations);
  return reply(200, {
    operations: page.operations.map((operation) => operationView(operation, executors)),
    ...(page.nextCursor && { nextCursor: page.nextCursor }),
  });
}

function workspaceRoutes(ports: InspectionPorts): Route[] {
  return [
    defineRoute({
      name: 'readAdminState',
      method: 'GET',
      path: '/api/saas/workspaces/:tenantId/admin-state',
      policy: 'workspace_owner_or_staff',
      tags: ['workspaces'],
      summary: 'Read status, plan, access, pending transition and deletion marker of a workspace',
      description: 'The record by which every guard of the gateway decides, read now.',
      params: tenantParams,
      responses: { 200: adminStateSchema },
      errors: ['not_found', 'store_unavailable'],
      handle: async ({ params }) => {
        const subscription = await ports.subscriptions.findById(params.tenantId);
        return subscription
          ? reply(200, adminStateView(subscription))
          : problem('not_found', { detail: 'There is no such workspace.' });
      },
    }),
    defineRoute({
      name: 'readStreams',
      method: 'GET',
      path: '/api/saas/streams',
      policy: 'staff',
      tags: ['inspection'],
      summary: 'State of streams and durables, oldest undelivered age, outbox backlog',
      description:
        'Asked of the broker and of every service that has an outbox; a service that does not answer is named, and its outboxes are not shown.',
      responses: { 200: streamsSchema },
      errors: ['broker_unavailable', 'store_unavailable'],
      handle: async () => {
        const report = await ports.reportStreams();
        return report === 'broker_unavailable'
          ? problem('broker_unavailable', { retryAfterSeconds: 2 })
          : reply(200, report);
      },
    }),
  ];
}
