/**
 * Resolved events are reduced to digests after their retention. Only an event that the provider made long ago can have
 * one, so that fresh deliveries cost no read.
 */
import type { ReceivedEvent } from '../domain/webhook-event';
import type { WebhookPorts } from './ports';
import type { Reception } from './reception';

/** No event has a digest before the provider's instant of it is this old. */
export const freshMs = 24 * 3_600_000;

/** The answer for a duplicate of a removed event, or null. Throws StoreUnavailableError. */
export async function recogniseLateDuplicate(
  ports: Pick<WebhookPorts, 'digests' | 'clock' | 'meter' | 'log'>,
  received: ReceivedEvent,
): Promise<Reception | null> {
  const now = ports.clock.now();
  if (now.getTime() - received.created.getTime() < freshMs) return null;
  const digest = await ports.digests.findById(received.eventId);
  if (!digest) return null;
  ports.meter.duplicate('removed');
  ports.log.warn(
    { eventId: digest._id, type: digest.type, result: digest.result, removedAt: digest.removedAt.toISOString() },
    'a duplicate came after the retention of its event; recognised and not handled',
  );
  // A race may leave the count one too low. It is only shown to people; no decision uses it.
  await ports.digests.mutate(digest, { ...digest, lateDeliveries: digest.lateDeliveries + 1, lastLateAt: now });
  return digest.type === received.type
    ? { kind: 'accepted', result: digest.result, duplicate: true }
    : { kind: 'conflict', standingType: digest.type };
}
