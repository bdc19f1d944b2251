/**
 * The end of an investigation of a provider event that provisioning admitted and never completed: its executor is gone, or
 * does not answer. `applied` says that all it could bring about is there, `not_applied` that it is not and will not be. One
 * fenced write and no effect: an executor that wakes loses its own, and the receiver hears the end when it asks again.
 */
import { defineInvestigation } from '@platform/durable/investigation';
import { resolveAdmission } from '../domain/event-admission';
import { admissionReading, type AdmissionReadingPorts } from './read-admission-resolution';

export const admissionInvestigation = defineInvestigation({
  ...admissionReading,
  records: (ports: AdmissionReadingPorts) => ports.admissions,
  resolve: (_ports, admission, resolution) => resolveAdmission(admission, resolution),
});
