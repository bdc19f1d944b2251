/** The part of the AsyncAPI document for teams without the broker: what is posted to their endpoint, and what it answers. */
import { z } from 'zod';
import {
  consumerTestSchema,
  lifecycleLimits,
  lifecycleMessageSchema,
  lifecycleTypes,
  receiptMessageSchema,
  testReceiptSchema,
} from '@platform/contracts-lifecycle-delivery';

type Json = { readonly [key: string]: unknown };

export const postedSchemas = {
  postedDelivery: lifecycleMessageSchema,
  postedTest: consumerTestSchema,
  answeredReceipt: receiptMessageSchema,
  answeredTestReceipt: testReceiptSchema,
  answeredFailure: z.object({ error: z.string().max(lifecycleLimits.errorCharacters) }),
} as const;
type Posted = keyof typeof postedSchemas;

export const postedSummaries: Readonly<Record<Posted, string>> = {
  postedDelivery: 'A transition of a workspace, posted to the endpoint of a team',
  postedTest: 'A test, posted to an endpoint that is registered as answering tests',
  answeredReceipt:
    'With status 200: the receipt. A 2xx with anything else is a refused receipt, and the delivery comes again',
  answeredTestReceipt: 'With status 200: the answer to a test',
  answeredFailure: 'With status 4xx or 5xx: why the run failed. Without it the status alone is shown',
};

const signed = (type: string): Json => ({
  type: 'object',
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'ce-type'],
  properties: {
    'webhook-id': { type: 'string', description: 'The same for each attempt; a replay has one of its own' },
    'webhook-timestamp': { type: 'string', description: 'Seconds since 1970; refuse what is older than five minutes' },
    'webhook-signature': {
      type: 'string',
      description:
        'One or two signatures, separated by a space. Each is `v1,` and Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, with the bytes that the secret has after `whsec_` as its key',
    },
    'ce-type': { const: type },
    'ce-id': { type: 'string', description: 'Equal to webhook-id' },
    traceparent: { type: 'string' },
  },
});

/** The headers of what is posted; undefined for every other message. */
export function postedHeaders(name: string): Json | undefined {
  if (name === 'postedDelivery') return signed(lifecycleTypes.delivery);
  return name === 'postedTest' ? signed(lifecycleTypes.test) : undefined;
}

export const endpointServers = {
  endpoint: {
    host: '{endpoint}',
    protocol: 'https',
    description: 'The team’s own server, at the address that a platform owner registered.',
    variables: { endpoint: { description: 'Host and port of the address' } },
    security: [{ $ref: '#/components/securitySchemes/standardWebhooks' }],
  },
};

export const endpointSecurity = {
  standardWebhooks: {
    type: 'httpApiKey',
    in: 'header',
    name: 'webhook-signature',
    description: 'Standard Webhooks, version v1: the platform signs, and the endpoint checks with the shared secret.',
  },
};

export function endpointChannel(toMessage: (name: Posted) => Json) {
  return {
    address: '/',
    description:
      'The path is that of the registered address. One POST for each message; the answer is its receipt. No redirect is followed',
    messages: Object.fromEntries((Object.keys(postedSchemas) as Posted[]).map((name) => [name, toMessage(name)])),
  };
}

/** Each channel on its server: those of the broker, and the one endpoint of a team. */
export function onServers(overBroker: Readonly<Record<string, Json>>, endpoint: Json): Readonly<Record<string, Json>> {
  const on = (server: string, channel: Json): Json => ({ ...channel, servers: [{ $ref: `#/servers/${server}` }] });
  const brokers = Object.entries(overBroker).map(([name, channel]) => [name, on('broker', channel)] as const);
  return { ...Object.fromEntries(brokers), endpoint: on('endpoint', endpoint) };
}

export function endpointOperations(
  toChannel: (name: string) => Json,
  inChannel: (channel: string, name: Posted) => Json,
) {
  const channel = toChannel('endpoint');
  const answering = (posted: Posted, ...answers: Posted[]): Json => ({
    action: 'receive',
    channel,
    bindings: { http: { method: 'POST' } },
    messages: [inChannel('endpoint', posted)],
    reply: { channel, messages: answers.map((name) => inChannel('endpoint', name)) },
  });
  return {
    receivePosted: answering('postedDelivery', 'answeredReceipt', 'answeredFailure'),
    receivePostedTest: answering('postedTest', 'answeredTestReceipt', 'answeredFailure'),
  };
}
