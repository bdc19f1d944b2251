/**
 * A delivery waits for its event's outcome in this process, woken by the message that brings it. Another replica may take
 * that message, so the record is read too, with growing pauses.
 */
import type { WebhookEvent } from '../domain/webhook-event';
import type { EventNotifier, WaitBudget } from './ports';

export function createEventNotifier(): EventNotifier {
  const listeners = new Set<(event: WebhookEvent) => void>();
  return {
    notify: (event) => listeners.forEach((notify) => notify(event)),
    listen(eventId) {
      let notify = (_event: WebhookEvent): void => undefined;
      const heard = new Promise<WebhookEvent>((resolve) => {
        notify = (event) => {
          if (event._id === eventId) resolve(event);
        };
      });
      listeners.add(notify);
      return { heard, stop: () => void listeners.delete(notify) };
    },
  };
}

/** Most events end within the first pause, and then cost no read. */
const lookAfterMs = { first: 100, longest: 1_000 } as const;

/** The waiting budget, measured with the machine's timer. */
export function timedBudget(milliseconds: number): WaitBudget {
  const timers = new Set<NodeJS.Timeout>();
  const after = <Word>(pauseMs: number, word: Word): Promise<Word> =>
    new Promise((resolve) => void timers.add(setTimeout(resolve, pauseMs, word)));
  const over = after(milliseconds, 'over' as const);
  let pauseMs: number = lookAfterMs.first;
  return {
    over,
    look: () => {
      const looked = after(pauseMs, 'look' as const);
      pauseMs = Math.min(pauseMs * 2, lookAfterMs.longest);
      return looked;
    },
    cancel: () => timers.forEach((timer) => clearTimeout(timer)),
  };
}
