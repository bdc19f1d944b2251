/** The state of the modelled broker: the topology's streams with their durables, and the subjects of each stream. */
import { platformTopology, type DurableDeclaration, type InboundMessage, type StreamState } from '@platform/messaging';

export interface Stored {
  readonly sequence: number;
  readonly subject: string;
  readonly id: string;
  readonly type: string;
  readonly json: string;
  readonly at: Date;
}

export interface Durable {
  readonly declaration: DurableDeclaration;
  readonly wants: (subject: string) => boolean;
  /** Deliveries without an acknowledgement; the value counts them. */
  readonly outstanding: Map<Stored, number>;
  readonly acknowledged: Set<Stored>;
  lastAckAt: Date | null;
  readonly createdAt: Date;
  /** Messages that are due while no consumer can take them. */
  parked: Stored[];
}

export interface Stream {
  readonly name: string;
  /** Another one after the broker has lost its disk. */
  readonly identity: string;
  /** True when the stream keeps a message as long as a durable waits for it. */
  readonly byInterest: boolean;
  readonly windowMs: number;
  readonly messages: Set<Stored>;
  readonly durables: Map<string, Durable>;
  readonly recent: Map<string, number>;
  sequence: number;
}

const topology = platformTopology();

/** `*` matches one token, a final `>` one or more; an empty list of patterns matches everything. */
function createFilter(patterns: readonly string[]): (subject: string) => boolean {
  const tests = patterns.map(
    (pattern) =>
      new RegExp(
        `^${pattern.replaceAll('$', '\\$').replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace(/>$/, '.+')}$`,
      ),
  );
  return (subject) => tests.length === 0 || tests.some((test) => test.test(subject));
}
const streamFilters = new Map(topology.streams.map(({ name, subjects }) => [name, createFilter(subjects)]));
const streamNames = new Map<string, string | undefined>();

/** The name of the stream that takes a subject, cached because subjects are few and recur. */
export function streamNameOf(subject: string): string | undefined {
  if (!streamNames.has(subject)) streamNames.set(subject, [...streamFilters].find(([, takes]) => takes(subject))?.[0]);
  return streamNames.get(subject);
}

export function openStreams(now: Date): Map<string, Stream> {
  return new Map(
    topology.streams.map(({ name, retention, duplicateWindowSeconds, durables }) => {
      const stream: Stream = {
        name,
        identity: now.toISOString(),
        byInterest: retention === 'interest',
        windowMs: duplicateWindowSeconds * 1_000,
        messages: new Set(),
        durables: new Map(),
        recent: new Map(),
        sequence: 0,
      };
      for (const { durable, filterSubjects = [], ackWaitSeconds, maxAckPending } of durables) {
        stream.durables.set(
          durable,
          durableOf({ stream: name, durable, filterSubjects, ackWaitMs: ackWaitSeconds * 1_000, maxAckPending }, now),
        );
      }
      return [name, stream] as const;
    }),
  );
}

export function durableOf(declaration: DurableDeclaration, createdAt: Date): Durable {
  return {
    declaration,
    createdAt,
    wants: createFilter(declaration.filterSubjects),
    outstanding: new Map(),
    acknowledged: new Set(),
    lastAckAt: null,
    parked: [],
  };
}

/** Removes messages that no durable waits for; a stream with limits keeps them. */
export function dropUnwanted(stream: Stream, messages: Iterable<Stored>): void {
  if (!stream.byInterest) return;
  const durables = [...stream.durables.values()];
  for (const message of messages)
    if (!durables.some(({ outstanding }) => outstanding.has(message))) stream.messages.delete(message);
}

/** Removes a durable, and the messages that only it waited for. */
export function removeDurable(stream: Stream | undefined, name: string): void {
  if (stream?.durables.delete(name)) dropUnwanted(stream, stream.messages);
}

export function inbound(
  stream: Stream,
  count: number,
  { subject, sequence, id, type, json, at }: Stored,
): InboundMessage {
  return {
    subject,
    stream: stream.name,
    sequence,
    id,
    type,
    body: JSON.parse(json) as unknown,
    headers: {},
    deliveryCount: count,
    publishedAt: at,
  };
}

export function stateOf(stream: Stream): StreamState {
  const durables = [...stream.durables.values()].map(({ declaration, createdAt, outstanding, lastAckAt }) => {
    const first = outstanding.keys().next();
    return {
      durable: declaration.durable,
      createdAt,
      pending: 0,
      ackPending: outstanding.size,
      redelivered: 0,
      waiting: 0,
      oldestPendingAt: first.done ? null : first.value.at,
      lastAckAt,
    };
  });
  return {
    stream: stream.name,
    subjects: [],
    messages: stream.messages.size,
    bytes: 0,
    firstSequence: 0,
    lastSequence: stream.sequence,
    oldestAt: null,
    replicas: 1,
    durables,
  };
}

const endpointFilters = new Map<string, (subject: string) => boolean>();

export function filterOf(pattern: string): (subject: string) => boolean {
  const known = endpointFilters.get(pattern) ?? createFilter([pattern]);
  endpointFilters.set(pattern, known);
  return known;
}
