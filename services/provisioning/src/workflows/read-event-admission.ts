/** One admission of a provider event, for people: the state of its handler now, and the outcome. Read-only. */
import type { EventAdmissionView } from '@platform/contracts-provisioning';
import type { AskExecutors } from '@platform/durable/executors';
import type { Facts } from '@platform/durable/steps';
import type { EventAdmission } from '../domain/event-admission';
import type { ProvisioningCollections } from './ports';
import { admissionKey } from './work-keys';

export type AdmissionReads = Pick<ProvisioningCollections, 'admissions'> & { readonly askExecutors: AskExecutors };

/** Null when provisioning has admitted no such event. Throws StoreUnavailableError. */
export async function readEventAdmission(
  { admissions, askExecutors }: AdmissionReads,
  eventId: string,
): Promise<EventAdmissionView | null> {
  const admission = await admissions.findById(eventId);
  if (!admission) return null;
  const { type, status, revision, executor, createdAt, updatedAt } = admission;
  const { outcome, resolution }: Facts<EventAdmission> = admission;
  const [knowledge] = await askExecutors([{ key: admissionKey(eventId), executor, wroteAt: updatedAt }]);
  return {
    ...{ eventId, type, status, revision },
    executor: { ...executor, ...knowledge! },
    ...(outcome && { outcome: outcome.kind, finishedAt: updatedAt.toISOString() }),
    ...(outcome?.error !== undefined && { error: outcome.error }),
    ...(resolution && {
      resolution: {
        by: resolution.by,
        executorStopped: resolution.executorStopped,
        at: resolution.at.toISOString(),
      },
    }),
    admittedAt: createdAt.toISOString(),
  };
}
