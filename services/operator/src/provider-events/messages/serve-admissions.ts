/** Answers the receiver with the operator's durable record of an event. */
import {
  providerAdmissionRequests,
  providerAdmissionRequestSchema,
  type ProviderAdmission,
} from '@platform/contracts-provisioning';
import type { AskExecutors } from '@platform/durable/executors';
import { ok, refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { StoreUnavailableError, type RevisionedCollection } from '@platform/mongo';
import type { ProviderEventAdmission } from '../domain/provider-event';
import { admissionKey } from '../workflows/admission-key';

interface AdmissionPorts {
  readonly admissions: RevisionedCollection<ProviderEventAdmission>;
  readonly askExecutors: AskExecutors;
}

export function admissionEndpoint(ports: AdmissionPorts): Endpoint {
  return {
    name: 'provider-admission',
    subject: providerAdmissionRequests.operator,
    answer: async (body) => {
      const asked = providerAdmissionRequestSchema.safeParse(body);
      if (!asked.success) return refused({ code: 'invalid_request', message: 'a question names one event' });
      try {
        return ok(await readAdmission(ports, asked.data.eventId));
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        return refused({ code: 'store_unavailable', message: 'the store cannot be asked now; ask again' });
      }
    },
  };
}

/**
 * A process that no longer works on the event may just have written its end, so the record is read again before the
 * answer.
 */
async function readAdmission(
  { admissions, askExecutors }: AdmissionPorts,
  eventId: string,
): Promise<ProviderAdmission> {
  const first = await admissions.findById(eventId);
  if (!first) return { status: 'not_admitted' };
  if (first.status !== 'pending') return ended(first);
  const [executor] = await askExecutors([{ key: admissionKey(eventId), executor: first.executor }]);
  const standing = executor?.state === 'alive' ? first : await admissions.findById(eventId);
  if (standing && standing.status !== 'pending') return ended(standing);
  return { status: 'pending', ...(executor && { executor }) };
}

function ended({ status, error }: Exclude<ProviderEventAdmission, { status: 'pending' }>): ProviderAdmission {
  return { status, ...(error !== undefined && { error }) };
}
