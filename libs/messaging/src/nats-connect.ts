/**
 * Connects the NATS adapter: one connection that reconnects without limit, and the port on top of it. The first
 * connection is awaited without limit too, because services start in any order; an abort signal ends that wait.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { jetstream, JetStreamApiError } from '@nats-io/jetstream';
import { connect, errors, nuid } from '@nats-io/transport-node';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import { backoffMs, noTracing } from '@platform/kernel';
import type { Messaging, OutboundMessage, PublishOutcome, Subscription } from './port';
import { createBatchedPublish } from './nats-batch';
import type { Publication } from './nats-batch';
import { bucketIdentity, readKey, writeKey } from './nats-buckets';
import { openConsumer } from './nats-consume';
import type { OpenConsumer } from './nats-consume';
import { signOn, type AdapterContext, type MessagingOptions } from './nats-context';
import { toNatsHeaders } from './nats-headers';
import { openService, requestAnswer } from './nats-services';
import {
  assertDeclared,
  ensureDurable,
  readStored,
  readStreamStates,
  removeDurable,
  streamCopies,
} from './nats-streams';
import { createRestorations } from './restorations';
import { createNamespace } from './topology';
import { cloudEventHeaders, encodeBody } from './wire';

/**
 * Connects and stays connected until closed. Waits until the broker is available; throws when the broker refuses the
 * credentials, when the namespace is malformed, or the signal's reason when it is aborted first.
 */
export async function connectMessaging(options: MessagingOptions): Promise<Messaging> {
  const names = createNamespace(options.namespace);
  const connection = await connectForEver(options);
  let connected = true;
  const restorations = createRestorations();
  let refusal: Error | undefined;
  void followStatus(connection, options, {
    mark: (now) => {
      connected = now;
      if (now) restorations.announce();
    },
    end: (error) => {
      refusal = error;
      void closeWithoutTrace(connection);
    },
  });
  const closed = connection.closed().then((error) => {
    connected = false;
    return error instanceof Error ? error : refusal;
  });
  const context: AdapterContext = {
    connection,
    jetstream: jetstream(connection, { timeout: options.publishTimeoutMs ?? 5_000 }),
    options,
    names,
    tracing: options.tracing ?? noTracing,
    connected: () => connected && !connection.isClosed(),
    restored: restorations.next,
    publishBytes: async (subject, id, bytes, headers) =>
      context.connected() ? publishBatched({ subject: names.subject(subject), id, bytes, headers }) : 'unknown',
  };
  const publishBatched = createBatchedPublish({
    serverVersion: () => connection.info?.version ?? '0.0.0',
    streams: names.topology(options.topology).streams,
    publishOne: (publication) => publishOne(context, publication),
    send: (subject, bytes, headers) => connection.publish(subject, bytes, { headers: toNatsHeaders(headers) }),
    request: async (subject, bytes, headers) =>
      (
        await connection.request(subject, bytes, {
          timeout: options.publishTimeoutMs ?? 5_000,
          headers: toNatsHeaders(headers),
        })
      ).json(),
    createBatchId: () => nuid.next(),
    log: options.log,
  });
  return buildMessaging(context, closed);
}

function buildMessaging(context: AdapterContext, closed: Promise<Error | undefined>): Messaging {
  const { connection, options, names } = context;
  const open = new Set<Subscription>();
  const consumers = new Set<OpenConsumer>();
  const track = (subscription: Subscription, ended: () => void = () => undefined): Subscription => {
    const tracked = {
      close: async () => {
        await subscription.close();
        ended();
        open.delete(tracked);
      },
    };
    open.add(tracked);
    return tracked;
  };
  return {
    publish: async (message) => publish(context, message),
    consume: async (consume, handleMessage) => {
      const consumer = openConsumer(context, consume, handleMessage);
      consumers.add(consumer);
      return track(consumer, () => consumers.delete(consumer));
    },
    ensureDurable: (declaration) => ensureDurable(connection, names, declaration),
    removeDurable: (stream, durable) => removeDurable(connection, names, stream, durable),
    request: (subject, body, timeoutMs) => requestAnswer(context, subject, body, timeoutMs),
    serve: async (service, endpoints) => track(await openService(context, service, endpoints)),
    readKey: (bucket, key) => readKey(context, bucket, key),
    writeKey: (bucket, key, value, overSequence) => writeKey(context, bucket, key, value, overSequence),
    bucketIdentity: (bucket) => bucketIdentity(context, bucket),
    assertTopology: () => assertDeclared(connection, names.topology(options.topology)),
    streamStates: (streams) => readStreamStates(connection, names, options.topology, streams),
    storedMessages: (stream, after, limit) => readStored(connection, names, stream, after, limit),
    streamCopies: (streams) => streamCopies(connection, names, streams),
    connected: context.connected,
    restored: context.restored,
    quietConsumers: () => [...consumers].filter((consumer) => consumer.quiet()).map((consumer) => consumer.name),
    closed,
    close: async () => {
      await Promise.allSettled([...open].map((subscription) => subscription.close()));
      // A drain would wait without limit for an unreachable broker; everything that must arrive was acknowledged
      // before.
      if (context.connected()) await connection.flush().catch(() => undefined);
      await closeWithoutTrace(connection);
    },
  };
}

