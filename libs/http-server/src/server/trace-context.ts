/**
 * W3C trace context: a request continues the caller's trace or begins one, so that log lines and messages of one
 * operation can be found together over all services.
 */
import { randomBytes } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The header for what this request sends out: same trace, this request's own span. */
  readonly traceparent: string;
}

const pattern = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const zeros = /^0+$/;

/** Continues a valid `traceparent`, keeping its sampling flag; anything else begins a trace that is not sampled yet. */
export function continueTrace(header: unknown): TraceContext {
  const [, trace = '', parent = '', flags = '00'] = typeof header === 'string' ? (pattern.exec(header) ?? []) : [];
  const valid = trace !== '' && !zeros.test(trace) && !zeros.test(parent);
  const traceId = valid ? trace : randomBytes(16).toString('hex');
  const sampled = valid && (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-${sampled ? '01' : '00'}` };
}
