/**
 * The queue of open deliveries. Each endpoint gets them one after another in the order of their events, repeated with
 * growing pauses until it answers 2xx. Open deliveries are part of the state and survive a restart; pauses are real
 * time, because a receiver restarts in real time.
 */
import type { Delivery, StoredEvent } from '../tables';
import type { Twin } from '../twin';
import { sendEvent, type DeliveryMode, type DeliveryReport } from './send';

export interface Webhooks {
  /** Starts sending open deliveries; returns at once. */
  wake(): void;
  /** Tries every open delivery once now and waits for the answers; `swapped` sends the newest first. */
  flush(swapped: boolean): Promise<{ pending: number }>;
  /** Sends one event again to its endpoints, in the given mode, and waits for the answers. */
  redeliver(event: StoredEvent, mode: DeliveryMode): Promise<DeliveryReport[]>;
  /** Queues one event again for its endpoints, from a later moment of the twin's clock on. */
  postpone(event: StoredEvent, seconds: number): number;
  /** While held, deliveries wait for release or flush. */
  hold(held: boolean): void;
  held(): boolean;
  /** Drops all pauses, when the whole state was replaced. */
  forgetPauses(): void;
  close(): Promise<void>;
}

const pauseMs = { first: 500, longest: 30_000 };
const giveUpAfterAttempts = 60;
const keptFinished = 1_000;

/** Records the outcome of one attempt; a delivery ends by a 2xx, by its endpoint's removal or by too many attempts. */
function recordAttempt(twin: Twin, id: string, report: DeliveryReport): void {
  const { state } = twin;
  state.transact(() => {
    if (!state.get('delivery', id)) return;
    const row = state.edit('delivery', id);
    const done = report.status !== null && report.status >= 200 && report.status < 300;
    const over =
      row.attempts + 1 >= giveUpAfterAttempts ||
      !state.get('webhook_endpoint', row.endpoint) ||
      !state.get('event', row.event);
    Object.assign(row, {
      attempts: row.attempts + 1,
      lastStatus: report.status,
      lastError: report.error,
      status: done ? 'delivered' : over ? 'failed' : 'pending',
    });
  });
}

function forgetFinished(twin: Twin): void {
  const finished = [...twin.state.rows('delivery')].filter((each) => each.status !== 'pending');
  if (finished.length <= 2 * keptFinished) return;
  twin.state.transact(() => {
    for (const each of finished.slice(0, -keptFinished)) twin.state.remove('delivery', each.id);
  });
}

interface Lanes {
  /** The running work, per endpoint. */
  busy: ReadonlyMap<string, Promise<void>>;
  /** Attempts these deliveries, each endpoint separately; busy endpoints are skipped. */
  start(deliveries: Delivery[]): void;
}

/** One lane per endpoint, so a receiver that hangs delays no other one; `after` is called when a lane is free. */
function createLanes(twin: Twin, stop: AbortSignal, attempted: (delivery: Delivery) => void, after: () => void): Lanes {
  const busy = new Map<string, Promise<void>>();

  async function attempt(delivery: Delivery): Promise<void> {
    const event = twin.state.get('event', delivery.event);
    const endpoint = twin.state.get('webhook_endpoint', delivery.endpoint);
    const report =
      event && endpoint
        ? await sendEvent(event, endpoint, 'normal', stop)
        : {
            endpoint: delivery.endpoint,
            url: '',
            status: null,
            error: event ? 'the endpoint was removed' : 'the event is no longer kept',
          };
    if (stop.aborted) return;
    try {
      recordAttempt(twin, delivery.id, report);
    } finally {
      attempted(delivery);
    }
  }

  async function run(deliveries: Delivery[]): Promise<void> {
    for (const delivery of deliveries) if (!stop.aborted) await attempt(delivery);
    if (!stop.aborted) forgetFinished(twin);
  }

  return {
    busy,
    start(deliveries) {
      for (const endpoint of new Set(deliveries.map((each) => each.endpoint))) {
        if (busy.has(endpoint)) continue;
        const lane = run(deliveries.filter((each) => each.endpoint === endpoint));
        // An attempt that could not be recorded (a full disk) stays open and is repeated after its pause.
        const over = lane
          .catch(() => undefined)
          .then(() => {
            busy.delete(endpoint);
            after();
          });
        busy.set(endpoint, over);
      }
    },
  };
}

