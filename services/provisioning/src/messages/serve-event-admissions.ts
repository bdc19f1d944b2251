/**
 * Requests of the gateway about events that provisioning admitted: one of them, and the judgement of a proposed
 * resolution. Read-only.
 */
import {
  eventAdmissionRequests,
  eventAdmissionRequestSchema,
  judgedRequests,
  judgedRequestSchema,
} from '@platform/contracts-provisioning';
import { answering } from '@platform/durable/answering';
import { judgeProposed } from '@platform/durable/investigation';
import { ok } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import {
  admissionBecomes,
  admissionReading,
  workspaceOf,
  type AdmissionReadingPorts,
} from '../workflows/read-admission-resolution';
import { readEventAdmission, type AdmissionReads } from '../workflows/read-event-admission';

export function eventAdmissionEndpoints(ports: AdmissionReadingPorts & AdmissionReads): Endpoint[] {
  return [
    {
      name: 'event-admission',
      subject: eventAdmissionRequests.read,
      answer: answering(eventAdmissionRequestSchema, async ({ eventId }) => {
        const admission = await readEventAdmission(ports, eventId);
        return ok(admission ? { admission } : {});
      }),
    },
    {
      name: 'judged-event-admission',
      subject: judgedRequests.event_admission,
      answer: answering(judgedRequestSchema, async (proposed) => {
        if (proposed.providerObject !== null)
          return ok({ refused: 'An event is its own proof: no object of the provider is named with it.' });
        const judged = await judgeProposed(
          { reading: admissionReading, tenantOf: workspaceOf, becomes: admissionBecomes },
          ports,
          proposed,
        );
        return ok(judged.ok ? { judged: judged.value } : { refused: judged.error });
      }),
    },
  ];
}
