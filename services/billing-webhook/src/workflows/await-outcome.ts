/**
 * A delivery waits for its event's outcome in this process, woken by the message that brings it: no polling. Another
 * replica may take that message, so the end of the budget reads the record once.
 */
import type { WebhookEvent } from '../domain/webhook-event';
import type { EventNotifier, WaitBudget } from './ports';

export function createEventNotifier(): EventNotifier {
  const listeners = new Map<string, Set<(event: WebhookEvent) => void>>();
  return {
    notify: (event) => listeners.get(event._id)?.forEach((notify) => notify(event)),
    listen(eventId) {
      let notify = (_event: WebhookEvent): void => undefined;
      const heard = new Promise<WebhookEvent>((resolve) => {
        notify = resolve;
      });
      const set = listeners.get(eventId) ?? new Set();
      listeners.set(eventId, set.add(notify));
      return {
        heard,
        stop: () => {
          set.delete(notify);
          if (set.size === 0 && listeners.get(eventId) === set) listeners.delete(eventId);
        },
      };
    },
  };
}

/** The budget by the machine's timer. */
export function timedBudget(milliseconds: number): WaitBudget {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<'over'>((resolve) => {
    timer = setTimeout(resolve, milliseconds, 'over' as const);
  });
  return { over, cancel: () => clearTimeout(timer) };
}
