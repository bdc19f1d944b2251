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

/**
 * Deliveries of one event that come together share one question: a storm of duplicates costs its owner a single read.
 * The answer may be older than the question of a late sharer: an end remains true, and anything else is no evidence.
 */
export function askOwnerOver(messaging: Pick<Messaging, 'request'>): AskOwner {
  const asking = new Map<string, ReturnType<AskOwner>>();
  return (event) => {
    const { _id: eventId, owner } = event;
    if (!owner) return Promise.resolve('unavailable');
    const shared = asking.get(eventId);
    if (shared) return shared;
    const asked = ask(messaging, eventId, owner).finally(() => asking.delete(eventId));
    asking.set(eventId, asked);
    return asked;
  };
}

async function ask(
  messaging: Pick<Messaging, 'request'>,
  eventId: string,
  owner: NonNullable<WebhookEvent['owner']>,
): Promise<ProviderAdmission | 'unavailable'> {
  const answer = await messaging.request(providerAdmissionRequests[owner], { eventId }, ownerWaitMs);
  const decoded = answer.ok ? providerAdmissionSchema.safeParse(answer.value) : null;
  return decoded?.success ? decoded.data : 'unavailable';
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
