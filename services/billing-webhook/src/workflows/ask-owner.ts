/**
 * The owner of an event keeps a durable record of its outcome that outlives the receiver. The receiver reads that
 * record before it judges an event that it finds unresolved: at its start, in rounds, and at a redelivery.
 */
import {
  providerAdmissionRequests,
  providerAdmissionSchema,
  type ProviderAdmission,
  type ProviderOutcomeMessage,
} from '@platform/contracts-provisioning';
import type { Messaging } from '@platform/messaging';
import type { WebhookEvent } from '../domain/webhook-event';

/** `unavailable`: the owner does not answer now. That is no evidence about the event. */
export type AskOwner = (event: WebhookEvent) => Promise<ProviderAdmission | 'unavailable'>;

const ownerWaitMs = 2_000;

export function askOwnerOver(messaging: Pick<Messaging, 'request'>): AskOwner {
  return async ({ _id: eventId, owner }) => {
    if (!owner) return 'unavailable';
    const answer = await messaging.request(providerAdmissionRequests[owner], { eventId }, ownerWaitMs);
    const decoded = answer.ok ? providerAdmissionSchema.safeParse(answer.value) : null;
    return decoded?.success ? decoded.data : 'unavailable';
  };
}

/** The owner's recorded outcome, in the form of the message that reports it; undefined while there is no outcome. */
export function recordedEnd(
  { _id: eventId, admittedRevision }: WebhookEvent,
  admission: ProviderAdmission | 'unavailable',
): ProviderOutcomeMessage | undefined {
  if (admission === 'unavailable') return undefined;
  const { status, error } = admission;
  if (status === 'not_admitted' || status === 'pending') return undefined;
  return { eventId, admittedRevision, outcome: status, ...(error !== undefined && { error }) };
}
