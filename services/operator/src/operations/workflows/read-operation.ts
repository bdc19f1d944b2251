/** Reads of the journal: one operation with the state of its executors, and lists by index with stable cursors. */
import type { OperationStatus } from '@platform/contracts-operator';
import { decodeCursor, encodeCursor, type RevisionedCollection } from '@platform/mongo';
import type { Operation } from '../domain/operation';

export type ExecutorState = 'live' | 'stopped' | 'superseded' | 'unknown';

/** By incarnation. */
export type AttemptExecutorStates = Readonly<Record<string, ExecutorState>>;

export interface ReadPorts {
  readonly operations: RevisionedCollection<Operation>;
  readonly executorState: (incarnation: string) => Promise<ExecutorState>;
}

/** The operation if it belongs to this workspace, with what is known of its executors. */
export async function readOperation(
  ports: ReadPorts,
  tenantId: string,
  operationId: string,
): Promise<{ operation: Operation; executors: AttemptExecutorStates } | null> {
  const operation = await ports.operations.findById(operationId);
  if (operation?.tenantId !== tenantId) return null;
  return { operation, executors: await executorStates(ports, [operation]) };
}

/** States of the executors of unfinished attempts; finished ones need none. */
export async function executorStates(
  ports: ReadPorts,
  operations: readonly Operation[],
): Promise<AttemptExecutorStates> {
  const open = operations.filter(({ status }) => status === 'running' || status === 'reconciliation_required');
  const incarnations = new Set(open.flatMap(({ attempts }) => attempts.map(({ executor }) => executor.incarnation)));
  return Object.fromEntries(
    await Promise.all(
      [...incarnations].map(async (incarnation) => [incarnation, await ports.executorState(incarnation)] as const),
    ),
  );
}

export interface ListRequest {
  readonly tenantId?: string;
  readonly status?: OperationStatus;
  readonly cursor?: string;
  readonly limit: number;
}

export interface OperationPage {
  readonly operations: readonly Operation[];
  readonly nextCursor?: string;
}

/** Oldest first. Returns null for a cursor that this list did not give out. */
export async function listOperations(ports: ReadPorts, request: ListRequest): Promise<OperationPage | null> {
  const after = request.cursor === undefined ? undefined : decodeCursor(request.cursor);
  if (after === null) return null;
  const filter = {
    ...(request.tenantId && { tenantId: request.tenantId }),
    ...(request.status && { status: request.status }),
  };
  const page = await ports.operations.find(filter, {
    sort: { createdAt: 1, _id: 1 },
    limit: request.limit + 1,
    ...(after && { after }),
  });
  const operations = page.slice(0, request.limit);
  const last = operations.at(-1);
  return page.length > request.limit && last ? { operations, nextCursor: encodeCursor(last) } : { operations };
}
