import { answers, startScriptedServer, type ScriptedServer } from '../spec-support/scripted-server';
import { providerApiVersion } from './sdk';
import { openWebhookEndpoints, type WebhookEndpoints } from './webhook-endpoints';

let server: ScriptedServer;
let endpoints: WebhookEndpoints;

beforeEach(async () => {
  server = await startScriptedServer();
  endpoints = openWebhookEndpoints({ secretKey: 'sk_test_x', apiBase: server.url, timeoutMs: 60_000 });
});

afterEach(() => server.close());

const answer = {
  id: 'we_a',
  object: 'webhook_endpoint',
  url: 'https://hooks.test/stripe',
  status: 'enabled',
  enabled_events: ['invoice.paid', 'customer.updated'],
  api_version: providerApiVersion,
};
const read = {
  id: 'we_a',
  url: 'https://hooks.test/stripe',
  enabled: true,
  eventTypes: ['invoice.paid', 'customer.updated'],
  apiVersion: providerApiVersion,
};
const sent = () =>
  server.requests.map(({ method, path, body }) => ({
    method,
    path,
    body: Object.fromEntries(new URLSearchParams(body)),
  }));

describe('the webhook endpoints of the account', () => {
  it('are listed over all pages, with those that are disabled or have the version of the account', async () => {
    const old = { ...answer, id: 'we_b', status: 'disabled', api_version: null };
    server.script = ({ path }, ...rest) =>
      answers.json(200, {
        object: 'list',
        url: '/v1/webhook_endpoints',
        data: path.includes('starting_after=we_a') ? [old] : [answer],
        has_more: !path.includes('starting_after'),
      })({ method: 'GET', path, headers: {}, body: '' }, ...rest);
    expect(await endpoints.list()).toEqual([read, { ...read, id: 'we_b', enabled: false, apiVersion: null }]);
    expect(sent().map(({ path }) => path)).toEqual([
      '/v1/webhook_endpoints?limit=100',
      '/v1/webhook_endpoints?limit=100&starting_after=we_a',
    ]);
  });

  it('get a new one with the version of the platform, under a key, and its secret', async () => {
    server.script = answers.json(200, { ...answer, secret: 'whsec_a' });
    const wanted = { url: read.url, eventTypes: read.eventTypes, key: 'endpoint-1' };
    expect(await endpoints.create(wanted)).toEqual({ endpoint: read, secret: 'whsec_a' });
    expect(server.requests[0]!.headers['idempotency-key']).toBe('endpoint-1');
    expect(sent()).toEqual([
      {
        method: 'POST',
        path: '/v1/webhook_endpoints',
        body: {
          url: read.url,
          'enabled_events[0]': 'invoice.paid',
          'enabled_events[1]': 'customer.updated',
          api_version: providerApiVersion,
          description: expect.stringContaining('platform') as string,
        },
      },
    ]);
  });

  it('are not made without a secret that a receiver can check', async () => {
    server.script = answers.json(200, { ...answer, secret: '' });
    await expect(endpoints.create({ url: read.url, eventTypes: [], key: 'endpoint-1' })).rejects.toThrow('secret');
  });

  it('change their types, and are enabled by that', async () => {
    server.script = answers.json(200, answer);
    expect(await endpoints.change('we_a', ['invoice.paid'])).toEqual(read);
    expect(sent()).toEqual([
      {
        method: 'POST',
        path: '/v1/webhook_endpoints/we_a',
        body: { 'enabled_events[0]': 'invoice.paid', disabled: 'false' },
      },
    ]);
  });
});
