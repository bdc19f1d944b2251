/**
 * Tracing that records spans with OpenTelemetry and sends them to an exporter in batches. Nothing is registered
 * globally: the tracing of a process is a value, so two services in one test keep their spans separate. Texts from
 * errors pass the log's redaction first; attributes are few and named by the callers. The SDK is loaded only when a
 * recording is created.
 */
import type { Context, Span } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import {
  readTraceparent,
  writeTraceparent,
  type Activity,
  type Arrival,
  type Executor,
  type SpanAttributes,
  type StepSpan,
  type TracedStep,
  type Tracing,
} from '@platform/kernel';
import type { Redact } from '../redact';
import { createScopeStorage, type ScopeStorage } from './scope';

export interface RecordingOptions {
  readonly executor: Executor;
  readonly exporter: SpanExporter;
  /** Share of the traces beginning here that are recorded, 0 to 1; a caller's decision is kept. */
  readonly ratio: number;
  readonly redact: Redact;
  /** Exports each span as it ends; for tests. Default: in batches, every few seconds. */
  readonly atOnce?: boolean;
}

export interface RecordingTracing extends Tracing {
  /** Sends the remaining spans and closes the exporter. */
  close(): Promise<void>;
}

const kinds = { server: 1, client: 2, producer: 3, consumer: 4 } as const;
const errorStatus = 2;
const queuedSpans = 4_096;

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return writeTraceparent({ traceId, spanId, sampled: (traceFlags & 1) === 1 });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : 'failed';
}

interface Recorder {
  start(
    kind: keyof typeof kinds,
    name: string,
    attributes: SpanAttributes | undefined,
    parent: string | undefined,
  ): Span;
  fail(span: Span, failure: string): void;
  readonly scopes: ScopeStorage;
}

function begin({ start, fail, scopes }: Recorder, arrival: Arrival): Activity {
  const span = start(arrival.kind, arrival.name, arrival.attributes, arrival.traceparent);
  const context = { traceId: span.spanContext().traceId, traceparent: traceparentOf(span) };
  return {
    ...context,
    within: (work, correlation = {}) => {
      if (correlation.operationId !== undefined) span.setAttribute('platform.operation_id', correlation.operationId);
      if (correlation.requestId !== undefined) span.setAttribute('platform.request_id', correlation.requestId);
      return scopes.run({ ...context, correlation }, work);
    },
    end: (failure, attributes) => {
      if (attributes) span.setAttributes({ ...attributes });
      if (failure !== undefined) fail(span, failure);
      span.end();
    },
  };
}

async function runStep<T>(
  { start, fail, scopes }: Recorder,
  step: TracedStep,
  work: (span: StepSpan) => Promise<T>,
): Promise<T> {
  const parent = step.traceparent ?? scopes.current()?.traceparent;
  // Steps that belong to no operation (sweeps, probes, measuring the clock) would only be noise.
  if (parent === undefined) return work({ traceparent: undefined, note: () => undefined });
  const span = start(step.kind, step.name, step.attributes, parent);
  const note = (attributes: SpanAttributes, failure?: string): void => {
    span.setAttributes({ ...attributes });
    if (failure !== undefined) fail(span, failure);
  };
  try {
    return await work({ traceparent: traceparentOf(span), note });
  } catch (error) {
    fail(span, messageOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Builds the SDK from the options: how a span begins and what ends the exporter. */
async function loadSdk({ executor, exporter, ratio, redact, atOnce }: RecordingOptions) {
  const [api, { resourceFromAttributes }, sdk] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
  ]);
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': executor.service,
      'service.instance.id': executor.instance,
      'service.incarnation': executor.incarnation,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanLimits: { attributeValueLengthLimit: 200, attributeCountLimit: 32 },
    spanProcessors: [
      atOnce
        ? new sdk.SimpleSpanProcessor(exporter)
        : new sdk.BatchSpanProcessor(exporter, { maxQueueSize: queuedSpans }),
    ],
  });
  const tracer = provider.getTracer('workspace-platform');
  const parentContext = (traceparent: string | undefined): Context => {
    const sender = readTraceparent(traceparent);
    if (!sender) return api.ROOT_CONTEXT;
    const { traceId, spanId, sampled } = sender;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags: sampled ? 1 : 0, isRemote: true });
  };
  const start: Recorder['start'] = (kind, name, attributes, parent) =>
    tracer.startSpan(
      name,
      { kind: kinds[kind], ...(attributes && { attributes: { ...attributes } }) },
      parentContext(parent),
    );
  const fail: Recorder['fail'] = (span, failure) =>
    void span.setStatus({ code: errorStatus, message: String(redact(failure)) });
  return { start, fail, close: () => provider.shutdown() };
}

/** Connects to nothing until the first spans are exported. */
export async function createRecording(options: RecordingOptions): Promise<RecordingTracing> {
  const { start, fail, close } = await loadSdk(options);
  const scopes = createScopeStorage();
  const recorder: Recorder = { start, fail, scopes };
  return {
    recording: true,
    begin: (arrival) => begin(recorder, arrival),
    step: (step, work) => runStep(recorder, step, work),
    traceparent: () => scopes.current()?.traceparent,
    fields: scopes.fields,
    close,
  };
}
