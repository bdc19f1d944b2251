/** Requests about creations: the commit gate, the existing tenants, attempts, and the trial of a checkout. */
import {
  attemptRequests,
  attemptListRequestSchema,
  attemptRequestSchema,
  contradictedRequests,
  contradictedRequestSchema,
  judgedRequests,
  judgedRequestSchema,
  gateSubject,
  gateRequestSchema,
  tenantPageRequestSchema,
  tenantRequests,
  trialSubject,
  trialRequestSchema,
} from '@platform/contracts-provisioning';
import { ok, refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { decodeCursor } from '@platform/mongo';
import { contradictedCreations, type ContradictedPorts } from '../workflows/contradicted-creations';
import { isProvisioningCommitted } from '../workflows/is-provisioning-committed';
import type { ProvisioningPorts } from '../workflows/ports';
import { attemptBecomes, attemptReading, type AttemptReadingPorts } from '../workflows/read-attempt-resolution';
import { listUnresolved, readAttempt, type ReadPorts } from '../workflows/read-attempts';
import { readTenants } from '../workflows/read-tenants';
import { bindTrial, checkoutTrialKeysOf, takeTrial } from '../workflows/reserve';
import { answering } from '@platform/durable/answering';
import { judgeProposed } from '@platform/durable/investigation';

export function requestEndpoints(
  ports: ProvisioningPorts & ContradictedPorts & AttemptReadingPorts,
  reads: ReadPorts,
): Endpoint[] {
  return [
    {
      name: 'gate',
      subject: gateSubject,
      // A store that is unreachable is a refusal: callers fail closed.
      answer: answering(gateRequestSchema, async ({ tenantId }) =>
        ok({ committed: await isProvisioningCommitted(ports, tenantId) }),
      ),
    },
    {
      name: 'tenants',
      subject: tenantRequests.page,
      answer: answering(tenantPageRequestSchema, async (request) => ok({ ...(await readTenants(ports, request)) })),
    },
    {
      name: 'attempts',
      subject: attemptRequests.list,
      answer: answering(attemptListRequestSchema, async ({ cursor }) => {
        const after = cursor === undefined ? undefined : decodeCursor(cursor);
        if (after === null)
          return refused({ code: 'invalid_request', message: 'The cursor does not belong to this list.' });
        return ok({ ...(await listUnresolved(reads, after)) });
      }),
    },
    {
      name: 'attempt',
      subject: attemptRequests.read,
      answer: answering(attemptRequestSchema, async ({ tenantId }) => {
        const attempt = await readAttempt(reads, tenantId);
        return ok(attempt ? { attempt } : {});
      }),
    },
    ...resolutionEndpoints(ports, reads),
    {
      name: 'trial',
      subject: trialSubject,
      answer: answering(trialRequestSchema, async ({ tenantId, operationId, email, cardFingerprints = [], begun }) => {
        const holder = { tenantId, operationId };
        const keys = checkoutTrialKeysOf(tenantId, email, cardFingerprints);
        if (begun) {
          const bound = await bindTrial(ports, keys, holder);
          return bound === 'unknown'
            ? refused({ code: 'store_unavailable', message: 'It is not known whether the cards were bound.' })
            : ok({ days: 0, held: bound === 'held' });
        }
        if (ports.limits.trialDays === 0) return ok({ days: 0 });
        const taken = await takeTrial(ports, keys, holder);
        if (taken === 'unknown')
          return refused({ code: 'store_unavailable', message: 'It is not known whether the trial was reserved.' });
        return ok({ days: taken === 'as_requested' ? ports.limits.trialDays : 0 });
      }),
    },
  ];
}

/** The gateway's requests about recorded and proposed resolutions of creations; nothing is written. */
function resolutionEndpoints(
  ports: ContradictedPorts & AttemptReadingPorts,
  { askExecutors }: Pick<ReadPorts, 'askExecutors'>,
): Endpoint[] {
  return [
    {
      name: 'contradicted',
      subject: contradictedRequests.creations,
      answer: answering(contradictedRequestSchema, async ({ since, after }) =>
        ok({ ...(await contradictedCreations(ports, since, after)) }),
      ),
    },
    {
      name: 'judged',
      subject: judgedRequests.provisioning_attempt,
      answer: answering(judgedRequestSchema, async (proposed) => {
        const judged = await judgeProposed(
          { reading: attemptReading, tenantOf: ({ tenantId }) => tenantId, becomes: attemptBecomes },
          { ...ports, askExecutors },
          proposed,
        );
        return ok(judged.ok ? { judged: judged.value } : { refused: judged.error });
      }),
    },
  ];
}
