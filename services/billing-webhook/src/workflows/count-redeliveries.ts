/**
 * Many deliveries of one event may come at once. Each is counted, but those that come while a write is under way share
 * the next one, so that they do not race each other for the revision.
 */
import { decide, onceOnly, type CheckedCollection } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { countRedeliveries, type WebhookEvent } from '../domain/webhook-event';
import type { Log } from '@platform/kernel';

interface Batch {
  times: number;
  readonly written: Promise<void>;
}

/**
 * Returns the counting function. Its promise resolves when the count is written; a failed write is logged, not thrown.
 */
export function createRedeliveryCounter({
  events,
  log,
}: {
  readonly events: CheckedCollection<WebhookEvent>;
  readonly log: Log;
}): (eventId: string) => Promise<void> {
  /** The counts that the next write takes. */
  const waiting = new Map<string, Batch>();
  /** The last write that has begun or waits. */
  const last = new Map<string, Promise<void>>();

  async function write(eventId: string, times: number): Promise<void> {
    // An unknown answer is not repeated: a count may be one too low, never one too high.
    const decided = await decide<WebhookEvent, Checked<WebhookEvent>, null>(
      { retryPolicy: onceOnly },
      events,
      eventId,
      (event) => (event ? { write: countRedeliveries(event, times) } : { answer: null }),
    );
    if (decided.kind !== 'unknown') return;
    log.warn({ eventId, times }, 'redeliveries were not counted: the record could not be written');
  }

  return (eventId) => {
    const next = waiting.get(eventId);
    if (next) {
      next.times += 1;
      return next.written;
    }
    const start = () => {
      waiting.delete(eventId);
      return write(eventId, batch.times);
    };
    const written = (last.get(eventId) ?? Promise.resolve()).then(start, start).finally(() => {
      if (last.get(eventId) === written) last.delete(eventId);
    });
    const batch: Batch = { times: 1, written };
    waiting.set(eventId, batch);
    last.set(eventId, written);
    return written;
  };
}
