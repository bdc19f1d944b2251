/**
 * What the owner of an event recorded of it: read here, or requested from provisioning. Evidence for a case; no
 * decision uses it.
 */
import type { WebhookEventView } from '@platform/contracts-operator';
import { eventAdmissionAnswerSchema, eventAdmissionRequests } from '@platform/contracts-provisioning';
import type { Facts } from '@platform/durable/steps';
import type { RevisionedCollection } from '@platform/mongo';
import { askExecutor } from '../../operations/workflows/read-operation';
import type { EvidencePorts } from '../../operations/workflows/collect-evidence';
import type { ProviderEventAdmission } from '../../provider-events/domain/provider-event';
import { admissionKey } from '../../provider-events/workflows/admission-key';
import { requestOwner } from '../../work-queue/workflows/asked-owners';
import { isUnavailable, type OwnerPorts, type Unavailable } from '../../work-queue/workflows/ports';
import type { EventAdmissionFacts } from '../domain/event-material';

export interface AdmissionPorts extends OwnerPorts, EvidencePorts {
  readonly admissions: RevisionedCollection<ProviderEventAdmission>;
}

/** Null when its owner has not admitted it, and for an event without an owner. Throws StoreUnavailableError. */
export async function admissionOf(
  ports: AdmissionPorts,
  { eventId, owner }: WebhookEventView,
): Promise<EventAdmissionFacts | null | Unavailable> {
  if (owner === 'operator') return ownAdmission(ports, eventId);
  if (owner !== 'provisioning') return null;
  const answer = await requestOwner(ports, eventAdmissionRequests.read, { eventId }, eventAdmissionAnswerSchema);
  if (isUnavailable(answer)) return answer;
  const { admission } = answer;
  if (!admission) return null;
  const { service, instance, incarnation, ...knowledge } = admission.executor;
  return {
    status: admission.outcome ?? admission.status,
    executor: { service, instance, incarnation },
    knowledge,
    admittedAt: admission.admittedAt,
    ...(admission.finishedAt !== undefined && { finishedAt: admission.finishedAt }),
    ...(admission.error !== undefined && { error: admission.error }),
  };
}

async function ownAdmission(ports: AdmissionPorts, eventId: string): Promise<EventAdmissionFacts | null> {
  const record = await ports.admissions.findById(eventId);
  if (!record) return null;
  const { finishedAt, error }: Facts<ProviderEventAdmission> = record;
  return {
    status: record.status,
    executor: { ...record.executor },
    knowledge: await askExecutor(ports, admissionKey(eventId), record.executor),
    admittedAt: record.createdAt.toISOString(),
    ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
    ...(error !== undefined && { error }),
  };
}