/**
 * The library writes down a stack of the call, which nothing reads. To write one, Node parses the source map of the
 * whole program.
 */
function closeWithoutTrace(connection: Pick<NatsConnection, 'close'>): Promise<void> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const closing = connection.close();
  Error.stackTraceLimit = stackTraceLimit;
  return closing;
}

/**
 * The pause before the client connects again. The client compares it with the wall clock, and would wait as long as that
 * was set back; so the pause is measured by the counter that cannot be set, and none is left once it has passed.
 */
function createReconnectDelay(): () => number {
  let triedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const pauseMs = 100 + Math.random() * 900;
    const now = performance.now();
    if (now - triedAt < pauseMs) return pauseMs;
    triedAt = now;
    return Number.NEGATIVE_INFINITY;
  };
}

/** A separate loop, because the client's `waitOnFirstConnect` cannot be aborted. */
async function connectForEver(options: MessagingOptions): Promise<NatsConnection> {
  const inboxPrefix = options.inboxPrefix ?? (options.credentials ? `_INBOX_${options.credentials.user}` : undefined);
  const settings: ConnectionOptions = {
    servers: options.url.split(',').map((server) => server.trim()),
    name: options.name,
    ...signOn(options.credentials),
    ...(inboxPrefix ? { inboxPrefix } : {}),
    ...(options.ca !== undefined && { tls: { ca: options.ca, handshakeFirst: true } }),
    maxReconnectAttempts: -1,
    reconnectDelayHandler: createReconnectDelay(),
    pingInterval: 10_000,
    maxPingOut: 2,
    timeout: 5_000,
    // The client would end after the second sign-on that was late, however long ago the first one was.
    ignoreAuthErrorAbort: true,
    // Two stacks for every request, which only its failure could show; failures are logged with their reason.
    noAsyncTraces: true,
  };
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    try {
      return await connect(settings);
    } catch (error) {
      if (isRefusal(error)) throw error;
      options.log.warn({ attempt, reason: (error as Error).message }, 'Broker not reached yet; trying again');
      await pause(backoffMs(attempt, 100, 3_000), undefined, options.signal ? { signal: options.signal } : {}).catch(
        () => undefined,
      );
    }
  }
}

/** A busy broker or client may be late with the sign-on, which the client reports as a refusal of the credentials. */
const isRefusal = (error: unknown): boolean =>
  error instanceof errors.AuthorizationError && !/timeout/i.test(error.message);

/** After this many refusals in a row the connection ends, so that the host can end the process. */
const refusalsMax = 2;

interface StatusMarks {
  readonly mark: (connected: boolean) => void;
  /** The broker refuses the credentials. */
  readonly end: (refusal: Error) => void;
}

async function followStatus(
  connection: NatsConnection,
  { log, name }: MessagingOptions,
  { mark, end }: StatusMarks,
): Promise<void> {
  let refusals = 0;
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') {
      mark(false);
      log.warn({ name }, 'Broker connection lost; reconnecting');
    } else if (status.type === 'reconnect') {
      refusals = 0;
      mark(true);
      log.info({ name }, 'Broker connection is back');
    } else if (status.type === 'error') {
      log.error({ name, reason: status.error.message }, 'The broker refused something');
      refusals += Number(isRefusal(status.error));
      if (refusals >= refusalsMax) end(status.error);
    }
  }
}

async function publish(context: AdapterContext, message: OutboundMessage): Promise<PublishOutcome> {
  const { subject, id, type, body, repeats } = message;
  const bytes = encodeBody(subject, body);
  const attributes = {
    'messaging.system': 'nats',
    'messaging.destination.name': subject,
    'cloudevents.event_type': type,
  };
  return context.tracing.step(
    { name: `publish ${type}`, kind: 'producer', traceparent: message.traceparent, attributes },
    async (span) => {
      const { traceparent } = span;
      const headers = cloudEventHeaders(
        { ...message, ...(traceparent !== undefined && { traceparent }) },
        context.options.name,
        new Date(),
      );
      const outcome = await context.publishBytes(subject, repeats === 'stored' ? undefined : id, bytes, headers);
      span.note({ 'platform.publish_outcome': outcome }, outcome === 'unknown' ? 'no acknowledgement' : undefined);
      return outcome;
    },
  );
}

async function publishOne(
  context: AdapterContext,
  { subject, id, bytes, headers }: Publication,
): Promise<PublishOutcome> {
  if (!context.connected()) return 'unknown';
  try {
    await context.jetstream.publish(subject, bytes, {
      ...(id !== undefined && { msgID: id }),
      headers: toNatsHeaders(headers),
    });
    return 'acknowledged';
  } catch (error) {
    context.options.log.warn({ subject, id, reason: publishFailure(error, subject) }, 'Publish was not acknowledged');
    return 'unknown';
  }
}

function publishFailure(error: unknown, subject: string): string {
  // The client's text always says that JetStream is off, whatever the cause.
  if (error instanceof Error && error.name === 'JetStreamNotEnabled') return `no stream takes ${subject}`;
  if (error instanceof JetStreamApiError) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}
