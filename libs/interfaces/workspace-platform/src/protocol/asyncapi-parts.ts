/** The parts of the AsyncAPI document that concern the broker itself, and those of listeners. */
import { z } from 'zod';
import { lifecycleStreams } from '@platform/contracts-lifecycle-delivery';
import { listenerRequests, listenerSubjects } from '@platform/contracts-provisioning';

type Json = { readonly [key: string]: unknown };

/** In JetStream's own words; `expires` is in nanoseconds. */
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
