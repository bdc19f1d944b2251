/**
 * One delivered message from arrival to acknowledgement: decode, handle with progress signals to the broker, then ack,
 * nak with a delay, or copy to the dead letters and end it. The acknowledgement is never a fence: it may be lost, and
 * then the message is delivered again.
 */
import type { JsMsg } from '@nats-io/jetstream';
import { backoffMs, correlationOf } from '@platform/kernel';
import type { AdapterContext } from './nats-context';
import { receivedHeaders } from './nats-headers';
import type { ConsumeOptions, Disposition, Handle, InboundMessage } from './port';
import { deadLetter, decodeBody, inboundId } from './wire';

export interface Attendant {
  readonly context: AdapterContext;
  readonly options: ConsumeOptions;
  readonly handleMessage: Handle;
}

/** Handles one message and signals its progress; an unreachable broker redelivers it, and handlers allow for that. */
export async function attend(attendant: Attendant, message: JsMsg, ackWaitMs: number): Promise<void> {
  const working = setInterval(() => {
    // On a closed connection the call throws, and a throw in a timer would end the process.
    if (!attendant.context.connection.isClosed()) message.working();
  }, ackWaitMs / 3);
  try {
    const disposition = await decide(attendant, message);
    if (disposition.kind === 'ack') message.ack();
    else if (disposition.kind === 'nak') nak(attendant, message, disposition);
    else await bury(attendant, message, disposition.reason);
  } finally {
    clearInterval(working);
  }
}

async function decide({ context, options, handleMessage }: Attendant, message: JsMsg): Promise<Disposition> {
  const body = decodeBody(message.data);
  const { stream, durable, unreadable } = options;
  if (!body.ok && !unreadable) return { kind: 'dead_letter', reason: body.reason };
  const inbound = toInbound(context, stream, message, body.ok ? body.body : undefined);
  const attributes = {
    'messaging.system': 'nats',
    'messaging.destination.name': stream,
    'messaging.consumer.group.name': durable,
    'cloudevents.event_type': inbound.type,
    'messaging.nats.delivery_count': inbound.deliveryCount,
  };
  const activity = context.tracing.begin({
    name: `receive ${inbound.type || stream}`,
    kind: 'consumer',
    traceparent: inbound.headers['traceparent'],
    attributes,
  });
  return activity.within(async () => {
    try {
      const disposition = await (body.ok ? handleMessage(inbound) : unreadable!(inbound, body.reason));
      activity.end(disposition.kind === 'dead_letter' ? disposition.reason : undefined, {
        'platform.disposition': disposition.kind,
      });
      return disposition;
    } catch (error) {
      context.options.log.error({ stream, durable, sequence: message.seq, error }, 'Handler threw');
      activity.end('handler threw');
      return { kind: 'nak', reason: 'handler threw' };
    }
  }, correlationOf(inbound.body));
}

function nak(
  { context, options }: Attendant,
  message: JsMsg,
  { reason, delayMs }: Extract<Disposition, { kind: 'nak' }>,
): void {
  const { baseMs, capMs } = context.options.redelivery ?? { baseMs: 1_000, capMs: 60_000 };
  const waitMs = delayMs ?? backoffMs(message.info.deliveryCount, baseMs, capMs);
  context.options.log.debug(
    { stream: options.stream, durable: options.durable, sequence: message.seq, reason, waitMs },
    'Message will be delivered again',
  );
  message.nak(waitMs);
}

/** The copy comes first: only when it is acknowledged may the original end. */
async function bury(attendant: Attendant, message: JsMsg, reason: string): Promise<void> {
  const { context, options } = attendant;
  const origin = {
    stream: options.stream,
    durable: options.durable,
    subject: context.names.plainSubject(message.subject),
    sequence: message.seq,
    publishedAt: message.time,
    deliveryCount: message.info.deliveryCount,
    headers: readHeaders(message),
  };
  const copy = deadLetter(origin, reason);
  // Teams write to this stream too, so another party could have used an id before, and the only copy would be dropped.
  const outcome = await context.publishBytes(copy.subject, undefined, message.data, copy.headers);
  if (outcome === 'unknown') return nak(attendant, message, { kind: 'nak', reason: 'dead letter not acknowledged' });
  context.options.log.warn(
    { stream: options.stream, durable: options.durable, sequence: message.seq, reason },
    'Message moved to the dead letters',
  );
  // Without a reason: servers before 2.10 ignore a term with a reason, and would redeliver the message endlessly.
  message.term();
}

function toInbound(context: AdapterContext, stream: string, message: JsMsg, body: unknown): InboundMessage {
  const headers = readHeaders(message);
  return {
    subject: context.names.plainSubject(message.subject),
    stream,
    sequence: message.seq,
    id: inboundId(headers, stream, message.seq),
    type: headers['ce-type'] ?? '',
    body,
    headers,
    deliveryCount: message.info.deliveryCount,
    publishedAt: message.time,
  };
}

function readHeaders(message: JsMsg): Record<string, string> {
  return Object.fromEntries(receivedHeaders(() => message.headers).map(([name, [first = '']]) => [name, first]));
}
