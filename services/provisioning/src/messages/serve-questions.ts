/** Questions about creations: the commit gate, attempts, and the trial of a checkout. */
import {
  ATTEMPT_REQUESTS,
  attemptListQuestionSchema,
  attemptQuestionSchema,
  GATE_REQUEST,
  gateQuestionSchema,
  TRIAL_REQUEST,
  trialQuestionSchema,
} from '@platform/contracts-provisioning';
import { ok, refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { decodeCursor } from '@platform/mongo';
import { isProvisioningCommitted } from '../workflows/is-provisioning-committed';
import type { ProvisioningPorts } from '../workflows/ports';
import { listUnresolved, readAttempt, type ReadPorts } from '../workflows/read-attempts';
import { takeTrial, trialKeysOf } from '../workflows/reserve';
import { answering } from './answer';

export function questionEndpoints(ports: ProvisioningPorts, reads: ReadPorts): Endpoint[] {
  return [
    {
      name: 'gate',
      subject: GATE_REQUEST,
      // A store that is away is a refusal: callers fail closed.
      answer: answering(gateQuestionSchema, async ({ tenantId }) =>
        ok({ committed: await isProvisioningCommitted(ports, tenantId) }),
      ),
    },
    {
      name: 'attempts',
      subject: ATTEMPT_REQUESTS.list,
      answer: answering(attemptListQuestionSchema, async ({ cursor }) => {
        const after = cursor === undefined ? undefined : decodeCursor(cursor);
        if (after === null) return refused({ code: 'invalid_request', message: 'The cursor is not one of this list.' });
        return ok({ ...(await listUnresolved(reads, after)) });
      }),
    },
    {
      name: 'attempt',
      subject: ATTEMPT_REQUESTS.read,
      answer: answering(attemptQuestionSchema, async ({ tenantId }) => {
        const attempt = await readAttempt(reads, tenantId);
        return ok(attempt ? { attempt } : {});
      }),
    },
    {
      name: 'trial',
      subject: TRIAL_REQUEST,
      answer: answering(trialQuestionSchema, async ({ tenantId, operationId, email, cardFingerprint }) => {
        if (ports.limits.trialDays === 0) return ok({ days: 0 });
        const taken = await takeTrial(ports, trialKeysOf(email, cardFingerprint ?? null), { tenantId, operationId });
        if (taken === 'unknown')
          return refused({ code: 'store_unavailable', message: 'It is not known whether the trial was reserved.' });
        return ok({ days: taken === 'stands' ? ports.limits.trialDays : 0 });
      }),
    },
  ];
}
