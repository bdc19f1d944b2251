/**
 * Many deliveries of one event may come at once. Each is counted, but those that come while a write is under way share
 * the next one, so that they do not race each other for the revision.
 */
import { decide, onceOnly, type CheckedCollection } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { countRedeliveries, type WebhookEvent } from '../domain/webhook-event';
import type { Log } from '@platform/kernel';

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
  const waiting = new Map<string, { times: number; written: Promise<void> }>();
  const writing = new Map<string, Promise<void>>();

  async function write(eventId: string, times: number): Promise<void> {
    // An unknown answer is not repeated: a count may be one too low, never one too high.
    const decided = await decide<WebhookEvent, Checked<WebhookEvent>, 'gone'>(
      { retryPolicy: onceOnly },
      events,
      eventId,
      (event) => (event ? { write: countRedeliveries(event, times) } : { answer: 'gone' }),
    );
    if (decided.kind !== 'unknown') return;
    log.warn({ eventId, times }, 'redeliveries were not counted: the record could not be written');
  }

  function begin(eventId: string, times: number): Promise<void> {
    const done = write(eventId, times).finally(() => {
      if (writing.get(eventId) === done) writing.delete(eventId);
    });
    writing.set(eventId, done);
    return done;
  }

  return (eventId) => {
    const busy = writing.get(eventId);
    if (!busy) return begin(eventId, 1);
    const next = waiting.get(eventId);
    if (next) {
      next.times += 1;
      return next.written;
    }
    const batch = { times: 1, written: Promise.resolve() };
    const start = () => {
      waiting.delete(eventId);
      return begin(eventId, batch.times);
    };
    batch.written = busy.then(start, start);
    waiting.set(eventId, batch);
    return batch.written;
  };
}
