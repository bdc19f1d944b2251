/**
 * The format on the wire: a JSON body with CloudEvents attributes in headers. Bodies are checked before anything is
 * sent. Headers of an arriving message are read leniently, because other teams write in other languages; its body must
 * be strict JSON.
 */
import type { OutboundMessage } from './port';
import { isConcreteSubject } from './subject';
import { maxBodyBytes, maxReplyBytes } from './topology';

export type WireHeaders = Readonly<Record<string, string>>;

export class MessageTooLargeError extends Error {
  override name = 'MessageTooLargeError';
}

/**
 * UTF-8 JSON of a body; throws {@link MessageTooLargeError} above 64 KiB, and for a subject that is a pattern or
 * malformed.
 */
export function encodeBody(subject: string, body: Readonly<Record<string, unknown>>): Uint8Array {
  if (!isConcreteSubject(subject)) throw new Error(`${JSON.stringify(subject)} is not a subject to publish to`);
  return encodeUpTo(maxBodyBytes, `Message for ${subject}`, body);
}

/** UTF-8 JSON of a reply; throws {@link MessageTooLargeError} above {@link maxReplyBytes}. */
export function encodeReply(subject: string, body: Readonly<Record<string, unknown>>): Uint8Array {
  return encodeUpTo(maxReplyBytes, `Reply to ${subject}`, body);
}

function encodeUpTo(most: number, what: string, body: Readonly<Record<string, unknown>>): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  if (bytes.length > most)
    throw new MessageTooLargeError(`${what} has ${bytes.length} bytes; at most ${most} are allowed`);
  return bytes;
}

/** CloudEvents 1.0 attributes as headers (binary mode), with the trace context when there is one. */
export function cloudEventHeaders(message: OutboundMessage, source: string, now: Date): WireHeaders {
  return {
    'ce-specversion': '1.0',
    'ce-id': message.id,
    'ce-source': source,
    'ce-type': message.type,
    'ce-time': now.toISOString(),
    'content-type': 'application/json',
    ...(message.traceparent ? { traceparent: message.traceparent } : {}),
  };
}

/** The parsed body, or the reason why it is invalid. */
export function decodeBody(
  bytes: Uint8Array,
): { readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly reason: string } {
  try {
    return { ok: true, body: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown };
  } catch {
    return { ok: false, reason: 'The body is not JSON in UTF-8' };
  }
}

/** Id of an arriving message: from CloudEvents, otherwise the broker's, otherwise its place in the stream. */
export function inboundId(headers: WireHeaders, stream: string, sequence: number): string {
  return headers['ce-id'] ?? headers['Nats-Msg-Id'] ?? headers['nats-msg-id'] ?? `${stream}:${sequence}`;
}

export interface DeadLetterOrigin {
  readonly stream: string;
  readonly durable: string;
  readonly subject: string;
  readonly sequence: number;
  readonly publishedAt: Date;
  readonly deliveryCount: number;
  readonly headers: WireHeaders;
}

const maxTextCharacters = 500;

/** Subject, id and headers of the copy: its origin, why it stopped, and its former attributes. */
export function deadLetter(
  origin: DeadLetterOrigin,
  reason: string,
): { readonly subject: string; readonly id: string; readonly headers: WireHeaders } {
  const kept = Object.entries(origin.headers).filter(([name]) => /^(ce-|traceparent$|content-type$)/i.test(name));
  return {
    subject: `dead_letter.${origin.stream}.${origin.durable}`,
    // The time distinguishes the same sequence of a stream that was recreated after a wipe.
    id: `dead_letter:${origin.stream}:${origin.durable}:${origin.sequence}:${origin.publishedAt.getTime()}`,
    headers: {
      ...Object.fromEntries(kept.map(([name, value]) => [name, headerText(value)])),
      'dead-letter-reason': headerText(reason),
      'dead-letter-stream': origin.stream,
      'dead-letter-durable': origin.durable,
      'dead-letter-subject': origin.subject,
      'dead-letter-sequence': String(origin.sequence),
      'dead-letter-published-at': origin.publishedAt.toISOString(),
      'dead-letter-delivery-count': String(origin.deliveryCount),
    },
  };
}

/** Converts to a valid header: one line of printable ASCII, at most 500 characters. */
export function headerText(value: string): string {
  return value.replace(/[^\x20-\x7e]+/g, ' ').slice(0, maxTextCharacters);
}
