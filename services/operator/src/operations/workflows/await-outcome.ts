/**
 * A caller's wait is not the executor's: the workflow runs to its end whether or not somebody waits. Within the wait
 * budget the caller gets the outcome; past it, the record as it stands.
 */
import type { Operation } from '../domain/operation';
import { answerOf, type OperationAnswer } from './operation-answer';
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

/**
 * Starts `run` and waits at most `waitMs` for a final status, but always until the intent is durable (`run` says so by
 * calling its argument). When the budget ends first, reads the record once, which also sees what another replica finished.
 */
export async function awaitOutcome(
  ports: Pick<OperatorPorts, 'notifier' | 'operations'>,
  operationId: string,
  waitMs: number,
  run: (accepted: () => void) => Promise<OperationAnswer>,
): Promise<OperationAnswer> {
  let stopListening = () => {};
  const heard = new Promise<OperationAnswer>((resolve) => {
    stopListening = ports.notifier.listen(operationId, (operation) => resolve(answerOf(operation)));
  });
  let timer: NodeJS.Timeout | undefined;
  let accept = () => {};
  const accepted = new Promise<void>((resolve) => {
    accept = resolve;
  });
  const budget = new Promise<'over'>((resolve) => {
    timer = setTimeout(resolve, waitMs, 'over' as const);
  });
  try {
    const first = await Promise.race([run(accept), accepted.then(() => budget)]);
    if (first !== 'over' && first.kind !== 'unfinished') return first;
    const second = first === 'over' ? first : await Promise.race([heard, budget]);
    if (second !== 'over') return second;
    const operation = await ports.operations.findById(operationId);
    return operation
      ? answerOf(operation)
      : { kind: 'store_unavailable', detail: 'The record of this operation has disappeared.' };
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}
