/**
 * Requests of the gateway about deletions: the open ones, one of them, and the judgement of a proposed resolution.
 * Read-only.
 */
import {
  deletionListRequestSchema,
  deletionRequests,
  deletionRequestSchema,
  judgedRequests,
  judgedRequestSchema,
} from '@platform/contracts-provisioning';
import { answering } from '@platform/durable/answering';
import { judgeProposed } from '@platform/durable/investigation';
import { ok, refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { decodeCursor } from '@platform/mongo';
import { deletionBecomes, deletionReading, type DeletionReadingPorts } from '../workflows/read-deletion-resolution';
import { listDeletions, readDeletion, type DeletionReads } from '../workflows/read-deletions';

export function deletionEndpoints(ports: DeletionReadingPorts & DeletionReads): Endpoint[] {
  return [
    {
      name: 'deletions',
      subject: deletionRequests.list,
      answer: answering(deletionListRequestSchema, async ({ cursor }) => {
        const after = cursor === undefined ? undefined : decodeCursor(cursor);
        if (after === null)
          return refused({ code: 'invalid_request', message: 'The cursor does not belong to this list.' });
        return ok({ ...(await listDeletions(ports, after)) });
      }),
    },
    {
      name: 'deletion',
      subject: deletionRequests.read,
      answer: answering(deletionRequestSchema, async ({ tenantId }) => {
        const deletion = await readDeletion(ports, tenantId);
        return ok(deletion ? { deletion } : {});
      }),
    },
    {
      name: 'judged-deletion',
      subject: judgedRequests.deletion,
      answer: answering(judgedRequestSchema, async (proposed) => {
        const judged = await judgeProposed(
          { reading: deletionReading, tenantOf: ({ tenantId }) => tenantId, becomes: deletionBecomes },
          ports,
          proposed,
        );
        return ok(judged.ok ? { judged: judged.value } : { refused: judged.error });
      }),
    },
  ];
}
