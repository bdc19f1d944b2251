/**
 * Reads about streams and durables at run time: whether they are as declared, how full they are, and the durables of
 * parties that register. Nothing here creates a stream.
 */
import { jetstreamManager, JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { ConsumerInfo, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { receivedHeaders } from './nats-headers';
import type { DurableDeclaration, DurableState, StoredMessage, StreamCopies, StreamState } from './port';
import {
  bucketDifferences,
  consumerConfig,
  consumerDifferences,
  fixedDurable,
  streamDifferences,
} from './topology-config';
import { bucketStream } from './topology';
import type { Namespace, Topology } from './topology';
import { TopologyError } from './topology-error';

/** A manager that sends no requests by itself, because services may not read account data. */
export function manager(connection: NatsConnection): Promise<JetStreamManager> {
  return jetstreamManager(connection, { checkAPI: false, timeout: 5_000 });
}

/** Undefined for what JetStream reports as missing; other failures throw. */
export async function unlessAbsent<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    const absent: readonly number[] = [
      JetStreamApiCodes.StreamNotFound,
      JetStreamApiCodes.ConsumerNotFound,
      JetStreamApiCodes.NoMessageFound,
    ];
    if (error instanceof JetStreamApiError && absent.includes(error.code)) return undefined;
    throw error;
  }
}

/**
 * `topology` with broker names. Throws {@link TopologyError} with every difference; the number of replicas is the
 * operator's choice.
 */
export async function assertDeclared(connection: NatsConnection, topology: Topology): Promise<void> {
  const differences = await topologyDifferences(await manager(connection), topology, undefined);
  if (differences.length > 0) throw new TopologyError(differences);
}

async function topologyDifferences(
  jsm: JetStreamManager,
  topology: Topology,
  replicas: number | undefined,
): Promise<string[]> {
  const differences: string[] = [];
  for (const declared of topology.streams) {
    const stream = await unlessAbsent(jsm.streams.info(declared.name));
    if (!stream) {
      differences.push(`${declared.name} is missing`);
      continue;
    }
    differences.push(
      ...streamDifferences(declared, stream.config, replicas).map((line) => `${declared.name}: ${line}`),
    );
    for (const fixed of declared.durables) {
      const durable = await unlessAbsent(jsm.consumers.info(declared.name, fixed.durable));
      const name = `${declared.name}/${fixed.durable}`;
      if (!durable) differences.push(`${name} is missing`);
      else
        differences.push(
          ...consumerDifferences(fixedDurable(declared.name, fixed), durable.config).map((line) => `${name}: ${line}`),
        );
    }
  }
  for (const declared of topology.buckets) {
    const name = bucketStream(declared.name);
    const bucket = await unlessAbsent(jsm.streams.info(name));
    if (!bucket) differences.push(`${name} is missing`);
    else differences.push(...bucketDifferences(declared, bucket.config, replicas).map((line) => `${name}: ${line}`));
  }
  return differences;
}

/** Creates or updates; repeating it changes nothing. Throws when the stream is missing or the broker refuses. */
export async function ensureDurable(
  connection: NatsConnection,
  names: Namespace,
  declaration: DurableDeclaration,
): Promise<'created' | 'there'> {
  const plain = {
    ...declaration,
    stream: names.stream(declaration.stream),
    filterSubjects: declaration.filterSubjects.map(names.subject),
  };
  return (await applyDurable(await manager(connection), plain)) === 'created' ? 'created' : 'there';
}

export type Applied = 'created' | 'updated' | 'unchanged';

export async function applyDurable(jsm: JetStreamManager, declared: DurableDeclaration): Promise<Applied> {
  const existing = await unlessAbsent(jsm.consumers.info(declared.stream, declared.durable));
  if (!existing) {
    await jsm.consumers.add(declared.stream, consumerConfig(declared));
    return 'created';
  }
  if (consumerDifferences(declared, existing.config).length === 0) return 'unchanged';
  // The client merges into the existing configuration; a filter field of the other kind must not remain.
  await jsm.consumers.update(declared.stream, declared.durable, {
    filter_subject: undefined,
    filter_subjects: undefined,
    ...consumerConfig(declared),
  });
  return 'updated';
}

export async function removeDurable(
  connection: NatsConnection,
  names: Namespace,
  stream: string,
  durable: string,
): Promise<void> {
  await unlessAbsent((await manager(connection)).consumers.delete(names.stream(stream), durable));
}

