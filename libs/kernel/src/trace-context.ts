/**
 * W3C trace context: an arriving request or message continues its sender's trace or begins one, so log lines and
 * messages of one operation can be found together over all services.
 */
import { randomUUID } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The header for messages and requests of this work: the same trace, with this work's own span. */
  readonly traceparent: string;
}

const pattern = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const zeros = /^0+$/;

export interface RemoteSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

/** The sender's span, or undefined for anything that is not a valid `traceparent`. */
export function readTraceparent(header: unknown): RemoteSpan | undefined {
  const [, traceId = '', spanId = '', flags = '00'] = typeof header === 'string' ? (pattern.exec(header) ?? []) : [];
  if (traceId === '' || zeros.test(traceId) || zeros.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Writes what {@link readTraceparent} reads. */
export function writeTraceparent({ traceId, spanId, sampled }: RemoteSpan): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/**
 * Random hexadecimal digits from the identifiers that the runtime generates in advance; the short form replaces the
 * digit of their variant.
 */
function randomDigits(count: 16 | 32): string {
  const drawn = randomUUID().replaceAll('-', '');
  return count === 32 ? drawn : drawn.slice(-count).replace(/^./, drawn[0]!);
}

/** Continues a valid `traceparent`, keeping its sampling flag; anything else begins a trace that is not sampled yet. */
export function continueTrace(header: unknown): TraceContext {
  const sender = readTraceparent(header);
  const traceId = sender?.traceId ?? randomDigits(32);
  return {
    traceId,
    traceparent: writeTraceparent({ traceId, spanId: randomDigits(16), sampled: sender?.sampled ?? false }),
  };
}
