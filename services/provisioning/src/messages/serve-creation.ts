/** `provisioning.workspace.*`: creation over request/reply, and the gateway's confirmation that its mirror exists. */
import {
  createWorkspaceSchema,
  creationRequests,
  creationOperationId,
  mirroredWorkspaceSchema,
  workspaceMessageIds,
} from '@platform/contracts-provisioning';
import { ok, refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { StoreUnavailableError } from '@platform/mongo';
import { createWorkspace } from '../workflows/create-workspace';
import type { ProvisioningPorts } from '../workflows/ports';
import { viewOf, type ReadPorts } from '../workflows/read-attempts';
import { answering } from '@platform/durable/answering';

export function creationEndpoints(ports: ProvisioningPorts, reads: Pick<ReadPorts, 'askExecutors'>): Endpoint[] {
  // What has become of the creation is known; a store that went away since makes it no refusal.
  const askExecutors: ReadPorts['askExecutors'] = (questions) =>
    reads.askExecutors(questions).catch((error: unknown) => {
      if (error instanceof StoreUnavailableError) return questions.map(() => ({ state: 'unknown' }));
      throw error;
    });
  return [
    {
      name: 'create',
      subject: creationRequests.create,
      answer: answering(createWorkspaceSchema, async (request) => {
        const answer = await createWorkspace(ports, request);
        if (answer.kind === 'refused') return refused({ code: answer.code, message: answer.message });
        const status = answer.kind === 'committed' ? 'committed' : 'unresolved';
        return ok({ tenantId: request.tenantId, status, attempt: await viewOf({ askExecutors }, answer.attempt) });
      }),
    },
    {
      name: 'mirrored',
      subject: creationRequests.mirrored,
      answer: answering(mirroredWorkspaceSchema, async ({ tenantId }) => {
        await ports.markers.outbox.confirm(creationOperationId(tenantId), workspaceMessageIds.committed(tenantId));
        return ok({ tenantId });
      }),
    },
  ];
}
