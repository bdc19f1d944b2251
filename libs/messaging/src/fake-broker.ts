/**
 * A broker in memory for tests and simulations: the same port and suite as the real one, no timers, no randomness.
 * Nothing is delivered until a test calls `settle`, so a test decides what happens between a publish and its handling.
 */
import { refused } from '@platform/kernel';
import type { Clock } from '@platform/kernel';
import { createFakeBuckets } from './fake-buckets';
import type { FakeBuckets } from './fake-buckets';
import { createFakeConnection } from './fake-connection';
import type { FakeConnection, FakeCore } from './fake-connection';
import {
  createFakeStream,
  declareDurable,
  deliverable,
  makeAllDue,
  makeLaterDue,
  removeDurable,
  store,
} from './fake-stream';
import type { FakeDurable, FakeStream, StoredMessage } from './fake-stream';
import type { Messaging, PublishOutcome, StreamCopies } from './port';
import { createRestorations, type Restorations } from './restorations';
import { subjectMatches } from './subject';
import { fixedDurable } from './topology-config';
import { platformTopology } from './topology';
import type { Topology } from './topology';
import { decodeBody } from './wire';
import type { WireHeaders } from './wire';

/** One attempt to publish, in order; `stream` is null when no stream stored it. */
interface PublishedMessage {
  readonly from: string;
  readonly subject: string;
  readonly id: string;
  readonly type: string;
  readonly body: unknown;
  readonly headers: WireHeaders;
  readonly stream: string | null;
  readonly sequence: number | null;
  readonly duplicate: boolean;
}

export interface FakeBrokerOptions {
  readonly clock: Clock;
  /** Default: the platform's. */
  readonly topology?: Topology;
  /**
   * Chooses which of `count` deliverable messages is next (0 ≤ answer < count); default 0, the oldest of the first
   * durable.
   */
  readonly choose?: (count: number) => number;
}

export interface FakeBroker {
  /** A connection by name; two connections with the same name are lost and restored together. */
  connect(name: string): Messaging;
  /**
   * Delivers until nothing is deliverable and every handler has ended. A nacked message is delivered again at the next
   * call. Throws after 20,000 deliveries, because handlers then trigger each other endlessly. Returns how many were
   * delivered.
   */
  settle(): Promise<number>;
  /** Loses streams, durables and messages, as a broker on a new disk; `applyTopology` recreates the declared ones. */
  wipe(): void;
  applyTopology(): void;
  /** Makes every stored message due again on every durable, including acknowledged ones. */
  redeliverAll(): void;
  removeDurable(stream: string, durable: string): void;
  /** Sets the number of copies of every stream; one at first. */
  setCopies(copies: Omit<StreamCopies, 'filled' | 'identity'>): void;
  /** The connection loses its broker: publishes are unknown, acknowledgements of running handlers are lost. */
  disconnect(name: string): void;
  reconnect(name: string): void;
  /** Bytes as another team might send them; headers are used unchanged. */
  publishRaw(subject: string, bytes: Uint8Array, headers?: WireHeaders): PublishOutcome;
  readonly published: readonly PublishedMessage[];
}

const maxDeliveries = 20_000;

export function createFakeBroker(options: FakeBrokerOptions): FakeBroker {
  const topology = options.topology ?? platformTopology();
  const state: BrokerState = {
    options,
    topology,
    streams: new Map(),
    buckets: createFakeBuckets(topology),
    connections: [],
    away: new Set(),
    restorations: new Map(),
    published: [],
    madeAt: growing(options.clock),
    copies: { declared: 1, current: 1 },
  };
  const { streams, buckets, connections, away, published } = state;
  const core = createCore(state);
  applyDeclared(state);
  return {
    connect: (name) => {
      const connection = createFakeConnection(core, name);
      connections.push(connection);
      return connection.messaging;
    },
    settle: async () => {
      for (const stream of streams.values()) makeLaterDue(stream);
      return deliverAll(streams, connections, options.choose);
    },
    wipe: () => {
      streams.clear();
      buckets.wipe();
    },
    applyTopology: () => applyDeclared(state),
    redeliverAll: () => {
      for (const stream of streams.values()) makeAllDue(stream);
    },
    removeDurable: (stream, durable) => removeDurable(streams.get(stream), durable),
    disconnect: (name) => void away.add(name),
    setCopies: (copies) => void (state.copies = copies),
    reconnect: (name) => {
      away.delete(name);
      core.restorations(name).announce();
    },
    publishRaw: (subject, bytes, headers = {}) =>
      core.publish('', { subject, id: headers['Nats-Msg-Id'] ?? `raw-${published.length}`, bytes, headers }),
    published,
  };
}

