/**
 * The end of an investigation of a provider event that provisioning admitted and never completed: its executor is gone, or
 * cannot be asked. `applied` says that all it could bring about is there, `not_applied` that it is not and will not be. One
 * fenced write and no effect: an executor that wakes loses its own, and the receiver hears the end when it asks again.
 */
import { defineInvestigation, type InvestigationPorts, type OutcomeProofs } from '@platform/durable/investigation';
import { ok } from '@platform/kernel';
import { resolveAdmission, type EventAdmission, type PendingAdmission } from '../domain/event-admission';
import type { ProvisioningCollections } from './ports';

export type ResolveAdmissionPorts = InvestigationPorts & Pick<ProvisioningCollections, 'admissions'>;

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
  warnings: ({ executor }, _request: AdmissionProofs) => [
    `${executor.instance} admitted it. If that process lives, its outcome is refused after this, but what it has under way cannot be stopped.`,
  ],
  resolve: (_ports, admission, { outcome, executorStopped, by, at, ...checked }) =>
    resolveAdmission(admission, { ...checked, outcome, executorStopped, by, at }),
});
