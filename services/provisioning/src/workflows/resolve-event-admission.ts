/**
 * The end of an investigation of a provider event that provisioning admitted and never completed: its executor is gone,
 * or does not answer. `applied` means that its whole effect exists, `not_applied` that it does not and never will. One
 * fenced write and no effect: an executor that resumes loses its write, and the receiver gets the outcome when it asks
 * again.
 */
import { defineInvestigation } from '@platform/durable/investigation';
import { resolveAdmission } from '../domain/event-admission';
import { admissionReading, type AdmissionReadingPorts } from './read-admission-resolution';

export const admissionInvestigation = defineInvestigation({
  ...admissionReading,
  records: (ports: AdmissionReadingPorts) => ports.admissions,
  resolve: (_ports, admission, resolution) => resolveAdmission(admission, resolution),
});
