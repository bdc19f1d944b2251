/** Answers the receiver with provisioning's durable record of an event. */
import {
  providerAdmissionRequests,
  providerAdmissionRequestSchema,
  type ProviderAdmission,
} from '@platform/contracts-provisioning';
import { ok } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import type { CompletedAdmission } from '../domain/event-admission';
import type { ProvisioningPorts } from '../workflows/ports';
import type { ReadPorts } from '../workflows/read-attempts';
import { admissionKey } from '../workflows/work-keys';
import { answering } from '@platform/durable/answering';

type AdmissionPorts = Pick<ProvisioningPorts, 'admissions'> & Pick<ReadPorts, 'askExecutors'>;

export function admissionEndpoint(ports: AdmissionPorts): Endpoint {
  return {
    name: 'provider-admission',
    subject: providerAdmissionRequests.provisioning,
    answer: answering(providerAdmissionRequestSchema, async ({ eventId }) => ok(await readAdmission(ports, eventId))),
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
  if (first.status === 'completed') return ended(first);
  const [executor] = await askExecutors([{ key: admissionKey(eventId), executor: first.executor }]);
  const standing = executor?.state === 'alive' ? first : await admissions.findById(eventId);
  if (standing?.status === 'completed') return ended(standing);
  return { status: 'pending', ...(executor && { executor }) };
}

function ended({ outcome: { kind, error } }: CompletedAdmission): ProviderAdmission {
  return { status: kind, ...(error !== undefined && { error }) };
}
