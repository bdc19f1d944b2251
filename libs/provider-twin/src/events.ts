/**
 * Events: a change is announced with the current object and, for updates, only the former values of changed fields.
 * Each event is queued at once for every endpoint that subscribed to its type.
 */
import { clone } from './clone';
import type { State } from './state';
import { apiVersion } from './version';

type Fields = Record<string, unknown>;

const isHash = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function changedFields(now: Fields, before: Fields): Fields {
  const changed: Fields = {};
  for (const name of new Set([...Object.keys(now), ...Object.keys(before)])) {
    const [next, last] = [now[name], before[name]];
    if (next === last || JSON.stringify(next) === JSON.stringify(last)) continue;
    changed[name] = isHash(next) && isHash(last) ? changedFields(next, last) : (last ?? null);
  }
  return changed;
}

/** The cause of the running transaction: a request, or none (the clock, a seed). */
export interface Cause {
  requestId: string | null;
  idempotencyKey: string | null;
  /** Whether the transaction adds what was there before: nothing that it does is announced. */
  seed?: boolean;
}

export interface Announcement {
  id: string;
  at: number;
  type: string;
  object: object;
  before?: object | undefined;
  cause: Cause;
}

/** Whether an update changed anything; otherwise it is not announced. */
export function differs(object: object, before: object): boolean {
  return Object.keys(changedFields(object as Fields, before as Fields)).length > 0;
}

/** Days of the clock bound no memory when the clock does not move, so a number does too. */
export const keptEvents = 10_000;

/** Removes the oldest event, unless one of its deliveries is open. */
function forgetOldest(state: State): void {
  for (const { id } of state.rows('event')) {
    if (!state.where('delivery', 'event', id).some(({ status }) => status === 'pending')) state.remove('event', id);
    return;
  }
}

/** Records an event and queues its deliveries to endpoints. */
export function recordEvent(state: State, { id, at, type, object, before, cause }: Announcement): void {
  const snapshot = clone(object) as Fields;
  if (state.count('event') >= keptEvents) forgetOldest(state);
  const endpoints = [...state.rows('webhook_endpoint')].filter(
    (each) => each.status === 'enabled' && (each.enabled_events.includes('*') || each.enabled_events.includes(type)),
  );
  state.add('event', {
    id,
    object: 'event',
    api_version: apiVersion,
    created: at,
    data: { object: snapshot, ...(before ? { previous_attributes: changedFields(snapshot, before as Fields) } : {}) },
    livemode: false,
    pending_webhooks: endpoints.length,
    request: { id: cause.requestId, idempotency_key: cause.idempotencyKey },
    type,
  });
  for (const endpoint of endpoints)
    state.add('delivery', {
      id: `${id}:${endpoint.id}`,
      event: id,
      endpoint: endpoint.id,
      attempts: 0,
      status: 'pending',
      lastStatus: null,
      lastError: null,
      notBefore: at,
    });
}
