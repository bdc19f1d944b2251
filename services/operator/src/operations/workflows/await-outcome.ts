/**
 * The wait of a caller does not limit the executor: the workflow runs to its end whether or not a client waits. Within
 * the wait the caller gets the outcome, afterwards the record as stored.
 */
import type { Operation } from '../domain/operation';
import { StoreUnavailableError } from '@platform/mongo';
import { answerOf, type OperationAnswer } from './operation-answer';
import { operationKey } from './operation-key';
import type { OperatorPorts, OutcomeNotifier } from './ports';

export function createOutcomeNotifier(): OutcomeNotifier {
  const listeners = new Map<string, Set<(operation: Operation) => void>>();
  return {
    notify: (operation) => listeners.get(operation._id)?.forEach((heard) => heard(operation)),
    listen(operationId, heard) {
      const set = listeners.get(operationId) ?? new Set();
      listeners.set(operationId, set.add(heard));
      return () => {
        set.delete(heard);
        if (set.size === 0) listeners.delete(operationId);
      };
    },
  };
}

/** The HTTP request ends soon after this time. */
const longestWaitMs = 45_000;
/** Pauses between reads while a caller waits; they double. What this process ends itself is heard before the first. */
const lookAgainMs = { first: 250, longest: 2_000 };

/**
 * Starts `run` and waits at most `waitMs` for a final status, but always until the intent is durable or an executor
 * keeps trying to make it durable (`run` reports this by calling its argument), and never longer than a request lasts.
 * With null, returns what `run` answers, final or not. A settlement is recorded by the replica that receives it, and a
 * process hears its own only; so the record is also read at growing pauses, and once more when the wait ends.
 */
export async function awaitOutcome(
  ports: Pick<OperatorPorts, 'notifier' | 'operations' | 'work'>,
  operationId: string,
  waitMs: number | null,
  run: (accepted: () => void) => Promise<OperationAnswer>,
): Promise<OperationAnswer> {
  let stopListening = () => {};
  const heard = new Promise<OperationAnswer>((resolve) => {
    stopListening = ports.notifier.listen(operationId, (operation) => resolve(answerOf(operation)));
  });
  const timers: NodeJS.Timeout[] = [];
  const after = (milliseconds: number) =>
    new Promise<'over'>((resolve) => void timers.push(setTimeout(resolve, milliseconds, 'over' as const)));
  let accept = () => {};
  const accepted = new Promise<void>((resolve) => {
    accept = resolve;
  });
  let ended = false;
  const seen = async (): Promise<OperationAnswer | 'over'> => {
    for (let pause = lookAgainMs.first; !ended; pause = Math.min(2 * pause, lookAgainMs.longest)) {
      await after(pause);
      const operation = await ports.operations.findById(operationId).catch(() => undefined);
      const answer = operation && answerOf(operation);
      if (answer && answer.kind !== 'unfinished') return answer;
    }
    return 'over';
  };
  const longest = after(longestWaitMs);
  const budget = waitMs === null ? longest : after(waitMs);
  try {
    const first = await Promise.race([run(accept), accepted.then(() => budget), longest]);
    if (first !== 'over' && (waitMs === null || first.kind !== 'unfinished')) return first;
    const second = first === 'over' ? first : await Promise.race([heard, seen(), budget]);
    if (second !== 'over') return second;
    const operation = await ports.operations.findById(operationId);
    return operation ? answerOf(operation) : notStored(ports, operationId);
  } catch (error) {
    if (error instanceof StoreUnavailableError) return storeAway(ports, operationId);
    throw error;
  } finally {
    ended = true;
    for (const timer of timers) clearTimeout(timer);
    stopListening();
  }
}

/** No caller is promised what is not durable. */
function notStored({ work }: Pick<OperatorPorts, 'work'>, operationId: string): OperationAnswer {
  const atWork = work.find(operationKey(operationId)) !== undefined;
  return {
    kind: 'store_unavailable',
    atWork,
    detail: atWork
      ? 'The intent is not durable yet, and an executor goes on trying. Read the operation; do not choose a new id.'
      : 'There is no record of this operation. Read it before repeating it with the same id.',
  };
}

/** While the store is unreachable, the caller has no other way to learn whether an executor continues. */
function storeAway({ work }: Pick<OperatorPorts, 'work'>, operationId: string): OperationAnswer {
  const atWork = work.find(operationKey(operationId)) !== undefined;
  return {
    kind: 'store_unavailable',
    atWork,
    detail: atWork
      ? 'The store does not answer. An executor is at work on this operation and goes on when the store answers. Read the operation; do not choose a new id.'
      : 'The store does not answer. No executor of this process is at work on this operation. Read it before repeating it with the same id.',
  };
}
