/**
 * Handles events without an outcome at start. Their owner's record is read, and an event that its owner has finished is
 * completed here. An event is stopped only when an earlier boot of this instance admitted it and its owner's executor
 * does not answer for it either. An event that has not reached its owner, or whose owner is unreachable, stays pending
 * and visible. Nothing is handled again.
 */
import type { ExecutorStateOf } from '@platform/durable/boot';
import { decide, onceOnly, walk } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { describeExecutor, isInterrupted } from '@platform/kernel';
import { apart } from '@platform/mongo';
import { awaitsOwner, stopped, type WebhookEvent } from '../domain/webhook-event';
import { recordedEnd } from './ask-owner';
import { completeEvent, eventAlert } from './complete-event';
import type { WebhookPorts } from './ports';

type StopPorts = Omit<WebhookPorts, 'ids' | 'budget' | 'countRedelivery'> & {
  readonly executorState: ExecutorStateOf;
};

/** Younger events are left to the running process that admitted them, which still waits. */
const lookedAtAfterMs = 30_000;
const inOrder = { sort: ['receivedAt', '_id'] };

/** Returns the ids of the events that were stopped. Throws StoreUnavailableError. */
export async function stopInterrupted(ports: StopPorts): Promise<readonly string[]> {
  const ended: string[] = [];
  for (const result of ['pending', 'reconciliation_required'] as const)
    for await (const event of walk(ports.events, { result }, inOrder))
      await apart(ports.events, event._id, async () => {
        if (awaitsOwner(event) && (await settle(ports, event))) ended.push(event._id);
      });
  if (ended.length > 0)
    ports.log.warn(
      { events: ended.slice(0, 50), count: ended.length },
      'no process answers for events of an earlier boot of this instance; they need reconciliation',
    );
  return ended;
}

/** True when the event was stopped. */
async function settle(ports: StopPorts, event: WebhookEvent): Promise<boolean> {
  const earlier = await isOfAnEarlierBoot(ports, event);
  const youngMs = ports.clock.now().getTime() - event.receivedAt.getTime();
  if (!earlier && event.result === 'pending' && youngMs < lookedAtAfterMs) return false;
  const admission = await ports.askOwner(event);
  const end = recordedEnd(event, admission);
  if (end) {
    await completeEvent(ports, end);
    return false;
  }
  if (!earlier || admission === 'unavailable') return false;
  if (admission.status !== 'pending' || !admission.executor || !isInterrupted(admission.executor)) return false;
  const handler = describeExecutor(`Its handler at ${event.owner ?? 'no service'}`, admission.executor);
  return stopOne(ports, event, `the process that admitted this event ended before its outcome came. ${handler}`);
}

async function isOfAnEarlierBoot({ executor, executorState }: StopPorts, event: WebhookEvent): Promise<boolean> {
  const { instance, incarnation } = event.executor;
  if (instance !== executor.instance || incarnation === executor.incarnation) return false;
  const state = await executorState(incarnation);
  return state === 'superseded' || state === 'stopped';
}

async function stopOne(
  ports: Pick<WebhookPorts, 'events' | 'executor' | 'clock' | 'publishNow'>,
  found: WebhookEvent,
  reason: string,
): Promise<boolean> {
  const decided = await decide<WebhookEvent, Checked<WebhookEvent>, null>(
    { retryPolicy: onceOnly },
    ports.events,
    found._id,
    (event) =>
      event?.result === 'pending'
        ? {
            write: stopped(event, 'restart', reason, ports.clock.now()),
            announce: [eventAlert(ports, event, reason)],
          }
        : { answer: null },
    found,
  );
  if (decided.kind !== 'written') return false;
  ports.publishNow(found._id, decided.announced);
  return true;
}
