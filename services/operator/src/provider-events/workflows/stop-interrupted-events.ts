/**
 * At start: events that earlier boots of this instance admitted and did not finish are `unknown` (architecture §6). The
 * receiver is told, nothing is replayed.
 */
import { notKnown } from '../../operations/domain/event-outcome';
import { finish, outcomeEntry } from '../domain/provider-event';
import type { EventPorts } from './event-ports';
import type { ExecutorState } from '../../operations/workflows/read-operation';

const pageSize = 100;

/** Returns the ids of the events that were stopped. Throws StoreUnavailableError. */
export async function stopInterruptedEvents(
  ports: Pick<EventPorts, 'admissions' | 'executor' | 'clock' | 'log' | 'publishEventNow'>,
  executorState: (incarnation: string) => Promise<ExecutorState>,
): Promise<readonly string[]> {
  const ended: string[] = [];
  let after: readonly [string] | undefined;
  for (;;) {
    const page = await ports.admissions.find(
      { status: 'pending', 'executor.instance': ports.executor.instance },
      { sort: { _id: 1 }, limit: pageSize, ...(after && { after }) },
    );
    for (const admission of page) {
      const { incarnation } = admission.executor;
      if (incarnation === ports.executor.incarnation) continue;
      const state = await executorState(incarnation);
      if (state !== 'superseded' && state !== 'stopped') continue;
      const now = ports.clock.now();
      const next = finish(
        admission,
        notKnown('the process that handled this event ended before its outcome was recorded'),
        now,
      );
      const entry = outcomeEntry(next, now);
      const written = await ports.admissions.mutate(admission, next, [entry]);
      if (written.outcome !== 'applied') continue;
      ports.publishEventNow(admission._id, [entry]);
      ended.push(admission._id);
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) break;
    after = [last._id];
  }
  if (ended.length > 0)
    ports.log.warn(
      { events: ended.slice(0, 50), count: ended.length },
      'provider events of an earlier boot of this instance have no outcome; they need reconciliation',
    );
  return ended;
}
