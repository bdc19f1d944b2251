// Events of the last 30 days, as webhooks carry them.
import { created, endpoint, page, within } from '../http/endpoint';
import { pageOf } from '../http/pagination';
import { flag, list, text } from '../http/params';
import { matchesPath } from '../faults';
import { found, newestFirst } from './lookup';

export const eventEndpoints = [
  endpoint('GET', '/v1/events/:event', {}, (twin, _given, { event }) => found(twin, 'event', event)),
  endpoint('GET', '/v1/events', { ...page, created, type: text(100), types: list(text(100), 20), delivery_success: flag }, (twin, given) =>
    pageOf(
      newestFirst(twin, 'event', (each) =>
        (given.type === undefined || matchesPath(given.type, each.type)) &&
        (given.types === undefined || given.types.includes(each.type)) &&
        (given.delivery_success === undefined || (each.pending_webhooks === 0) === given.delivery_success) &&
        within(each.created, given.created)),
      given, '/v1/events', 'event',
    ),
  ),
];
