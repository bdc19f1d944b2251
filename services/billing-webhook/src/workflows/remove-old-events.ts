/**
 * Retention (contracts §4.4): a resolved event older than the window is reduced to its digest. The digest is durable
 * before the record goes, and unresolved events never go. Time decides only about housekeeping.
 */
import { walk } from '@platform/durable/record';
import { apart } from '@platform/mongo';
import { isResolved, type ResolvedEvent } from '../domain/webhook-event';
import type { WebhookPorts } from './ports';
import { freshMs } from './recognise-late-duplicate';

const pageSize = 200;
const dayMs = 86_400_000;

/** Removes resolved events older than `retentionDays`; returns how many were removed. Throws StoreUnavailableError. */
export async function removeOldEvents(
  ports: Pick<WebhookPorts, 'events' | 'digests' | 'clock' | 'log'>,
  retentionDays: number,
  stopping?: () => boolean,
): Promise<number> {
  const before = new Date(ports.clock.now().getTime() - retentionDays * dayMs);
  let removed = 0;
  for (const result of ['success', 'skipped'] as const) {
    const old = { result, processedAt: { $lt: before } };
    for await (const event of walk(ports.events, old, { sort: ['processedAt', '_id'], pageSize })) {
      if (stopping?.()) return removed;
      await apart(ports.events, event._id, async () => {
        if (isResolved(event) && (await reduce(ports, event))) removed += 1;
      });
    }
  }
  if (removed > 0)
    ports.log.info({ removed, before: before.toISOString() }, 'resolved events were reduced to their digests');
  return removed;
}

async function reduce(
  { events, digests, clock }: Pick<WebhookPorts, 'events' | 'digests' | 'clock'>,
  event: ResolvedEvent,
): Promise<boolean> {
  // The alert of an earlier stop may still wait for the broker.
  if ((event.outbox ?? []).length > 0) return false;
  // Of a fresh event no digest is read, and the provider's clock, or one of its test clocks, can be far ahead.
  if (clock.now().getTime() - event.created.getTime() < freshMs) return false;
  const { _id, type, result } = event;
  const kept = await digests.insert({ _id, type, result, removedAt: clock.now(), lateDeliveries: 0 });
  if (kept.outcome === 'unknown' || (kept.outcome === 'not_applied' && !kept.existing)) return false;
  return (await events.remove(event)).outcome === 'applied';
}
