/** Reads of the journal: one operation with the state of its executors, and lists by index with stable cursors. */
import type { ListOrder, OperationStatus } from '@platform/contracts-operator';
import type { AskExecutors } from '@platform/durable/executors';
import type { Executor, ExecutorKnowledge } from '@platform/kernel';
import { decodeCursor, encodeCursor, type RevisionedCollection } from '@platform/mongo';
import type { Operation } from '../domain/operation';
import { operationKey } from './operation-key';

/** By operation and incarnation, see {@link knowledgeOf}. */
export type AttemptExecutorStates = Readonly<Record<string, ExecutorKnowledge>>;

export interface ReadPorts {
  readonly operations: RevisionedCollection<Operation>;
  readonly askExecutors: AskExecutors;
}

export interface ReadOperation {
  readonly operation: Operation;
  readonly executors: AttemptExecutorStates;
}

/** Number of reads after which an operation that keeps changing is shown as last read. */
const readings = 3;

/** The operation if it belongs to this workspace, with what is known of its executors. */
export async function readOperation(
  ports: ReadPorts,
  tenantId: string,
  operationId: string,
): Promise<ReadOperation | null> {
  const operation = await ports.operations.findById(operationId);
  return operation?.tenantId === tenantId ? withExecutors(ports, operation) : null;
}

/**
 * The operation with what is known of its executors. A process that no longer works on it may have just written its
 * end, so the record is read again before the answer.
 */
export async function withExecutors(ports: ReadPorts, read: Operation): Promise<ReadOperation> {
  let operation = read;
  for (let reading = 1; ; reading += 1) {
    const executors = await executorStates(ports, [operation]);
    const last = operation.attempts.at(-1);
    const alive = last && knowledgeOf(executors, operation._id, last)?.state === 'alive';
    if (operation.status !== 'running' || alive || reading === readings) return { operation, executors };
    const again = await ports.operations.findById(operation._id);
    if (!again || again.revision === operation.revision) return { operation, executors };
    operation = again;
  }
}

/**
 * The state of the executors of unfinished operations, with one question per process. A finished operation is not asked
 * about.
 */
export async function executorStates(
  ports: Pick<ReadPorts, 'askExecutors'>,
  operations: readonly Operation[],
): Promise<AttemptExecutorStates> {
  const open = operations.filter(({ status }) => status === 'running' || status === 'reconciliation_required');
  const asked = open.flatMap((operation) =>
    operation.attempts.map(({ number, executor }) => ({
      operation,
      executor,
      ...(number === operation.attempts.length && { wroteAt: operation.updatedAt }),
    })),
  );
  const known = await ports.askExecutors(
    asked.map(({ operation, ...executor }) => ({ key: operationKey(operation._id), ...executor })),
  );
  return Object.fromEntries(
    asked.map(({ operation, executor }, at) => [`${operation._id}@${executor.incarnation}`, known[at]!]),
  );
}

/** The state of the executor of a piece of work; `unknown` where none was admitted. */
export async function askExecutor(
  { askExecutors }: Pick<ReadPorts, 'askExecutors'>,
  key: string,
  executor: Executor | undefined,
): Promise<ExecutorKnowledge> {
  const [knowledge] = executor ? await askExecutors([{ key, executor }]) : [];
  return knowledge ?? { state: 'unknown' };
}

/** The state of the executor of an attempt. */
export function knowledgeOf(
  executors: AttemptExecutorStates,
  operationId: string,
  { executor }: Pick<Operation['attempts'][number], 'executor'>,
): ExecutorKnowledge | undefined {
  return executors[`${operationId}@${executor.incarnation}`];
}

export interface ListRequest {
  readonly tenantId?: string;
  readonly status?: OperationStatus;
  readonly cursor?: string;
  readonly limit: number;
  /** Default: oldest first. */
  readonly order?: ListOrder;
}

export interface OperationPage {
  readonly operations: readonly Operation[];
  readonly nextCursor?: string;
}

/** Returns null for a cursor that this list did not give out. */
export async function listOperations(ports: ReadPorts, request: ListRequest): Promise<OperationPage | null> {
  const after = request.cursor === undefined ? undefined : decodeCursor(request.cursor);
  if (after === null) return null;
  const filter = {
    ...(request.tenantId && { tenantId: request.tenantId }),
    ...(request.status && { status: request.status }),
  };
  const direction = request.order === 'newest' ? -1 : 1;
  const page = await ports.operations.find(filter, {
    sort: { createdAt: direction, _id: direction },
    limit: request.limit + 1,
    ...(after && { after }),
  });
  const operations = page.slice(0, request.limit);
  const last = operations.at(-1);
  return page.length > request.limit && last ? { operations, nextCursor: encodeCursor(last) } : { operations };
}
