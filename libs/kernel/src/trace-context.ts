/**
 * W3C trace context: what arrives continues its sender's trace or begins one, so that log lines and messages of one
 * operation can be found together over all services.
 */
import { randomBytes } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The header for what this work sends out: same trace, this work's own span. */
  readonly traceparent: string;
}

const pattern = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const zeros = /^0+$/;

export interface RemoteSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

/** The sender's span, or undefined for anything that is no valid `traceparent`. */
export function readTraceparent(header: unknown): RemoteSpan | undefined {
  const [, traceId = '', spanId = '', flags = '00'] = typeof header === 'string' ? (pattern.exec(header) ?? []) : [];
  if (traceId === '' || zeros.test(traceId) || zeros.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The twin of {@link readTraceparent}. */
export function writeTraceparent({ traceId, spanId, sampled }: RemoteSpan): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** Continues a valid `traceparent`, keeping its sampling flag; anything else begins a trace that is not sampled yet. */
export function continueTrace(header: unknown): TraceContext {
  const sender = readTraceparent(header);
  const traceId = sender?.traceId ?? randomBytes(16).toString('hex');
  return { traceId, traceparent: writeTraceparent({ traceId, spanId: randomBytes(8).toString('hex'), sampled: sender?.sampled ?? false }) };
}
