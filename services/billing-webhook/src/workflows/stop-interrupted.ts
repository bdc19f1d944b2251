/**
 * At start: events that earlier boots of this instance admitted and left pending need a person (architecture §6). They
 * are marked, nothing is replayed; the completion that may still come is refused by its fence and kept as evidence.
 */
import type { PendingEvent, WebhookEvent } from '../domain/webhook-event';
import { stopped } from '../domain/webhook-event';
import { eventAlert } from './complete-event';
import type { WebhookPorts } from './ports';

const pageSize = 100;
const reason = 'the process that admitted this event ended before its outcome came';

export type ExecutorState = 'live' | 'stopped' | 'superseded' | 'unknown';

/** Returns the ids of the events that were stopped. Throws StoreUnavailableError. */
export async function stopInterrupted(
  ports: Pick<WebhookPorts, 'events' | 'executor' | 'clock' | 'log' | 'publishNow'> & {
    readonly executorState: (incarnation: string) => Promise<ExecutorState>;
  },
): Promise<readonly string[]> {
  const ended: string[] = [];
  let after: readonly [string] | undefined;
  for (;;) {
    const page: WebhookEvent[] = await ports.events.find(
      { result: 'pending', 'executor.instance': ports.executor.instance },
      { sort: { _id: 1 }, limit: pageSize, ...(after && { after }) },
    );
    for (const event of page) {
      const { incarnation } = event.executor;
      if (incarnation === ports.executor.incarnation) continue;
      const state = await ports.executorState(incarnation);
      if (state !== 'superseded' && state !== 'stopped') continue;
      if (await stopOne(ports, event as PendingEvent)) ended.push(event._id);
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) break;
    after = [last._id];
  }
  if (ended.length > 0)
    ports.log.warn(
      { events: ended.slice(0, 50), count: ended.length },
      'events of an earlier boot of this instance had no outcome; they need reconciliation',
    );
  return ended;
}

async function stopOne(
  ports: Pick<WebhookPorts, 'events' | 'executor' | 'clock' | 'publishNow'>,
  found: PendingEvent,
): Promise<boolean> {
  let event: WebhookEvent | null = found;
  while (event?.result === 'pending') {
    const alert = eventAlert(ports, event, reason);
    const written = await ports.events.mutate(event, stopped(event, 'restart', reason, ports.clock.now()), [alert]);
    if (written.outcome === 'applied') ports.publishNow(event._id, [alert]);
    if (written.outcome !== 'not_applied') return written.outcome === 'applied';
    event = await ports.events.findById(event._id);
  }
  return false;
}
