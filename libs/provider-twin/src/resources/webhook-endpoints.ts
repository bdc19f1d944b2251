/**
 * Webhook endpoints: where events are sent and with which secret they are signed. The secret is shown only when the
 * endpoint is created.
 */
import { endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
import { changedMetadata, flag, list, metadata, notOffered, only, required, text, unsettable } from '../http/params';
import type { Tables } from '../tables';
import type { Twin } from '../twin';
import { apiVersion } from '../version';
import { found, newestFirst } from './lookup';

type Row = Tables['webhook_endpoint'];

/** Adds an endpoint with the given secret. */
export function newEndpoint(
  twin: Twin,
  fields: {
    url: string;
    secret: string;
    enabledEvents: string[];
    metadata: Record<string, string>;
    description?: string | null;
    apiVersion?: string | null;
  },
): Row {
  return twin.state.add('webhook_endpoint', {
    id: twin.newId('we'),
    object: 'webhook_endpoint',
    api_version: fields.apiVersion ?? null,
    application: null,
    created: twin.now(),
    description: fields.description ?? null,
    enabled_events: fields.enabledEvents,
    livemode: false,
    metadata: fields.metadata,
    secret: fields.secret,
    status: 'enabled',
    url: fields.url,
  });
}

function checkUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw errors.invalid('Invalid URL: An explicit scheme (such as https) must be provided.', 'url', 'url_invalid');
  return url;
}

function shown(row: Readonly<Row>): object {
  const { secret: _secret, ...rest } = row;
  return rest;
}

const events = list(text(100));
const shared = { description: unsettable(text()), metadata };

export const webhookEndpointEndpoints = [
  endpoint(
    'POST',
    '/v1/webhook_endpoints',
    {
      ...shared,
      url: required(text(2_000)),
      enabled_events: required(events),
      api_version: only(text(), (each) => each === apiVersion, 'other API versions'),
      connect: notOffered('connected accounts'),
    },
    (twin, given) => {
      if (given.enabled_events.length === 0) throw errors.missing('enabled_events');
      return newEndpoint(twin, {
        url: checkUrl(given.url),
        secret: twin.newId('whsec'),
        enabledEvents: given.enabled_events,
        metadata: changedMetadata({}, given.metadata),
        description: given.description ?? null,
        apiVersion: given.api_version ?? null,
      });
    },
  ),
  endpoint('GET', '/v1/webhook_endpoints/:id', {}, (twin, _given, { id }) =>
    shown(found(twin, 'webhook_endpoint', id)),
  ),
  endpoint(
    'POST',
    '/v1/webhook_endpoints/:id',
    { ...shared, url: text(2_000), enabled_events: events, disabled: flag },
    (twin, given, { id }) => {
      const row = twin.state.edit('webhook_endpoint', found(twin, 'webhook_endpoint', id).id);
      if (given.url !== undefined) row.url = checkUrl(given.url);
      if (given.enabled_events) row.enabled_events = given.enabled_events;
      if (given.description !== undefined) row.description = given.description;
      if (given.disabled !== undefined) row.status = given.disabled ? 'disabled' : 'enabled';
      row.metadata = changedMetadata(row.metadata, given.metadata);
      return shown(row);
    },
  ),
  endpoint('DELETE', '/v1/webhook_endpoints/:id', {}, (twin, _given, { id }) => {
    const row = found(twin, 'webhook_endpoint', id);
    twin.state.remove('webhook_endpoint', row.id);
    return { id: row.id, object: 'webhook_endpoint', deleted: true };
  }),
  endpoint('GET', '/v1/webhook_endpoints', page, (twin, given) =>
    pageOf(
      newestFirst(twin, 'webhook_endpoint').map((row) => shown(row) as Row),
      given,
      '/v1/webhook_endpoints',
      'webhook_endpoint',
    ),
  ),
];
