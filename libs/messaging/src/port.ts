/**
 * The broker as the services see it: publish with a stable id, consume with explicit outcomes, send and serve requests.
 * An acknowledgement is never a fence (law 4): handlers admit by a fenced write first.
 */
import type { Result } from '@platform/kernel';

export interface OutboundMessage {
  readonly subject: string;
  /** Stable across repeats: `ce-id`, and `Nats-Msg-Id` unless repeats are stored. */
  readonly id: string;
  /**
   * `stored`: the broker keeps every repeat, and the reader's record recognises it. Absent: within its window the
   * broker drops a repeat by its id, which another writer to the same stream could use first. `stored` is for messages
   * that consumer teams publish.
   */
  readonly repeats?: 'stored';
  /** CloudEvents type with version suffix, for example `lifecycle.message.suspended.v1`. */
  readonly type: string;
  /** JSON object; at most 64 KiB serialised, otherwise `publish` throws before anything is sent. */
  readonly body: Readonly<Record<string, unknown>>;
  /** W3C trace context to pass on, when there is one. */
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

/** The handler's decision. A handler that throws counts as `nak`. */
export type Disposition =
  /** Handled, or a duplicate of a handled message. */
  | { readonly kind: 'ack' }
  /** A transient failure: deliver again later; without `delayMs` an increasing, randomised delay is used. */
  | { readonly kind: 'nak'; readonly reason: string; readonly delayMs?: number }
  /**
   * A message that cannot be decoded or is permanently refused: copied to `dead_letter.<stream>.<durable>` with the
   * reason in its headers, then ended.
   */
  | { readonly kind: 'dead_letter'; readonly reason: string };

export type Handle = (message: InboundMessage) => Promise<Disposition>;

export interface ConsumeOptions {
  readonly stream: string;
  readonly durable: string;
  /**
   * Handlers at a time, which is also the prefetch: messages that were prefetched beyond it would exceed their ack wait
   * and run twice. Default 1.
   */
  readonly concurrency?: number;
  /**
   * Decides about a message whose body is not JSON; it comes without a body. Absent: it becomes a dead letter, which no
   * handler sees.
   */
  readonly unreadable?: (message: InboundMessage, reason: string) => Promise<Disposition>;
}

export interface DurableDeclaration {
  readonly stream: string;
  readonly durable: string;
  readonly filterSubjects: readonly string[];
  readonly ackWaitMs: number;
  readonly maxAckPending: number;
}

/** Something that runs until closed: closing stops accepting messages and waits for running handlers. */
export interface Subscription {
  close(): Promise<void>;
}

export interface RequestRefusal {
  /**
   * `no_responders` and `not_connected` prove that no process received it; after `timeout` and `disconnected` it may
   * have been executed.
   */
  readonly code: 'no_responders' | 'not_connected' | 'timeout' | 'disconnected' | 'refused';
  /** Code of the serving side, only with `refused`. */
  readonly serverCode?: string;
  readonly message: string;
}

/** Whether it is proven that no process received the request. */
export const wasNotReceived = ({ code }: RequestRefusal): boolean =>
  code === 'no_responders' || code === 'not_connected';

export interface Endpoint {
  readonly name: string;
  /** May contain wildcards; the broker's permissions then decide who may use which of its subjects. */
  readonly subject: string;
  /** Answers the request that arrived on `subject`; a refusal is sent as a service error with its code and message. */
  readonly answer: (
    body: unknown,
    subject: string,
  ) => Promise<Result<Readonly<Record<string, unknown>>, { readonly code: string; readonly message: string }>>;
}

export interface DurableState {
  readonly durable: string;
  /**
   * When it was created. A durable that was removed, or whose stream lost its data, is recreated and holds nothing from
   * before.
   */
  readonly createdAt: Date;
  readonly pending: number;
  readonly ackPending: number;
  readonly redelivered: number;
  readonly waiting: number;
  /** Publication time of the oldest message that is not acknowledged; null when there is none or it may not be read. */
  readonly oldestPendingAt: Date | null;
  /**
   * When a message was last acknowledged; null when none ever was. Absent where the broker does not know, because it
   * was restarted since.
   */
  readonly lastAckAt?: Date | null;
}

/** The value of a key as the broker stores it. */
export interface KeyedValue {
  /** Parsed JSON; decode it with the schema of its contract. Null for a value that is not JSON. */
  readonly value: unknown;
  /** The number of the write in the bucket; a later write names the one that it replaces. */
  readonly sequence: number;
}

/** `conflict`: another write of the key came first, and nothing was written. `unknown`: no acknowledgement came. */
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

/** A message as a stream stores it. */
export interface StoredMessage {
  readonly sequence: number;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; bytes that are not UTF-8 are replaced. */
  readonly text: string;
  readonly publishedAt: Date;
}

/** How many servers store a stream. */
export interface StreamCopies {
  /** Another one after the stream was recreated, which loses the messages that it held. */
  readonly identity: string;
  /** The configured number. */
  readonly declared: number;
  /** The number of servers that have all of it now. */
  readonly current: number;
  /** How full the stream is, from 0 to 1; at 1 the broker drops the oldest message for each new one. */
  readonly filled: number;
}

export interface Messaging {
  /** Waits for the stream's acknowledgement, at most a few seconds; never throws for a broker that is unreachable. */
  publish(message: OutboundMessage): Promise<PublishOutcome>;
  /** Opens a pull consumer on a durable; waits for one that is missing, and re-opens a stalled pull automatically. */
  consume(options: ConsumeOptions, handle: Handle): Promise<Subscription>;
  /**
   * Creates or updates a durable of a party that registers at run time (fixed ones are in the topology). `created`: it
   * did not exist, so the broker held nothing for this party.
   */
  ensureDurable(declaration: DurableDeclaration): Promise<'created' | 'there'>;
  /** Removes the durable; does nothing when it is absent. */
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
   * The value of a key of a declared bucket, or null when there is none. One server of a cluster may return a slightly
   * older value, so no decision relies on it alone. Throws when the broker is unreachable or the bucket is missing.
   */
  readKey(bucket: string, key: string): Promise<KeyedValue | null>;
  /**
   * Writes a key over the value with this sequence; 0: only if there is none. Never throws for a broker that is
   * unreachable.
   */
  writeKey(
    bucket: string,
    key: string,
    value: Readonly<Record<string, unknown>>,
    overSequence: number,
  ): Promise<KeyWritten>;
  /**
   * An identity that changes when the bucket is recreated; null while there is none. Throws when the broker is
   * unreachable.
   */
  bucketIdentity(bucket: string): Promise<string | null>;
  /** Throws an error that lists every difference between the broker and the topology file. Creates nothing. */
  assertTopology(): Promise<void>;
  /** State of the declared streams that exist, all or those named; throws when the broker is unreachable. */
  streamStates(streams?: readonly string[]): Promise<StreamState[]>;
  /**
   * Messages of a stream after a sequence, at most `limit`, oldest first; throws when the broker is unreachable. It
   * consumes none of them.
   */
  storedMessages(stream: string, afterSequence: number, limit: number): Promise<StoredMessage[]>;
  /**
   * The copies of each named stream that exists; missing streams are left out. Throws when the broker is unreachable.
   */
  streamCopies(streams: readonly string[]): Promise<ReadonlyMap<string, StreamCopies>>;
  connected(): boolean;
  /** Resolves when a lost connection is restored the next time, or when the signal is aborted. */
  restored(signal: AbortSignal): Promise<void>;
  /**
   * `<stream>/<durable>` of each open consumer that has no open pull at the broker now; readiness shows them. A
   * consumer whose durable or stream was removed appears when its pull ends: brokers from 2.10 on end it at the
   * removal.
   */
  quietConsumers(): readonly string[];
  /** Settles when the connection has ended permanently; the host then ends the process. */
  readonly closed: Promise<Error | undefined>;
  close(): Promise<void>;
}
