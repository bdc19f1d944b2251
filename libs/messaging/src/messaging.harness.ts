/** What the shared suite of the messaging port needs of an implementation under test, and its recorders and latches. */
import type { Disposition, InboundMessage, Messaging, OutboundMessage } from './port';

export interface MessagingHarness {
  connect(name: string): Promise<Messaging>;
  /** Drives deliveries until the condition holds. */
  until(condition: () => boolean): Promise<void>;
  publishRaw(subject: string, bytes: Uint8Array): Promise<void>;
  /** Loses all streams, durables and messages. */
  wipe(): Promise<void>;
  applyTopology(): Promise<void>;
  close(): Promise<void>;
}

export const ack: Disposition = { kind: 'ack' };
export const lifecycle = { stream: 'LIFECYCLE', durable: 'lifecycle-delivery' };

export function suspended(id: string, body: Record<string, unknown> = { tenantId: 'acme' }): OutboundMessage {
  return { subject: 'lifecycle.message.suspended', id, type: 'lifecycle.message.suspended.v1', body };
}

/** Collects what a handler receives. */
export function recorder(decide: (message: InboundMessage) => Disposition | Promise<Disposition> = () => ack) {
  const messages: InboundMessage[] = [];
  return {
    messages,
    ids: () => messages.map(({ id }) => id),
    handleMessage: async (message: InboundMessage): Promise<Disposition> => {
      messages.push(message);
      return decide(message);
    },
  };
}

export function createLatch() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((settle) => (open = settle));
  return { opened, open };
}

/** The parts of one test, recreated before each. */
export type Parts = () => { harness: MessagingHarness; operator: Messaging; delivery: Messaging };
