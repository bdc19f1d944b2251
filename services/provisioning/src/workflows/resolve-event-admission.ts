/**
 * The end of an investigation of a provider event that provisioning admitted and never completed: its executor is gone, or
 * does not answer. `applied` says that all it could bring about is there, `not_applied` that it is not and will not be. One
 * fenced write and no effect: an executor that wakes loses its own, and the receiver hears the end when it asks again.
 */
import { defineInvestigation, type InvestigationPorts, type OutcomeProofs } from '@platform/durable/investigation';
import { ok } from '@platform/kernel';
import { resolveAdmission, type EventAdmission, type PendingAdmission } from '../domain/event-admission';
import { readAdmissionProof, type AdmissionProofPorts } from './admission-proof';
import type { ProvisioningCollections } from './ports';
import { admissionKey } from './work-keys';

export type ResolveAdmissionPorts = InvestigationPorts &
  AdmissionProofPorts &
  Pick<ProvisioningCollections, 'admissions'>;

/** The provider's object is the event itself. */
export type AdmissionProofs = Omit<OutcomeProofs, 'providerObject'>;

export const admissionInvestigation = defineInvestigation({
  noun: 'event admission',
  executor: 'handler',
  missing: 'Provisioning has admitted no such event.',
  records: (ports: ResolveAdmissionPorts) => ports.admissions,
  isOpen: (admission: EventAdmission): admission is PendingAdmission => admission.status === 'pending',
  known: (admission) =>
    `The event is ${admission.status}${admission.status === 'completed' ? ` (${admission.outcome.kind})` : ''}: there is nothing to resolve.`,
  beside: async () => ok(null),
  executors: ({ _id, executor, updatedAt }) => [{ key: admissionKey(_id), executor, wroteAt: updatedAt }],
  secondProof: (ports, admission, { outcome }: AdmissionProofs) => readAdmissionProof(ports, admission, outcome),
  warnings: ({ executor }) => [
    `${executor.instance} admitted it. If that process lives, its outcome is refused after this, but what it has under way cannot be stopped.`,
  ],
  resolve: (_ports, admission, resolution) => resolveAdmission(admission, resolution),
});
