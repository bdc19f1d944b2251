/**
 * Handles the report that a part of a deletion is durable with its owner: the deliveries of the workspace are skipped,
 * or every deletion listener has succeeded. The second of the two ends the operation. A fenced write records a report,
 * so a redelivered one only closes its outbox row.
 */
import { writeFenced } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { lifecycleMessageIds } from '@platform/contracts-lifecycle-delivery';
import { deletionMessageIds } from '@platform/contracts-provisioning';
import { holdsTransition } from '../../mirror/domain/subscription';
import { deletionIsComplete, noteDeletionPart, type DeletionPart } from '../domain/journal';
import { operationSteps, type AwaitingReceiptsOperation, type Operation } from '../domain/operation';
import { completeOperation } from './complete-operation';
import { clearAfterJournal } from './journal-outcome';
import { operationKey } from './operation-key';
import type { OperatorPorts } from './ports';
import type { Settlement } from './settle-operation';

export interface DeletionReport {
  readonly operationId: string;
  readonly tenantId: string;
  readonly part: DeletionPart;
  readonly at: Date;
}

/** Records a report in its operation. Throws StoreUnavailableError when nothing could be read. */
export async function settleDeletion(ports: OperatorPorts, report: DeletionReport): Promise<Settlement> {
  const operation = await ports.operations.findById(report.operationId);
  if (!operation || operation.tenantId !== report.tenantId || operation.action !== 'delete_workspace')
    return 'not_ours';
  if (operation.status === 'awaiting_receipts' && !(await held(ports, operation, report))) return 'again';
  if (operation.status === 'succeeded' || operation.status === 'failed') await clearAfterJournal(ports, operation);
  await ports.operations.outbox.confirm(operation._id, messageIdOf(report));
  return 'recorded';
}

function messageIdOf({ part, operationId, tenantId }: DeletionReport): string {
  return part === 'listenersCalledAt'
    ? deletionMessageIds.requested(operationId)
    : lifecycleMessageIds.tenantDeleted(tenantId);
}

/** Handles one report of an operation at a time in this process, because the store could not tell its drafts apart. */
async function held(
  ports: OperatorPorts,
  operation: AwaitingReceiptsOperation,
  report: DeletionReport,
): Promise<boolean> {
  const key = operationKey(operation._id);
  if (ports.work.find(key)) return false;
  return ports.work.run(key, ({ retryPolicy }) => advance({ ...ports, retryPolicy }, operation, report));
}

/** True when the record contains the report, whatever happened to the operation after that. */
async function advance(
  ports: OperatorPorts,
  operation: AwaitingReceiptsOperation,
  { part, at }: DeletionReport,
): Promise<boolean> {
  const noted = noteDeletionPart(operation, part, at);
  if (deletionIsComplete(noted)) return complete(ports, operation, noted);
  const next = operationSteps.keep<AwaitingReceiptsOperation>(noted, {});
  const written = await writeFenced<Operation, Checked<Operation>>(
    ports.operations,
    operation,
    next,
    [],
    ports.retryPolicy,
  );
  return written.kind === 'written';
}

async function complete(
  ports: OperatorPorts,
  stored: AwaitingReceiptsOperation,
  working: AwaitingReceiptsOperation,
): Promise<boolean> {
  const subscription = await ports.subscriptions.findById(stored.tenantId);
  if (!subscription || !holdsTransition(subscription, stored._id)) {
    ports.log.error(
      { operationId: stored._id },
      'both parts of the deletion are durable, but this operation does not hold the subscription; left for investigation',
    );
    return true;
  }
  const answer = await completeOperation(ports, { stored, working }, subscription);
  return answer.kind === 'succeeded';
}
