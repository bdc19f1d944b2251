/**
 * The parts of the store and of the broker that the relay needs, as structural types: the `outbox` of a revisioned
 * collection and the `publish` of the messaging port match without an adapter, and neither library is imported.
 */
import type { OutboxEntry } from '@platform/kernel';

export interface OutboxSource {
  /**
   * The entries of at most `limit` records, in the order of the record ids, strictly after `afterRecordId`; the
   * entries of one record in the order written. Empty when no record follows.
   */
  pending(
    limit: number,
    afterRecordId?: string,
  ): Promise<readonly { readonly recordId: string; readonly entry: OutboxEntry }[]>;
  /** Removes one entry; repeating it is harmless. */
  confirm(recordId: string, entryId: string): Promise<void>;
  backlog(): Promise<OutboxBacklog>;
}

export interface OutboxBacklog {
  readonly count: number;
  readonly oldest: Date | null;
}

export interface RelayedMessage {
  readonly subject: string;
  /** The id of the outbox entry: the same on every repeat, so that the broker and the receivers recognise it. */
  readonly id: string;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** W3C trace context of the decision that the message announces. */
  readonly traceparent?: string;
}

/** `unknown` (no acknowledgement) is harmless: the message is published again with the same id. */
export type Publish = (message: RelayedMessage) => Promise<'acknowledged' | 'unknown'>;

/**
 * For entries that were acknowledged and wait for their receiver: the ids of those that the receiver has durably
 * recorded. Rejects when the receiver cannot be asked.
 */
export type Received = (entries: readonly OutboxEntry[]) => Promise<ReadonlySet<string>>;

/** Waits so many milliseconds; ends early, without an error, when the signal aborts. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;
