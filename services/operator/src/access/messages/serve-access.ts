/**
 * `workspace.access`: decode, read the record, answer; an unreadable record is a refusal, on which callers fail closed.
 */
import {
  workspaceAccessRequestSchema,
  workspaceAccessSubject,
  type WorkspaceAccess,
} from '@platform/contracts-operator';
import { attemptAnswerSchema, attemptRequests, type AttemptStatus } from '@platform/contracts-provisioning';
import { ok, refused } from '@platform/kernel';
import type { Endpoint, Messaging } from '@platform/messaging';
import { StoreUnavailableError } from '@platform/mongo';

export function accessEndpoint(read: (tenantId: string) => Promise<WorkspaceAccess>): Endpoint {
  return {
    name: 'access',
    subject: workspaceAccessSubject,
    answer: async (body) => {
      const decoded = workspaceAccessRequestSchema.safeParse(body);
      if (!decoded.success) return refused({ code: 'invalid_request', message: '/tenantId: is no tenant id' });
      try {
        return ok({ ...(await read(decoded.data.tenantId)) });
      } catch (error) {
        if (error instanceof StoreUnavailableError)
          return refused({ code: 'store_unavailable', message: 'the store cannot be asked now; ask again' });
        throw error;
      }
    },
  };
}

/** Guards wait less than a second, and this answer only chooses the wording of a refusal. */
const attemptWaitMs = 300;

/** Provisioning's answer about a creation. */
export function attemptStatusOf(messaging: Pick<Messaging, 'request'>) {
  return async (tenantId: string): Promise<AttemptStatus | null> => {
    const answer = await messaging.request(attemptRequests.read, { tenantId }, attemptWaitMs);
    const decoded = answer.ok ? attemptAnswerSchema.safeParse(answer.value) : undefined;
    return decoded?.data?.attempt?.status ?? null;
  };
}