interface BrokerState {
  readonly options: FakeBrokerOptions;
  readonly topology: Topology;
  readonly streams: Map<string, FakeStream>;
  readonly buckets: FakeBuckets;
  readonly connections: FakeConnection[];
  readonly away: Set<string>;
  readonly restorations: Map<string, Restorations>;
  readonly published: PublishedMessage[];
  readonly madeAt: () => Date;
  copies: Omit<StreamCopies, 'filled' | 'identity'>;
}

function createCore(state: BrokerState): FakeCore {
  const { options, topology, streams, buckets, connections, away, restorations, published } = state;
  return {
    copies: () => state.copies,
    clock: options.clock,
    madeAt: state.madeAt,
    topology,
    streams,
    buckets,
    isConnected: (name) => !away.has(name),
    restorations: (name) => {
      const known = restorations.get(name) ?? createRestorations();
      restorations.set(name, known);
      return known;
    },
    publish: (from, message) => {
      const stream = away.has(from) ? undefined : streamFor(streams, message.subject);
      const stored = stream ? store(stream, message, options.clock.now()) : null;
      const decoded = decodeBody(message.bytes);
      published.push({
        from,
        subject: message.subject,
        id: message.id,
        type: message.headers['ce-type'] ?? '',
        body: decoded.ok ? decoded.body : null,
        headers: message.headers,
        stream: stream?.declaration.name ?? null,
        sequence: stored?.sequence ?? null,
        duplicate: stored?.duplicate ?? false,
      });
      return stored ? 'acknowledged' : 'unknown';
    },
    request: async (subject, body) => {
      const serving = connections
        .flatMap((connection) => connection.endpoints())
        .find((endpoint) => subjectMatches(endpoint.subject, subject));
      if (!serving) return refused({ code: 'no_responders', message: `No process serves ${subject}` });
      return serving.request(body, subject);
    },
  };
}

/** Strictly increasing instants, like a broker's. */
function growing(clock: Clock): () => Date {
  let last = 0;
  return () => new Date((last = Math.max(clock.now().getTime(), last + 1)));
}

function applyDeclared({ topology, streams, buckets, madeAt }: BrokerState): void {
  buckets.apply();
  for (const declaration of topology.streams) {
    const stream = streams.get(declaration.name) ?? createFakeStream(declaration);
    streams.set(declaration.name, stream);
    for (const fixed of declaration.durables) declareDurable(stream, fixedDurable(declaration.name, fixed), madeAt());
  }
}

function streamFor(streams: ReadonlyMap<string, FakeStream>, subject: string): FakeStream | undefined {
  return [...streams.values()].find(({ declaration }) =>
    declaration.subjects.some((pattern) => subjectMatches(pattern, subject)),
  );
}

interface Candidate {
  readonly stream: FakeStream;
  readonly durable: FakeDurable;
  readonly message: StoredMessage;
  readonly connection: FakeConnection;
}

async function deliverAll(
  streams: ReadonlyMap<string, FakeStream>,
  connections: readonly FakeConnection[],
  choose?: (count: number) => number,
): Promise<number> {
  const running = new Set<Promise<void>>();
  let delivered = 0;
  for (;;) {
    const next = pick(findCandidates(streams, connections), choose);
    if (next) {
      delivered += 1;
      if (delivered > maxDeliveries)
        throw new Error(
          `The fake broker delivered ${maxDeliveries} messages and is not done: handlers feed each other`,
        );
      const delivery = next.connection
        .deliver(next.stream, next.durable, next.message)
        .finally(() => running.delete(delivery));
      running.add(delivery);
    } else if (running.size > 0) {
      await Promise.race(running);
    } else {
      return delivered;
    }
  }
}

/** Without a choice only the first candidate is searched, so that long histories stay cheap. */
function pick(candidates: Iterable<Candidate>, choose: ((count: number) => number) | undefined): Candidate | undefined {
  if (!choose) {
    for (const candidate of candidates) return candidate;
    return undefined;
  }
  const all = [...candidates];
  return all.length > 0 ? all[choose(all.length)] : undefined;
}

/** Messages of each durable whose subscriber has a free worker, in the order of declaration, oldest first. */
function* findCandidates(
  streams: ReadonlyMap<string, FakeStream>,
  connections: readonly FakeConnection[],
): Generator<Candidate> {
  for (const stream of streams.values()) {
    for (const durable of stream.durables.values()) {
      const connection = connections.find((each) => each.canTake(stream.declaration.name, durable.declaration.durable));
      if (!connection) continue;
      for (const message of deliverable(stream, durable)) yield { stream, durable, message, connection };
    }
  }
}
