/**
 * What became of an event is known at its owner, in a durable record that outlives the receiver. The receiver asks for it
 * before it says anything else of an event that it finds unresolved: at its start, in rounds, and at a redelivery.
 */
import {
  providerAdmissionRequests,
  providerAdmissionSchema,
  type ProviderAdmission,
  type ProviderOutcomeMessage,
} from '@platform/contracts-provisioning';
import type { Messaging } from '@platform/messaging';
import type { WebhookEvent } from '../domain/webhook-event';

/** `unavailable`: the owner does not answer now, which says nothing of the event. */
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

/** The owner's recorded end as the outcome that it has announced, or will; undefined while there is no end. */
export function recordedEnd(
  { _id: eventId, admittedRevision }: WebhookEvent,
  admission: ProviderAdmission | 'unavailable',
): ProviderOutcomeMessage | undefined {
  if (admission === 'unavailable') return undefined;
  const { status, error } = admission;
  if (status === 'not_admitted' || status === 'pending') return undefined;
  return { eventId, admittedRevision, outcome: status, ...(error !== undefined && { error }) };
}
