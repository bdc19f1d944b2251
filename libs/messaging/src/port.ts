/**
 * The broker as the services see it: publish with a stable id, consume with explicit outcomes, ask and serve
 * questions. An acknowledgement is never a fence (law 4): handlers admit by a fenced write first.
 */
import type { Result } from '@platform/kernel';

export interface OutboundMessage {
  readonly subject: string;
  /** Stable across repeats: `ce-id`, and `Nats-Msg-Id` unless repeats are stored. */
  readonly id: string;
  /**
   * `stored`: the broker keeps every repeat, and the reader's record recognises it. Absent: the broker drops a repeat
   * within its window, by an id that another writer to the same stream could use first. `stored` is for messages
   * that consumer teams publish.
   */
  readonly repeats?: 'stored';
  /** CloudEvents type with version suffix, for example `lifecycle.message.suspended.v1`. */
  readonly type: string;
  /** JSON object; at most 64 KiB serialised, otherwise `publish` throws before anything is sent. */
  readonly body: Readonly<Record<string, unknown>>;
  /** W3C trace context to carry on, when there is one. */
  readonly traceparent?: string;
}

/** `unknown`: no acknowledgement came. Harmless: publish again with the same id. */
export type PublishOutcome = 'acknowledged' | 'unknown';

export interface InboundMessage {
  readonly subject: string;
  readonly stream: string;
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  /** Parsed JSON; decode it with the schema of its contract. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** 1 for the first delivery. */
  readonly deliveryCount: number;
  readonly publishedAt: Date;
}

/** What the handler decided. A handler that throws counts as `nak`. */
export type Disposition =
  /** Handled, or a duplicate of what was handled. */
  | { readonly kind: 'ack' }
  /** Transient: deliver again later; without `delayMs` a growing, spread delay is used. */
  | { readonly kind: 'nak'; readonly reason: string; readonly delayMs?: number }
  /**
   * Undecodable or permanently refused: copied to `dead_letter.<stream>.<durable>` with reason headers, then termed.
   */
  | { readonly kind: 'dead_letter'; readonly reason: string };

export type Handle = (message: InboundMessage) => Promise<Disposition>;

export interface ConsumeOptions {
  readonly stream: string;
  readonly durable: string;
  /**
   * Handlers at a time; also the prefetch, because prefetched messages outlive the ack wait and run twice. Default 1.
   */
  readonly concurrency?: number;
}

export interface DurableDeclaration {
  readonly stream: string;
  readonly durable: string;
  readonly filterSubjects: readonly string[];
  readonly ackWaitMs: number;
  readonly maxAckPending: number;
}

/** Something that runs until closed: closing stops taking messages and waits for the handlers under way. */
export interface Subscription {
  close(): Promise<void>;
}

export interface RequestRefusal {
  /**
   * `no_responders` proves that no process received it; after `timeout` and `disconnected` it may have been executed.
   */
  readonly code: 'no_responders' | 'timeout' | 'disconnected' | 'refused';
  /** Code of the serving side, with `refused` only. */
  readonly serverCode?: string;
  readonly message: string;
}

export interface Endpoint {
  readonly name: string;
  /** May have wildcards; the broker's permissions then decide who may ask under which of its subjects. */
  readonly subject: string;
  /** Answers the request that came under `subject`; a refusal is sent as a service error with its code and message. */
  readonly answer: (
    body: unknown,
    subject: string,
  ) => Promise<Result<Readonly<Record<string, unknown>>, { readonly code: string; readonly message: string }>>;
}

export interface DurableState {
  readonly durable: string;
  /** When it was made. One that was removed, or whose stream lost its data, is recreated and holds nothing of before. */
  readonly createdAt: Date;
  readonly pending: number;
  readonly ackPending: number;
  readonly redelivered: number;
  readonly waiting: number;
  /** Publication time of the oldest message that is not acknowledged; null when there is none or it may not be read. */
  readonly oldestPendingAt: Date | null;
  /**
   * When a message was last acknowledged; null when none ever was. Absent where the broker does not know, because it
   * was started again since.
   */
  readonly lastAckAt?: Date | null;
}

