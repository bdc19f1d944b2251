/**
 * The supervisor's side of the workers' requests: one answer for each, and an early end for requests whose client has
 * left.
 */
import { QueryTooSlowError, StoreUnavailableError } from '@platform/mongo';
import type { FromWorker, StoreTrouble, ToWorker } from './messages';

/** Named operations of the supervising process that workers may call. */
export type Operations = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

type Ask = Extract<FromWorker, { kind: 'ask' }>;

export interface Asks {
  /** Never throws: an operation's error is part of the answer. */
  answer(ask: Ask): Promise<void>;
  /** No client waits for the answer to this request any more. */
  leave(id: number): void;
}

export function answerAsks(operations: Operations, post: (message: ToWorker) => void): Asks {
  const endable = new Map<number, AbortController>();
  return {
    async answer(ask) {
      const { id, operation, args } = ask;
      const gone = new AbortController();
      if (ask.endable) endable.set(id, gone);
      try {
        const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
        if (!run) throw new RangeError(`the service has no operation ${operation}`);
        const given = ask.endable ? [...args, gone.signal] : args;
        post({ kind: 'answered', id, result: await run(...(given as never[])) });
      } catch (error) {
        const store = storeTroubleOf(error);
        const message = error instanceof Error ? error.message : String(error);
        post({ kind: 'refused', id, message, ...(store && { store }) });
      } finally {
        endable.delete(id);
      }
    },
    leave: (id) => endable.get(id)?.abort(),
  };
}

function storeTroubleOf(error: unknown): StoreTrouble | undefined {
  if (error instanceof QueryTooSlowError) return { kind: 'too_slow', limitMs: error.limitMs };
  return error instanceof StoreUnavailableError ? { kind: 'unavailable' } : undefined;
}
