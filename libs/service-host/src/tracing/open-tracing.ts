/**
 * The tracing of a process: recorded when an address for spans is configured; otherwise off, or only passed on when
 * requested. Following the current work through every promise costs processor time, and recording costs memory and a
 * longer start, so both are off unless configured.
 */
import { noTracing, type Executor, type Tracing } from '@platform/kernel';
import { createRedact } from '../redact';
import { createPropagation } from './propagate';
import { createRecording } from './record';

export interface TracingSettings {
  readonly executor: Executor;
  /** Base address of an OTLP/HTTP receiver, for example `http://127.0.0.1:4318`; absent: nothing is recorded. */
  readonly endpoint?: string | undefined;
  /** Without an endpoint: still add trace, request and operation ids to log lines and messages. */
  readonly carried?: boolean;
  /** Share of the traces beginning here that are recorded, 0 to 1. Default 1. */
  readonly ratio?: number;
  /** Secret texts that are blanked in span texts. */
  readonly secrets?: readonly string[];
}

export interface OpenTracing extends Tracing {
  /** Sends the remaining spans; an unreachable receiver costs seconds, never an error. */
  close(): Promise<void>;
}

const exportTimeoutMs = 3_000;

async function openRecording(
  { executor, ratio = 1, secrets = [] }: TracingSettings,
  endpoint: string,
): Promise<OpenTracing> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: exportTimeoutMs,
  });
  const recording = await createRecording({ executor, exporter, ratio, redact: createRedact(secrets) });
  return { ...recording, close: () => recording.close().catch(() => undefined) };
}

/** Resolves at once where nothing is recorded. */
export function openTracing(settings: TracingSettings): OpenTracing | Promise<OpenTracing> {
  const { endpoint, carried = false } = settings;
  if (endpoint !== undefined) return openRecording(settings, endpoint);
  return { ...(carried ? createPropagation() : noTracing), close: async () => undefined };
}
