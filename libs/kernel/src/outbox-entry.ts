/**
 * Law 7: a decision that must be announced carries its message inside the same document. The shape is here because the
 * store writes it and the relay reads it, and neither imports the other.
 */
export interface OutboxEntry {
  /** Stable id: the message id on the broker and the dedupe key of receivers. */
  readonly id: string;
  readonly subject: string;
  /** CloudEvents type, with its version suffix, for example `lifecycle.message.suspended.v1`. */
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * What ends the entry: the receiver's durable record (a receipt, a settlement, an outcome), or, where no receiver
   * records it (alerts, repeats that the other side requests again), the broker's acknowledgement.
   */
  readonly closesOn: 'receiver_record' | 'publish_ack';
  readonly createdAt: Date;
  /**
   * W3C trace context of the decision, so that a message which is sent later, by a sweep, still belongs to its trace.
   */
  readonly traceparent?: string;
}
