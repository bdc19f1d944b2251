/** `provisioning.workspace.*`: creation over request/reply, and the gateway's word that its mirror stands. */
import {
  createWorkspaceSchema,
  creationRequests,
  creationOperationId,
  mirroredWorkspaceSchema,
  workspaceMessageIds,
} from '@platform/contracts-provisioning';
import { ok, refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { createWorkspace } from '../workflows/create-workspace';
import type { ProvisioningPorts } from '../workflows/ports';
import { viewOf, type ExecutorState } from '../workflows/read-attempts';
import { answering } from './answer';

/** `under` keeps count of creations under way, so that an orderly end waits for them. */
export function creationEndpoints(
  ports: ProvisioningPorts,
  executorState: ExecutorState,
  under: <T>(work: Promise<T>) => Promise<T>,
): Endpoint[] {
  return [
    {
      name: 'create',
      subject: creationRequests.create,
      answer: answering(createWorkspaceSchema, async (request) => {
        const answer = await under(createWorkspace(ports, request));
        if (answer.kind === 'refused') return refused({ code: answer.code, message: answer.message });
        const status = answer.kind === 'committed' ? 'committed' : 'unresolved';
        return ok({ tenantId: request.tenantId, status, attempt: await viewOf({ executorState }, answer.attempt) });
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