/** The value of a key as the broker keeps it. */
export interface KeyedValue {
  /** Parsed JSON; decode it with the schema of its contract. Null for one that is no JSON. */
  readonly value: unknown;
  /** Which write of the bucket it is; a write over it names this one. */
  readonly sequence: number;
}

/** `conflict`: another write of the key came first, nothing was written. `unknown`: no acknowledgement came. */
export type KeyWritten = 'written' | 'conflict' | 'unknown';

export interface StreamState {
  readonly stream: string;
  readonly subjects: readonly string[];
  readonly messages: number;
  readonly bytes: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** Publication time of the oldest stored message, when there is one. */
  readonly oldestAt: Date | null;
  readonly replicas: number;
  readonly durables: readonly DurableState[];
}

/** A message as a stream keeps it. */
export interface StoredMessage {
  readonly sequence: number;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; bytes that are no UTF-8 are replaced. */
  readonly text: string;
  readonly publishedAt: Date;
}

/** How many servers keep a stream. */
export interface StreamCopies {
  /** As the stream is configured. */
  readonly declared: number;
  /** Those that hold all of it now. */
  readonly current: number;
  /** Share of the bytes that it may hold, from 0 to 1; at 1 the broker drops the oldest message for each new one. */
  readonly filled: number;
}

export interface Messaging {
  /** Waits for the stream's acknowledgement, at most a few seconds; never throws for a broker that is unreachable. */
  publish(message: OutboundMessage): Promise<PublishOutcome>;
  /** Opens a pull consumer on a durable; waits for one that is missing and re-opens it by itself when it goes quiet. */
  consume(options: ConsumeOptions, handle: Handle): Promise<Subscription>;
  /**
   * Creates or updates a durable of a party that registers at run time (fixed ones stand in the topology). `created`: it
   * was not there, so the broker held nothing for this party.
   */
  ensureDurable(declaration: DurableDeclaration): Promise<'created' | 'there'>;
  /** Removes it; absent is fine. */
  removeDurable(stream: string, durable: string): Promise<void>;
  request(
    subject: string,
    body: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<Result<unknown, RequestRefusal>>;
  serve(
    service: { readonly name: string; readonly version: string; readonly description: string },
    endpoints: readonly Endpoint[],
  ): Promise<Subscription>;
  /**
   * The value of a key of a declared bucket, or null where there is none. One server of a cluster may return a slightly
   * older value, so no decision relies on it alone. Throws when the broker is unreachable or the bucket is gone.
   */
  readKey(bucket: string, key: string): Promise<KeyedValue | null>;
  /** Writes a key over the value with this sequence; 0: over none. Never throws for a broker that is unreachable. */
  writeKey(
    bucket: string,
    key: string,
    value: Readonly<Record<string, unknown>>,
    overSequence: number,
  ): Promise<KeyWritten>;
  /**
   * Differs from what it was when the bucket was recreated meanwhile; null while there is none. Throws when the broker
   * is unreachable.
   */
  bucketIdentity(bucket: string): Promise<string | null>;
  /** Throws an error that lists every difference between the broker and the topology file. Creates nothing. */
  assertTopology(): Promise<void>;
  /** State of the declared streams that exist, all or those named; throws when the broker is unreachable. */
  streamStates(streams?: readonly string[]): Promise<StreamState[]>;
  /**
   * Messages of a stream after a sequence, at most `limit`, oldest first; throws when the broker is unreachable. Takes
   * none of them.
   */
  storedMessages(stream: string, afterSequence: number, limit: number): Promise<StoredMessage[]>;
  /**
   * Of each named stream that the broker has, its copies; one that it does not have is left out. Throws when it is
   * unreachable.
   */
  streamCopies(streams: readonly string[]): Promise<ReadonlyMap<string, StreamCopies>>;
  connected(): boolean;
  /**
   * `<stream>/<durable>` of each open consumer that has no standing pull at the broker now; readiness shows them. One
   * whose durable or stream was removed is among them when its pull ends: brokers from 2.10 on end it at the removal.
   */
  quietConsumers(): readonly string[];
  /** Settles when the connection has ended permanently; the host then ends the process. */
  readonly closed: Promise<Error | undefined>;
  close(): Promise<void>;
}
