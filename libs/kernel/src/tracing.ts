/**
 * One operation is one trace over all services. Code that sends or receives something says so through this port; the
 * composition of the process decides which recorder keeps spans, if any. The trace context always travels, so that log
 * lines of one operation can be found together also where no spans are recorded.
 */
import { continueTrace } from './trace-context';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Ids by which people search the logs. */
export interface Correlation {
  readonly requestId?: string;
  readonly operationId?: string;
}

/** What a body or the parameters of an arrival name; operations are called `operationId` everywhere. */
export function correlationOf(...parts: readonly unknown[]): Correlation {
  for (const part of parts) {
    const { operationId } = (typeof part === 'object' && part !== null ? part : {}) as {
      readonly operationId?: unknown;
    };
    if (typeof operationId === 'string' && harmlessId.test(operationId)) return { operationId };
  }
  return {};
}

/** What is not yet checked by a schema may be anything; only what looks like an id goes into logs. */
const harmlessId = /^[\w.:@-]{1,200}$/;

/** Work that begins here: a request or a message that arrived. */
export interface Arrival {
  /** By route or durable, never by id or address: few names, nothing secret. */
  readonly name: string;
  readonly kind: 'server' | 'consumer';
  /** W3C trace context of the caller, as it arrived; anything malformed begins a new trace. */
  readonly traceparent?: string | undefined;
  readonly attributes?: SpanAttributes;
}

/** Work under way that was begun by an {@link Arrival}. */
export interface Activity {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** What this work sends on: same trace, this work's own span. */
  readonly traceparent: string;
  /** Runs `work` so that steps, log lines and messages in it belong to this activity. May be called several times. */
  within<T>(work: () => T, correlation?: Correlation): T;
  /** Ends the span; `failure` marks it as failed. Further calls do nothing. */
  end(failure?: string, attributes?: SpanAttributes): void;
}

/** One call that leaves the process: to the store, the broker or the provider. */
export interface TracedStep {
  readonly name: string;
  readonly kind: 'client' | 'producer';
  readonly attributes?: SpanAttributes;
  /** Trace context to carry on, where it comes from a record (outbox rows) and not from the work under way. */
  readonly traceparent?: string | undefined;
}

export interface StepSpan {
  /** Trace context of this step, for what it sends; undefined outside of any trace. */
  readonly traceparent: string | undefined;
  /** Adds what only the answer tells; `failure` marks the span as failed. */
  note(attributes: SpanAttributes, failure?: string): void;
}

export interface Tracing {
  /** Whether spans are recorded at all; wrappers may leave themselves out when not. */
  readonly recording: boolean;
  begin(arrival: Arrival): Activity;
  /** Runs `work` as a step of the activity under way; a rejection marks the span as failed and goes on. */
  step<T>(step: TracedStep, work: (span: StepSpan) => Promise<T>): Promise<T>;
  /** Trace context of the work under way; undefined outside of any. */
  traceparent(): string | undefined;
  /** Trace id and correlation of the work under way, for log lines; empty outside of any. */
  fields(): Readonly<Record<string, string>>;
}

const unrecorded = (traceparent: string | undefined): StepSpan => ({ traceparent, note: () => undefined });

/** Gives each arrival its ids and nothing more: no spans, nothing that travels by itself. For tests and tools. */
export const noTracing: Tracing = {
  recording: false,
  begin: ({ traceparent }) => ({ ...continueTrace(traceparent), within: (work) => work(), end: () => undefined }),
  step: (step, work) => work(unrecorded(step.traceparent)),
  traceparent: () => undefined,
  fields: () => ({}),
};
