/** Events of the last 30 days, in the form of webhooks. */
import { created, endpoint, page, within } from '../http/endpoint';
import { pageOf } from '../http/pagination';
import { flag, list, text } from '../http/params';
import { matchesPath } from '../faults';
import type { StoredEvent } from '../tables';
import type { Twin } from '../twin';
import { found, newestFirst } from './lookup';

/**
 * The event with the number of its open deliveries. The stored row keeps its first count, so every delivery has the
 * same bytes.
 */
function asOfNow(twin: Twin, event: Readonly<StoredEvent>): StoredEvent {
  const owed = twin.state.where('delivery', 'event', event.id).filter((each) => each.status === 'pending');
  return { ...event, pending_webhooks: owed.length };
}

export const eventEndpoints = [
  endpoint('GET', '/v1/events/:event', {}, (twin, _given, { event }) => asOfNow(twin, found(twin, 'event', event))),
  endpoint(
    'GET',
    '/v1/events',
    { ...page, created, type: text(100), types: list(text(100), 20), delivery_success: flag },
    (twin, given) => {
      const events = newestFirst(
        twin,
        'event',
        (each) =>
          (given.type === undefined || matchesPath(given.type, each.type)) &&
          (given.types === undefined || given.types.includes(each.type)) &&
          (given.delivery_success === undefined ||
            (asOfNow(twin, each).pending_webhooks === 0) === given.delivery_success) &&
          within(each.created, given.created),
      );
      const cut = pageOf(events, given, '/v1/events', 'event');
      return { ...cut, data: cut.data.map((each) => asOfNow(twin, each)) };
    },
  ),
];
