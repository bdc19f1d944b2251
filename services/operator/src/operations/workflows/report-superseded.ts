/** At start: operations left running by earlier boots of this instance are named, so that somebody investigates. Nothing is taken over (law 4). */
import type { Log } from '@platform/kernel';
import { apart, type RevisionedCollection } from '@platform/mongo';
import type { Operation } from '../domain/operation';
import type { ExecutorState } from './read-operation';

const listed = 1_000;

/** The running operations whose latest executor is an earlier boot of `instance` that has stopped or was superseded. */
export async function reportSuperseded(ports: {
  readonly operations: RevisionedCollection<Operation>;
  readonly executorState: (incarnation: string) => Promise<ExecutorState>;
  readonly instance: string;
  readonly log: Log;
}): Promise<readonly string[]> {
  const running = await ports.operations.find({ status: 'running' }, { sort: { createdAt: 1, _id: 1 }, limit: listed });
  const left: string[] = [];
  for (const operation of running)
    await apart(ports.operations, operation._id, async () => {
      const executor = operation.attempts.at(-1)?.executor;
      if (executor?.instance !== ports.instance) return;
      const state = await ports.executorState(executor.incarnation);
      if (state === 'superseded' || state === 'stopped') left.push(operation._id);
    });
  if (left.length > 0)
    ports.log.warn(
      { operations: left.slice(0, 50), count: left.length },
      'operations were left running by an earlier boot of this instance; they need an investigation and are not touched',
    );
  return left;
}