/** The copies of the named streams that exist; throws when the broker is unreachable. */
export async function streamCopies(
  connection: NatsConnection,
  names: Namespace,
  streams: readonly string[],
): Promise<ReadonlyMap<string, StreamCopies>> {
  const jsm = await manager(connection);
  const found = await Promise.all(streams.map((stream) => unlessAbsent(jsm.streams.info(names.stream(stream)))));
  return new Map(
    streams.flatMap((stream, at) => {
      const info = found[at];
      if (!info) return [];
      // The leader answers and is not in the list.
      const others = info.cluster?.replicas?.filter(({ current, offline }) => current && offline !== true) ?? [];
      const { num_replicas: declared, max_bytes: bound } = info.config;
      const filled = bound > 0 ? info.state.bytes / bound : 0;
      return [[stream, { identity: info.created, declared, current: 1 + others.length, filled }] as const];
    }),
  );
}

/**
 * State of every declared stream that exists (or of those in `only`), with all durables; throws when the broker is
 * unreachable.
 */
export async function readStreamStates(
  connection: NatsConnection,
  names: Namespace,
  topology: Topology,
  only?: readonly string[],
): Promise<StreamState[]> {
  const jsm = await manager(connection);
  const states: StreamState[] = [];
  for (const { name } of names.topology(topology).streams) {
    if (only && !only.includes(names.plainStream(name))) continue;
    const found = await unlessAbsent(jsm.streams.info(name));
    if (!found) continue;
    const durables: DurableState[] = [];
    for await (const consumer of jsm.consumers.list(name)) durables.push(await durableState(jsm, consumer));
    const { state, config } = found;
    states.push({
      stream: names.plainStream(name),
      subjects: config.subjects.map(names.plainSubject),
      messages: state.messages,
      bytes: state.bytes,
      firstSequence: state.first_seq,
      lastSequence: state.last_seq,
      oldestAt: state.messages > 0 ? new Date(state.first_ts) : null,
      replicas: config.num_replicas,
      durables,
    });
  }
  return states;
}

async function durableState(jsm: JetStreamManager, consumer: ConsumerInfo): Promise<DurableState> {
  const outstanding = consumer.num_pending + consumer.num_ack_pending;
  return {
    durable: consumer.name,
    createdAt: new Date(consumer.created),
    pending: consumer.num_pending,
    ackPending: consumer.num_ack_pending,
    redelivered: consumer.num_redelivered,
    waiting: consumer.num_waiting,
    oldestPendingAt: outstanding > 0 ? await oldestPendingAt(jsm, consumer) : null,
    ...lastAck(consumer),
  };
}

/** The server keeps the instant in memory; it knows of no acknowledgement of messages that it never delivered. */
function lastAck({ ack_floor, delivered }: ConsumerInfo): Pick<DurableState, 'lastAckAt'> {
  // The client's type says nanoseconds, but the server sends a text.
  const at = ack_floor.last_active as unknown as string | undefined;
  if (at !== undefined) return { lastAckAt: new Date(at) };
  return delivered.consumer_seq === 0 ? { lastAckAt: null } : {};
}

/**
 * The first message above the acknowledged floor that matches the durable's filter; null where this user may not read
 * it.
 */
async function oldestPendingAt(
  jsm: JetStreamManager,
  { stream_name, ack_floor, config }: ConsumerInfo,
): Promise<Date | null> {
  const filters = config.filter_subjects ?? [config.filter_subject || '>'];
  const times: Date[] = [];
  for (const filter of filters) {
    // The server accepts both fields together since 2.8; the client's type allows only one of them.
    const request = { seq: ack_floor.stream_seq + 1, next_by_subj: filter };
    const found = await jsm.streams.getMessage(stream_name, request).catch(() => null);
    if (found) times.push(found.time);
  }
  return times.sort((a, b) => a.getTime() - b.getTime())[0] ?? null;
}

/** Messages of a stream after a sequence, with one request each; expired ones in between are skipped. */
export async function readStored(
  connection: NatsConnection,
  names: Namespace,
  stream: string,
  afterSequence: number,
  limit: number,
): Promise<StoredMessage[]> {
  const jsm = await manager(connection);
  const found: StoredMessage[] = [];
  for (let sequence = afterSequence; found.length < limit;) {
    // The server accepts both fields together since 2.8; the client's type allows only one of them.
    const request = { seq: sequence + 1, next_by_subj: '>' };
    const message = await unlessAbsent(jsm.streams.getMessage(names.stream(stream), request));
    if (!message) break;
    sequence = message.seq;
    found.push({
      sequence,
      subject: names.plainSubject(message.subject),
      headers: Object.fromEntries(
        receivedHeaders(() => message.header).map(([name, values]) => [name, values.join(', ')]),
      ),
      text: new TextDecoder().decode(message.data),
      publishedAt: message.time,
    });
  }
  return found;
}
