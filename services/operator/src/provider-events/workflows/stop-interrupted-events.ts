/**
 * At start: events that earlier boots of this instance admitted and did not finish become `unknown` (architecture §6).
 * The receiver is notified, and nothing is handled again.
 */
import { walk, writeFenced } from '@platform/durable/record';
import { apart } from '@platform/mongo';
import { notKnown } from '../../operations/domain/event-outcome';
import { finish, outcomeEntry, type ProviderEventAdmission } from '../domain/provider-event';
import type { EventPorts } from './event-ports';
import type { ExecutorStateOf } from '@platform/durable/boot';

/** Returns the ids of the events that were stopped. Throws StoreUnavailableError. */
export async function stopInterruptedEvents(
  ports: Pick<EventPorts, 'admissions' | 'executor' | 'retryPolicy' | 'clock' | 'log' | 'publishEventNow'>,
  executorState: ExecutorStateOf,
): Promise<readonly string[]> {
  const ended: string[] = [];
  const left = { status: 'pending', 'executor.instance': ports.executor.instance };
  const stopOne = async (admission: ProviderEventAdmission): Promise<void> => {
    const { incarnation } = admission.executor;
    if (admission.status !== 'pending' || incarnation === ports.executor.incarnation) return;
    const state = await executorState(incarnation);
    if (state !== 'superseded' && state !== 'stopped') return;
    const now = ports.clock.now();
    const outcome = notKnown('the process that handled this event ended before its outcome was recorded');
    const next = finish(admission, outcome, now);
    const entry = outcomeEntry(next, now);
    // No later start reads the event again when this one gives up, so the write is tried as the policy allows.
    const written = await writeFenced(ports.admissions, admission, next, [entry], ports.retryPolicy);
    if (written.kind !== 'written') return;
    ports.publishEventNow(admission._id, [entry]);
    ended.push(admission._id);
  };
  for await (const admission of walk(ports.admissions, left))
    await apart(ports.admissions, admission._id, () => stopOne(admission));
  if (ended.length > 0)
    ports.log.warn(
      { events: ended.slice(0, 50), count: ended.length },
      'provider events of an earlier boot of this instance have no outcome; they need reconciliation',
    );
  return ended;
}
