/**
 * The port on the fake broker, for one connection: its subscriptions, its endpoints, and the effects of a lost broker
 * on them.
 */
import { refused, type Clock, type Result } from '@platform/kernel';
import type { FakeBuckets } from './fake-buckets';
import { callEndpoint } from './fake-endpoint';
import {
  declareDurable,
  copiesOf,
  fakeStreamState,
  markAcknowledged,
  markDelivered,
  markForLater,
  removeDurable,
  type ToStore,
} from './fake-stream';
import type { FakeDurable, FakeStream, StoredMessage } from './fake-stream';
import type {
  ConsumeOptions,
  Disposition,
  Endpoint,
  Handle,
  Messaging,
  PublishOutcome,
  RequestRefusal,
  StreamCopies,
  Subscription,
} from './port';
import type { Restorations } from './restorations';
import { bucketStream, type Topology } from './topology';
import { TopologyError } from './topology-error';
import { cloudEventHeaders, deadLetter, decodeBody, encodeBody, inboundId } from './wire';

/** The part of the broker that connections use. */
export interface FakeCore {
  readonly clock: Clock;
  readonly madeAt: () => Date;
  readonly topology: Topology;
  readonly streams: Map<string, FakeStream>;
  readonly buckets: FakeBuckets;
  copies(): Omit<StreamCopies, 'filled' | 'identity'>;
  isConnected(name: string): boolean;
  restorations(name: string): Restorations;
  publish(from: string, message: ToStore): PublishOutcome;
  request(subject: string, body: unknown): Promise<Result<unknown, RequestRefusal>>;
}

interface OpenSubscription {
  readonly options: ConsumeOptions;
  readonly handleMessage: Handle;
  readonly running: Set<Promise<void>>;
}

interface OpenEndpoint {
  readonly subject: string;
  request(body: unknown, subject: string): Promise<Result<unknown, RequestRefusal>>;
}

export interface FakeConnection {
  readonly messaging: Messaging;
  canTake(stream: string, durable: string): boolean;
  deliver(stream: FakeStream, durable: FakeDurable, message: StoredMessage): Promise<void>;
  endpoints(): readonly OpenEndpoint[];
}

interface ConnectionState {
  readonly name: string;
  readonly core: FakeCore;
  readonly subscriptions: Set<OpenSubscription>;
  readonly endpoints: Set<OpenEndpoint>;
  readonly answering: Set<Promise<unknown>>;
  ended: boolean;
}

export function createFakeConnection(core: FakeCore, name: string): FakeConnection {
  const state: ConnectionState = {
    name,
    core,
    subscriptions: new Set(),
    endpoints: new Set(),
    answering: new Set(),
    ended: false,
  };
  return {
    messaging: buildMessaging(state),
    canTake: (stream, durable) => isUp(state) && freeSubscription(state, stream, durable) !== undefined,
    deliver: (stream, durable, message) => {
      const subscription = freeSubscription(state, stream.declaration.name, durable.declaration.durable);
      if (!subscription) throw new Error('The fake broker chose a connection without a free worker');
      const delivery = attend(state, subscription, stream, durable, message).finally(() =>
        subscription.running.delete(delivery),
      );
      subscription.running.add(delivery);
      return delivery;
    },
    endpoints: () => (isUp(state) ? [...state.endpoints] : []),
  };
}

const isUp = ({ core, name, ended }: ConnectionState): boolean => !ended && core.isConnected(name);

function freeSubscription(
  { subscriptions }: ConnectionState,
  stream: string,
  durable: string,
): OpenSubscription | undefined {
  return [...subscriptions].find(
    ({ options, running }) =>
      options.stream === stream && options.durable === durable && running.size < (options.concurrency ?? 1),
  );
}

async function attend(
  state: ConnectionState,
  subscription: OpenSubscription,
  stream: FakeStream,
  durable: FakeDurable,
  message: StoredMessage,
): Promise<void> {
  const deliveryCount = markDelivered(durable, message);
  const disposition = await decide(subscription, message, stream.declaration.name, deliveryCount);
  // An acknowledgement that the broker never receives: the message is delivered again.
  if (!isUp(state)) return markForLater(durable, message);
  if (disposition.kind === 'nak') return markForLater(durable, message);
  if (disposition.kind === 'dead_letter') {
    const origin = { ...message, stream: stream.declaration.name, durable: durable.declaration.durable, deliveryCount };
    const copy = deadLetter(origin, disposition.reason);
    if (state.core.publish(state.name, { ...copy, bytes: message.bytes, repeats: 'stored' }) === 'unknown')
      return markForLater(durable, message);
  }
  markAcknowledged(stream, durable, message, state.core.clock.now());
}

async function decide(
  { handleMessage, options: { unreadable } }: OpenSubscription,
  message: StoredMessage,
  stream: string,
  deliveryCount: number,
): Promise<Disposition> {
  const decoded = decodeBody(message.bytes);
  if (!decoded.ok && !unreadable) return { kind: 'dead_letter', reason: decoded.reason };
  const { subject, sequence, headers, publishedAt } = message;
  const inbound = {
    ...{ subject, stream, sequence, headers, deliveryCount, publishedAt },
    id: inboundId(headers, stream, sequence),
    type: headers['ce-type'] ?? '',
    body: decoded.ok ? decoded.body : undefined,
  };
  try {
    return await (decoded.ok ? handleMessage(inbound) : unreadable!(inbound, decoded.reason));
  } catch {
    return { kind: 'nak', reason: 'handler threw' };
  }
}

