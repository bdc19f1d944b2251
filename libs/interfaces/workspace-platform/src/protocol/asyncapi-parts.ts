/** The parts of the AsyncAPI document about the broker itself, about tests and about listeners. */
import { z } from 'zod';
import { lifecycleStreams, lifecycleSubjects } from '@platform/contracts-lifecycle-delivery';
import { listenerRequests, listenerSubjects } from '@platform/contracts-provisioning';

type Json = { readonly [key: string]: unknown };

/** In JetStream's own terms; `expires` is in nanoseconds. */
export const pullSchema = z.object({ batch: z.int().min(1).max(256), expires: z.int().min(1_000_000) });
export const acknowledgementSchema = z.enum(['+ACK', '-NAK', '+WPI', '+TERM']);
export const storedSchema = z.object({
  stream: z.string().optional(),
  seq: z.int().optional(),
  error: z.object({ description: z.string() }).optional(),
});

export const servers = {
  broker: {
    host: '{host}:4222',
    protocol: 'nats',
    description: 'TLS from the first byte, or after the greeting; the authority comes with the key.',
    variables: { host: { description: 'The broker address that the team is given' } },
    security: [{ $ref: '#/components/securitySchemes/nkey' }],
  },
};

export const security = {
  nkey: {
    type: 'asymmetricEncryption',
    description:
      'An NKey of the kind user: the client signs the nonce of the broker with its seed. The inbox prefix is _INBOX_ and the name of the consumer.',
  },
};

export const pullChannel = {
  address: `$JS.API.CONSUMER.MSG.NEXT.${lifecycleStreams.deliveries}.{consumer}`,
  description: 'The durable of the consumer; it exists when the registration is answered',
};

export const headers = {
  type: 'object',
  required: ['ce-id', 'ce-type'],
  properties: {
    'Nats-Msg-Id': {
      type: 'string',
      description:
        'Equal to ce-id in what the platform sends; the broker drops a repeat within its duplicate window. Receipts go without it: the record of the delivery recognises a repeat',
    },
    'ce-id': { type: 'string' },
    'ce-source': { type: 'string' },
    'ce-type': { type: 'string', description: 'Names the message and its version' },
    'ce-time': { type: 'string', format: 'date-time' },
    'ce-specversion': { type: 'string', const: '1.0' },
    traceparent: { type: 'string' },
  },
};

/** Tests arrive in the durable of the deliveries. */
export function testChannel(consumer: Json, toMessage: (name: 'test' | 'acknowledgement') => Json) {
  return {
    address: lifecycleSubjects.test('{consumer}'),
    description: `Stream ${lifecycleStreams.deliveries}, in the durable of the consumer; only for one that registered with answersTests`,
    parameters: { consumer },
    messages: { test: toMessage('test'), acknowledgement: toMessage('acknowledgement') },
  };
}

export function listenerChannels<M>(consumer: Json, toMessage: (name: M) => Json) {
  const parameters = { consumer };
  const named = <N extends string>(...names: N[]) =>
    Object.fromEntries(names.map((name) => [name, toMessage(name as unknown as M)])) as Record<N, Json>;
  return {
    listenerRegistration: {
      address: listenerRequests.register('{consumer}'),
      parameters,
      messages: named('registerListener', 'listenerRegistered'),
    },
    listenerRemoval: {
      address: listenerRequests.unregister('{consumer}'),
      parameters,
      messages: named('unregisterListener', 'listenerUnregistered'),
    },
    beingProvisioned: {
      address: listenerSubjects.TENANT_BEING_PROVISIONED('{consumer}'),
      description:
        'Asked once, before anything is paid. A refusal, or no answer within ten seconds, stops the creation',
      parameters,
      messages: named('notice', 'done'),
    },
    deleted: {
      address: listenerSubjects.TENANT_DELETED('{consumer}'),
      description: 'Asked once, when a creation is taken back or a workspace is deleted',
      parameters,
      messages: named('notice', 'done'),
    },
  };
}

/** What a listener is asked, and answers within ten seconds. */
export function listenerOperations(
  toChannel: (name: string) => Json,
  inChannel: (channel: string, name: 'notice' | 'done') => Json,
) {
  const answered = (channel: string): Json => ({
    action: 'receive',
    channel: toChannel(channel),
    messages: [inChannel(channel, 'notice')],
    reply: { address: { location: '$message.header#/reply' }, messages: [inChannel(channel, 'done')] },
  });
  return { beingProvisioned: answered('beingProvisioned'), deleted: answered('deleted') };
}
