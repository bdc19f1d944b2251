/**
 * At start: events that earlier boots of this instance admitted and left pending need a person (architecture §6). They
 * are marked, nothing is replayed; the completion that may still come is refused by its fence and kept as evidence.
 */
import type { ExecutorStateOf } from '@platform/durable/boot';
import { decide, onceOnly, walk } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { apart } from '@platform/mongo';
import { stopped, type WebhookEvent } from '../domain/webhook-event';
import { eventAlert } from './complete-event';
import type { WebhookPorts } from './ports';

const reason = 'the process that admitted this event ended before its outcome came';

/** Returns the ids of the events that were stopped. Throws StoreUnavailableError. */
export async function stopInterrupted(
  ports: Pick<WebhookPorts, 'events' | 'executor' | 'clock' | 'log' | 'publishNow'> & {
    readonly executorState: ExecutorStateOf;
  },
): Promise<readonly string[]> {
  const ended: string[] = [];
  const left = { result: 'pending', 'executor.instance': ports.executor.instance };
  for await (const event of walk(ports.events, left))
    await apart(ports.events, event._id, async () => {
      const { incarnation } = event.executor;
      if (incarnation === ports.executor.incarnation) return;
      const state = await ports.executorState(incarnation);
      if (state !== 'superseded' && state !== 'stopped') return;
      if (await stopOne(ports, event)) ended.push(event._id);
    });
  if (ended.length > 0)
    ports.log.warn(
      { events: ended.slice(0, 50), count: ended.length },
      'events of an earlier boot of this instance had no outcome; they need reconciliation',
    );
  return ended;
}

async function stopOne(
  ports: Pick<WebhookPorts, 'events' | 'executor' | 'clock' | 'publishNow'>,
  found: WebhookEvent,
): Promise<boolean> {
  const decided = await decide<WebhookEvent, Checked<WebhookEvent>, 'ended'>(
    { retryPolicy: onceOnly },
    ports.events,
    found._id,
    (event) =>
      event?.result === 'pending'
        ? {
            write: stopped(event, 'restart', reason, ports.clock.now()),
            announce: [eventAlert(ports, event, reason)],
          }
        : { answer: 'ended' },
    found,
  );
  if (decided.kind !== 'written') return false;
  ports.publishNow(found._id, decided.announced);
  return true;
}
