/**
 * One operation is one trace over all services. Code that sends or receives something reports it through this port; the
 * composition of the process decides which recorder keeps spans, if any. The trace context is always passed on, so log
 * lines of one operation can be found together even where no spans are recorded.
 */
import { continueTrace } from './trace-context';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Ids by which people search the logs. */
export interface Correlation {
  readonly requestId?: string;
  readonly operationId?: string;
}

/** The ids in a body or in the parameters of an arriving request; operations are called `operationId` everywhere. */
export function correlationOf(...parts: readonly unknown[]): Correlation {
  for (const part of parts) {
    const { operationId } = (typeof part === 'object' && part !== null ? part : {}) as {
      readonly operationId?: unknown;
    };
    if (typeof operationId === 'string' && harmlessId.test(operationId)) return { operationId };
  }
  return {};
}

/** Values that no schema has checked yet may be anything; only what looks like an id is logged. */
const harmlessId = /^[\w.:@-]{1,200}$/;

/** Work that begins here: a request or a message that arrived. */
export interface Arrival {
  /** By route or durable, never by id or address: few names, and nothing secret. */
  readonly name: string;
  readonly kind: 'server' | 'consumer';
  /** W3C trace context of the caller, as received; a malformed one begins a new trace. */
  readonly traceparent?: string | undefined;
  readonly attributes?: SpanAttributes;
}

/** The work that an {@link Arrival} began. */
export interface Activity {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The trace context that this work passes on: the same trace, with this work's own span. */
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
  /** Trace context from a record (outbox rows), when it does not come from the current work. */
  readonly traceparent?: string | undefined;
}

export interface StepSpan {
  /** Trace context of this step, for messages that it sends; undefined outside of any trace. */
  readonly traceparent: string | undefined;
  /** Adds attributes that only the answer shows; `failure` marks the span as failed. */
  note(attributes: SpanAttributes, failure?: string): void;
}

export interface Tracing {
  /** Whether spans are recorded at all; wrappers may be left out when not. */
  readonly recording: boolean;
  begin(arrival: Arrival): Activity;
  /** Runs `work` as a step of the current activity; a rejection marks the span as failed and is rethrown. */
  step<T>(step: TracedStep, work: (span: StepSpan) => Promise<T>): Promise<T>;
  /** Trace context of the current work; undefined outside of any. */
  traceparent(): string | undefined;
  /** Trace id and correlation of the current work, for log lines; empty outside of any. */
  fields(): Readonly<Record<string, string>>;
}

const unrecorded = (traceparent: string | undefined): StepSpan => ({ traceparent, note: () => undefined });

/** Gives each arrival its ids only: no spans, and nothing is passed on automatically. For tests and tools. */
export const noTracing: Tracing = {
  recording: false,
  begin: ({ traceparent }) => ({ ...continueTrace(traceparent), within: (work) => work(), end: () => undefined }),
  step: (step, work) => work(unrecorded(step.traceparent)),
  traceparent: () => undefined,
  fields: () => ({}),
};
