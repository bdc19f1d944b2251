/**
 * Requests the trial decision from provisioning, which keeps the reservations. A lost answer may have reserved the
 * trial.
 */
import { trialSubject, trialAnswerSchema } from '@platform/contracts-provisioning';
import { wasNotReceived, type Messaging } from '@platform/messaging';
import type { OperatorPorts, TrialDecision } from '../../operations/workflows/ports';

const waitMs = 5_000;

export function requestTrial(messaging: Pick<Messaging, 'request'>): NonNullable<OperatorPorts['reserveTrial']> {
  return async (request): Promise<TrialDecision> => {
    const answer = await messaging.request(trialSubject, { ...request }, waitMs);
    if (!answer.ok)
      return {
        kind: wasNotReceived(answer.error) || answer.error.serverCode === 'invalid_request' ? 'not_asked' : 'uncertain',
      };
    const decoded = trialAnswerSchema.safeParse(answer.value);
    return decoded.success
      ? { kind: 'decided', days: decoded.data.days, held: decoded.data.held ?? false }
      : { kind: 'uncertain' };
  };
}