const owedNow = (twin: Twin): Delivery[] =>
  twin.state.where('delivery', 'status', 'pending').filter((each) => each.notBefore <= twin.now());

const endpointsFor = (twin: Twin, event: StoredEvent) =>
  [...twin.state.rows('webhook_endpoint')].filter(
    (each) => each.enabled_events.includes('*') || each.enabled_events.includes(event.type),
  );

/** Queues an event once more; its id contains the number of the repeat. */
function oweAgain(twin: Twin, event: StoredEvent, seconds: number): number {
  return twin.state.transact(() => {
    const notBefore = twin.now() + seconds;
    for (const endpoint of endpointsFor(twin, event))
      twin.state.add('delivery', {
        id: `${event.id}:${endpoint.id}:${twin.newId('again')}`,
        event: event.id,
        endpoint: endpoint.id,
        attempts: 0,
        status: 'pending',
        lastStatus: null,
        lastError: null,
        notBefore,
      });
    return notBefore;
  });
}

/** The deliveries of a twin; nothing is sent until `wake` is called. */
export function createWebhooks(twin: Twin): Webhooks {
  const stop = new AbortController();
  const nextTry = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let holding = false;
  const ready = (each: Delivery): boolean => (nextTry.get(each.id) ?? 0) <= Date.now();

  function pause(delivery: Delivery): void {
    if (twin.state.get('delivery', delivery.id)?.status !== 'pending') nextTry.delete(delivery.id);
    else
      nextTry.set(
        delivery.id,
        Date.now() + Math.min(pauseMs.first * 2 ** Math.min(delivery.attempts, 10), pauseMs.longest),
      );
  }

  const lanes = createLanes(twin, stop.signal, pause, wake);

  /** Then a lane wakes the next ones at its end, and a look at all that is owed would find nothing to start. */
  const everyLaneBusy = (): boolean =>
    lanes.busy.size > 0 && [...twin.state.rows('webhook_endpoint')].every(({ id }) => lanes.busy.has(id));

  /** Starts the due deliveries and sets a timer for the next one; a timer that fires early only checks again. */
  function wake(): void {
    clearTimeout(timer);
    if (stop.signal.aborted || holding || everyLaneBusy()) return;
    const idle = owedNow(twin).filter((each) => !lanes.busy.has(each.endpoint));
    lanes.start(idle.filter(ready));
    const times = idle.filter((each) => !ready(each)).map((each) => nextTry.get(each.id) ?? 0);
    if (times.length > 0) timer = setTimeout(wake, Math.max(1, Math.min(...times) - Date.now()));
  }

  const settled = (): Promise<unknown> => Promise.all(lanes.busy.values());

  return {
    wake,
    async flush(swapped) {
      while (lanes.busy.size > 0) await settled();
      const owed = owedNow(twin);
      lanes.start(swapped ? owed.reverse() : owed);
      await settled();
      return { pending: owedNow(twin).length };
    },
    async redeliver(event, mode) {
      const targets = endpointsFor(twin, event).flatMap((each) => (mode === 'duplicate' ? [each, each] : [each]));
      const reports: DeliveryReport[] = [];
      for (const endpoint of targets) reports.push(await sendEvent(event, endpoint, mode, stop.signal));
      return reports;
    },
    postpone: (event, seconds) => oweAgain(twin, event, seconds),
    hold(held) {
      holding = held;
      if (!held) wake();
    },
    held: () => holding,
    forgetPauses: () => nextTry.clear(),
    async close() {
      stop.abort();
      clearTimeout(timer);
      await settled();
    },
  };
}