function buildMessaging(state: ConnectionState): Messaging {
  const { core, name } = state;
  let end: (error: Error | undefined) => void = () => undefined;
  const closed = new Promise<Error | undefined>((settle) => (end = settle));
  return {
    publish: async (message) => {
      const bytes = encodeBody(message.subject, message.body);
      if (state.ended) return 'unknown';
      const { subject, id, repeats } = message;
      const attributes = cloudEventHeaders(message, name, core.clock.now());
      const headers = repeats === 'stored' ? attributes : { ...attributes, 'Nats-Msg-Id': id };
      return core.publish(name, { subject, id, bytes, headers, ...(repeats && { repeats }) });
    },
    consume: async (options, handleMessage) => {
      const subscription: OpenSubscription = { options, handleMessage, running: new Set() };
      state.subscriptions.add(subscription);
      return closable(async () => {
        state.subscriptions.delete(subscription);
        await Promise.allSettled(subscription.running);
      });
    },
    request: async (subject, body) => {
      const bytes = encodeBody(subject, body);
      if (!isUp(state)) return refused({ code: 'not_connected', message: 'The broker is not connected' });
      const answer = await core.request(subject, JSON.parse(new TextDecoder().decode(bytes)));
      return isUp(state)
        ? answer
        : refused({ code: 'disconnected', message: 'The connection was lost before an answer came' });
    },
    serve: async (_service, endpoints) => serve(state, endpoints),
    ...bucketCalls(state),
    ...topologyCalls(state),
    connected: () => isUp(state),
    restored: core.restorations(name).next,
    quietConsumers: () =>
      [...state.subscriptions]
        .filter(({ options }) => !isUp(state) || !core.streams.get(options.stream)?.durables.has(options.durable))
        .map(({ options }) => `${options.stream}/${options.durable}`),
    closed,
    close: async () => {
      const running = [...state.subscriptions].flatMap((subscription) => [...subscription.running]);
      state.subscriptions.clear();
      state.endpoints.clear();
      await Promise.allSettled([...running, ...state.answering]);
      state.ended = true;
      end(undefined);
    },
  };
}

function bucketCalls(state: ConnectionState): Pick<Messaging, 'readKey' | 'writeKey' | 'bucketIdentity'> {
  const { buckets } = state.core;
  return {
    readKey: async (bucket, key) => {
      reach(state);
      return buckets.read(bucket, key);
    },
    writeKey: async (bucket, key, value, overSequence) => {
      encodeBody(key, value);
      return isUp(state) ? buckets.write(bucket, key, value, overSequence) : 'unknown';
    },
    bucketIdentity: async (bucket) => {
      reach(state);
      return buckets.identity(bucket);
    },
  };
}

function reach(state: ConnectionState): void {
  if (!isUp(state)) throw new Error('The broker is not connected');
}

type TopologyCall =
  'ensureDurable' | 'removeDurable' | 'assertTopology' | 'streamStates' | 'storedMessages' | 'streamCopies';

function topologyCalls(state: ConnectionState): Pick<Messaging, TopologyCall> {
  const { streams, topology } = state.core;
  return {
    ensureDurable: async (declaration) => {
      reach(state);
      const stream = streams.get(declaration.stream);
      if (!stream) throw new Error(`stream not found: ${declaration.stream}`);
      return declareDurable(stream, declaration, state.core.madeAt());
    },
    removeDurable: async (stream, durable) => (reach(state), removeDurable(streams.get(stream), durable)),
    assertTopology: async () => {
      reach(state);
      const missing = topology.streams.flatMap((declared) => {
        const stream = streams.get(declared.name);
        if (!stream) return [`${declared.name} is missing`];
        return declared.durables
          .filter(({ durable }) => !stream.durables.has(durable))
          .map(({ durable }) => `${declared.name}/${durable} is missing`);
      });
      missing.push(...state.core.buckets.absent().map((name) => `${bucketStream(name)} is missing`));
      if (missing.length > 0) throw new TopologyError(missing);
    },
    streamCopies: async (names) => (reach(state), copiesOf(streams, names, state.core.copies())),
    storedMessages: async (name, after, limit) => {
      reach(state);
      const stored =
        streams.get(name)?.messages.filter(({ sequence, forgotten }) => sequence > after && !forgotten) ?? [];
      return stored.slice(0, limit).map(({ sequence, subject, headers, bytes, publishedAt }) => ({
        sequence,
        subject,
        headers,
        text: new TextDecoder().decode(bytes),
        publishedAt,
      }));
    },
    streamStates: async (only) => {
      reach(state);
      const matching = [...streams.values()].filter(({ declaration }) => !only || only.includes(declaration.name));
      return matching.map(fakeStreamState);
    },
  };
}

function serve(state: ConnectionState, endpoints: readonly Endpoint[]): Subscription {
  const open = endpoints.map((endpoint): OpenEndpoint => ({
    subject: endpoint.subject,
    request: (body, subject) => {
      const answer = callEndpoint(endpoint, body, subject).finally(() => state.answering.delete(answer));
      state.answering.add(answer);
      return answer;
    },
  }));
  for (const endpoint of open) state.endpoints.add(endpoint);
  return closable(async () => {
    for (const endpoint of open) state.endpoints.delete(endpoint);
    await Promise.allSettled(state.answering);
  });
}

function closable(close: () => Promise<void>): Subscription {
  return { close };
}
