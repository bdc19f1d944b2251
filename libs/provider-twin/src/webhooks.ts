// Delivery of events to their endpoints: in order per twin, signed with the provider's scheme at the moment of sending,
// repeated with growing pauses until the receiver says 2xx. Owed deliveries are part of the state and survive a
// restart; only the moment in a signature comes from the machine's clock, because receivers compare it with theirs.
import { createHmac } from 'node:crypto';
import type { Delivery, StoredEvent } from './tables';
import type { Twin } from './twin';

export type DeliveryMode = 'normal' | 'duplicate' | 'late' | 'unsigned' | 'wrong_secret' | 'stale_signature';

export interface DeliveryReport {
  endpoint: string;
  url: string;
  status: number | null;
  error: string | null;
}

export interface Webhooks {
  /** Starts delivering what is owed; returns at once. */
  wake(): void;
  /** Tries every owed delivery once now and waits for the answers. */
  flush(): Promise<{ pending: number }>;
  /** Sends one event again to its endpoints (or one of them), as the mode says, and waits for the answers. */
  redeliver(event: StoredEvent, mode: DeliveryMode): Promise<DeliveryReport[]>;
  /** While held, nothing is sent by itself; what is owed waits for release or flush. */
  hold(held: boolean): void;
  held(): boolean;
  close(): Promise<void>;
}

const pauseMs = { first: 500, longest: 30_000 };
const giveUpAfterAttempts = 60;
const answerWithinMs = 10_000;
const keptFinished = 2_000;
const staleBySeconds = 3 * 24 * 60 * 60;

/** The signature header for a payload: `t=<seconds>,v1=<hex hmac of "t.payload">`. */
export function signatureHeader(payload: string, secret: string, atSeconds: number): string {
  return `t=${atSeconds},v1=${createHmac('sha256', secret).update(`${atSeconds}.${payload}`).digest('hex')}`;
}

const machineSeconds = (): number => Math.floor(Date.now() / 1000);

async function post(url: string, payload: string, signature: string | null, stop: AbortSignal): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    body: payload,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'User-Agent': 'Stripe/1.0 (provider twin)', ...(signature ? { 'Stripe-Signature': signature } : {}) },
    redirect: 'manual',
    signal: AbortSignal.any([stop, AbortSignal.timeout(answerWithinMs)]),
  });
  await response.body?.cancel();
  return response.status;
}

export function createWebhooks(twin: Twin): Webhooks {
  const { state } = twin;
  const stop = new AbortController();
  const nextTry = new Map<string, number>();
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let holding = false;
  let finished: string[] = [];

  async function send(event: StoredEvent, endpointId: string, mode: DeliveryMode): Promise<DeliveryReport> {
    const endpoint = state.get('webhook_endpoint', endpointId);
    if (!endpoint) return { endpoint: endpointId, url: '', status: null, error: 'the endpoint was deleted' };
    const payload = JSON.stringify(event);
    const at = machineSeconds() - (mode === 'stale_signature' ? staleBySeconds : 0);
    const secret = mode === 'wrong_secret' ? `${endpoint.secret}-wrong` : endpoint.secret;
    const report = { endpoint: endpoint.id, url: endpoint.url };
    try {
      const status = await post(endpoint.url, payload, mode === 'unsigned' ? null : signatureHeader(payload, secret, at), stop.signal);
      return { ...report, status, error: null };
    } catch (error) {
      return { ...report, status: null, error: error instanceof Error ? error.message : String(error) };
    }
  }

  function record(delivery: Delivery, report: DeliveryReport): void {
    state.transact(() => {
      if (!state.get('delivery', delivery.id)) return;
      const row = state.edit('delivery', delivery.id);
      const done = report.status !== null && report.status >= 200 && report.status < 300;
      const gone = !state.get('webhook_endpoint', row.endpoint);
      row.attempts += 1;
      row.lastStatus = report.status;
      row.lastError = report.error;
      row.status = done ? 'delivered' : gone || row.attempts >= giveUpAfterAttempts ? 'failed' : 'pending';
      if (row.status === 'pending') return;
      finished.push(row.id);
      if (done && state.get('event', row.event)) state.edit('event', row.event).pending_webhooks -= 1;
      if (finished.length > keptFinished) {
        for (const id of finished.slice(0, keptFinished / 2)) if (state.get('delivery', id)) state.remove('delivery', id);
        finished = finished.slice(keptFinished / 2);
      }
    });
    const pause = Math.min(pauseMs.first * 2 ** Math.min(delivery.attempts, 10), pauseMs.longest);
    nextTry.set(delivery.id, Date.now() + pause);
  }

  async function attempt(delivery: Delivery): Promise<void> {
    const event = state.get('event', delivery.event);
    const report = event
      ? await send(event, delivery.endpoint, 'normal')
      : { endpoint: delivery.endpoint, url: '', status: null, error: 'the event is older than 30 days' };
    if (!stop.signal.aborted) record(delivery, report);
  }

  const owed = (): Delivery[] =>
    [...state.rows('delivery')].filter((each) => each.status === 'pending' && each.notBefore <= twin.now());

  async function run(due: (delivery: Delivery) => boolean): Promise<void> {
    for (const delivery of owed()) {
      if (stop.signal.aborted) return;
      if (due(delivery)) await attempt(delivery);
    }
  }

  function schedule(): void {
    clearTimeout(timer);
    if (stop.signal.aborted || holding) return;
    const times = owed().map((each) => nextTry.get(each.id) ?? 0);
    if (times.length === 0) return nextTry.clear();
    timer = setTimeout(wake, Math.max(0, Math.min(...times) - Date.now()));
  }

  function start(due: (delivery: Delivery) => boolean): Promise<void> {
    running = run(due).finally(() => {
      running = undefined;
      schedule();
    });
    return running;
  }

  function wake(): void {
    if (running || holding || stop.signal.aborted) return;
    if (owed().length > 0) void start((each) => (nextTry.get(each.id) ?? 0) <= Date.now());
  }

  return {
    wake,
    async flush() {
      while (running) await running;
      await start(() => true);
      return { pending: owed().length };
    },
    async redeliver(event, mode) {
      const reports: DeliveryReport[] = [];
      const targets = [...state.rows('webhook_endpoint')].filter(
        (each) => each.enabled_events.includes('*') || each.enabled_events.includes(event.type),
      );
      for (const { id } of targets) {
        for (let n = 0; n < (mode === 'duplicate' ? 2 : 1); n += 1) reports.push(await send(event, id, mode));
      }
      return reports;
    },
    hold(held) {
      holding = held;
      if (!held) wake();
    },
    held: () => holding,
    async close() {
      stop.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
