/** The messaging port of one process on the modelled broker; a fault may affect every call. */
import { refused, type Result } from '@platform/kernel';
import type {
  ConsumeOptions,
  DurableDeclaration,
  Endpoint,
  Handle,
  Messaging,
  OutboundMessage,
  PublishOutcome,
  RequestRefusal,
} from '@platform/messaging';
import type { FakeBuckets } from '@platform/messaging/testing';
import { removeDurable, stateOf, type Stream } from './broker-streams';
import type { Answers, Caller } from './calls';
import type { Process } from './timeline';

/** Broker calls with special answers meet a fault this many times as often as plain reads. */
export const often = 4;
/** The broker as its connections use it. */
interface BrokerSide {
  store(message: OutboundMessage): PublishOutcome;
  request(
    subject: string,
    body: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<Result<unknown, RequestRefusal>>;
  declare(declaration: DurableDeclaration): void;
  streams(): Map<string, Stream>;
  readonly buckets: FakeBuckets;
  join(process: Process, options: ConsumeOptions, handle: Handle): void;
  serve(process: Process, endpoints: readonly Endpoint[]): void;
}

const publishing: Answers = {
  unknown_not_published: () => Promise.resolve('unknown'),
  unknown_published: (invoke) => invoke().then(() => 'unknown'),
};
const writing: Answers = {
  unknown_not_written: () => Promise.resolve('unknown'),
  unknown_written: (invoke) => invoke().then(() => 'unknown'),
};
const refusal = (code: RequestRefusal['code']) => refused<RequestRefusal>({ code, message: 'simulated' });
const requesting: Answers = {
  no_responders: () => Promise.resolve(refusal('no_responders')),
  timeout_not_served: () => Promise.resolve(refusal('timeout')),
  timeout_served: (invoke) => invoke().then(() => refusal('timeout')),
};
const closed = { close: () => Promise.resolve() };

export function connectionOf({ process, call }: Caller, broker: BrokerSide): Messaging {
  return {
    publish: (message) =>
      call(`publish ${message.id}`, () => Promise.resolve(broker.store(message)), publishing, often),
    consume: (options, handle) => {
      broker.join(process, options, handle);
      return Promise.resolve(closed);
    },
    ensureDurable: (declaration) =>
      call(`ensureDurable ${declaration.durable}`, () => {
        const there = broker.streams().get(declaration.stream)?.durables.has(declaration.durable);
        broker.declare(declaration);
        return Promise.resolve(there ? ('there' as const) : ('created' as const));
      }),
    removeDurable: (stream, durable) =>
      call(`removeDurable ${durable}`, () => Promise.resolve(removeDurable(broker.streams().get(stream), durable))),
    request: (subject, body, timeoutMs) =>
      call(`request ${subject}`, () => broker.request(subject, body, timeoutMs), requesting, often),
    serve: (_service, endpoints) => {
      broker.serve(process, endpoints);
      return Promise.resolve(closed);
    },
    readKey: (bucket, key) =>
      call(`readKey ${key}`, () => Promise.resolve(broker.buckets.read(bucket, key)), undefined, often),
    writeKey: (bucket, key, value, overSequence) =>
      call(
        `writeKey ${key}`,
        () => Promise.resolve(broker.buckets.write(bucket, key, value, overSequence)),
        writing,
        often,
      ),
    bucketIdentity: (bucket) => call('bucketIdentity', () => Promise.resolve(broker.buckets.identity(bucket))),
    assertTopology: () => Promise.resolve(),
    storedMessages: (stream, after, limit) =>
      call('storedMessages', () =>
        Promise.resolve(
          [...(broker.streams().get(stream)?.messages ?? [])]
            .filter(({ sequence }) => sequence > after)
            .slice(0, limit)
            .map(({ sequence, subject, id, type, json, at }) => ({
              sequence,
              subject,
              headers: { 'ce-id': id, 'ce-type': type },
              text: json,
              publishedAt: at,
            })),
        ),
      ),
    streamStates: (only) =>
      call('streamStates', () =>
        Promise.resolve([...broker.streams().values()].filter(({ name }) => !only || only.includes(name)).map(stateOf)),
      ),
    streamCopies: (names) =>
      call('streamCopies', () =>
        Promise.resolve(
          new Map(
            names.flatMap((name) => {
              const stream = broker.streams().get(name);
              return stream ? [[name, { identity: stream.identity, declared: 1, current: 1, filled: 0 }] as const] : [];
            }),
          ),
        ),
      ),
    connected: () => process.state === 'running',
    // A process of a history that loses the broker is started again.
    restored: () => new Promise(() => undefined),
    quietConsumers: () => [],
    closed: new Promise(() => undefined),
    close: () => Promise.resolve(),
  };
}
