/**
 * The evidence for the resolution of an event's admission. The service answers the gateway with it, and the off-line
 * program resolves with it. Writes nothing.
 */
import { defineReading, type InvestigationPorts, type OutcomeProofs } from '@platform/durable/investigation';
import { ok } from '@platform/kernel';
import type { EventAdmission, PendingAdmission } from '../domain/event-admission';
import { readAdmissionProof, type AdmissionProofPorts } from './admission-proof';
import type { ProvisioningCollections } from './ports';
import { admissionKey } from './work-keys';

export type AdmissionReadingPorts = InvestigationPorts &
  AdmissionProofPorts &
  Pick<ProvisioningCollections, 'admissions'>;

/** Without `providerObject`: the provider's object is the event itself. */
export type AdmissionProofs = Omit<OutcomeProofs, 'providerObject'>;

export const admissionReading = defineReading({
  noun: 'event admission',
  executor: 'handler',
  missing: 'Provisioning has admitted no such event.',
  records: (ports: AdmissionReadingPorts) => ports.admissions,
  isOpen: (admission: EventAdmission): admission is PendingAdmission => admission.status === 'pending',
  known: (admission) =>
    `The event is ${admission.status}${admission.status === 'completed' ? ` (${admission.outcome.kind})` : ''}: there is nothing to resolve.`,
  beside: async () => ok(null),
  executors: ({ _id, executor, updatedAt }) => [{ key: admissionKey(_id), executor, wroteAt: updatedAt }],
  secondProof: (ports, admission, { outcome }: AdmissionProofs) => readAdmissionProof(ports, admission, outcome),
  warnings: ({ executor }) => [
    `${executor.instance} admitted it. If that process lives, its outcome is refused after this, but what it has under way cannot be stopped.`,
  ],
});

/** What the resolution does to the admission, in one sentence. */
export function admissionBecomes({ outcome }: Pick<OutcomeProofs, 'outcome'>): string {
  return `The event becomes completed (${outcome === 'applied' ? 'success' : 'skipped'}). Nothing is sent; the receiver gets the outcome when it sends the event again.`;
}

/** The workspace whose creation the event names; null when it names none. */
export function workspaceOf({ about }: Pick<EventAdmission, 'about'>): string | null {
  return about?.attemptId ?? null;
}
