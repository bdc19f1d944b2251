/**
 * The context of the current work, kept by the process: trace, request and operation. Each tracing has its own storage,
 * so two services in one process do not see each other's context.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Correlation } from '@platform/kernel';

interface Scope {
  readonly traceId: string;
  readonly traceparent: string;
  readonly correlation: Correlation;
}

export interface ScopeStorage {
  current(): Scope | undefined;
  run<T>(scope: Scope, work: () => T): T;
  /** Fields of the current work, for log lines. */
  fields(): Readonly<Record<string, string>>;
}

const nothing = Object.freeze({});

export function createScopeStorage(): ScopeStorage {
  const storage = new AsyncLocalStorage<Scope>();
  return {
    current: () => storage.getStore(),
    run: (scope, work) => storage.run(scope, work),
    fields: () => {
      const scope = storage.getStore();
      return scope ? { traceId: scope.traceId, ...scope.correlation } : nothing;
    },
  };
}
