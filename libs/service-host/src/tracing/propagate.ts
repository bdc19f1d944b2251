/** Tracing that records nothing: the context is still passed on, so the logs of all services name the same trace. */
import { continueTrace, type Tracing } from '@platform/kernel';
import { createScopeStorage } from './scope';

const nothing = (): void => undefined;

/** Costs an id per arrival and one storage run; steps cost a call. */
export function createPropagation(): Tracing {
  const scopes = createScopeStorage();
  const traceparent = (): string | undefined => scopes.current()?.traceparent;
  return {
    recording: false,
    begin: (arrival) => {
      const context = continueTrace(arrival.traceparent);
      return {
        ...context,
        within: (work, correlation = {}) => scopes.run({ ...context, correlation }, work),
        end: nothing,
      };
    },
    step: (step, work) => work({ traceparent: step.traceparent ?? traceparent(), note: nothing }),
    traceparent,
    fields: scopes.fields,
  };
}
