/**
 * Handles the settlement: every required receipt is durable or waived. A fenced write admits it, so a redelivered
 * message only closes the outbox row.
 */
import type { SettledMessage } from '@platform/contracts-lifecycle-delivery';
import { lifecycleMessageIds } from '@platform/contracts-lifecycle-delivery';
import { writeFenced } from '@platform/durable/record';
import { actionOf } from '../domain/actions';
import { admitAttempt, noteSettlement } from '../domain/journal';
import type { AwaitingReceiptsOperation, RunningOperation } from '../domain/operation';
import { holdsTransition } from '../../mirror/domain/subscription';
import { completeOperation } from './complete-operation';
import { clearAfterJournal } from './journal-outcome';
import { operationKey } from './operation-key';
import type { OperatorPorts } from './ports';
import { finishAfterReceipts } from './perform-attempt';

export type Settlement =
  /** The settlement is in the record; `ended` tells whether the operation reached a final status by it. */
  | 'recorded'
  | 'not_ours'
  /** The store did not answer or another writer was faster: deliver the message again. */
  | 'again';

/** Records a settlement in its operation. Throws StoreUnavailableError when nothing could be read. */
export async function settleOperation(ports: OperatorPorts, settled: SettledMessage): Promise<Settlement> {
  const operation = await ports.operations.findById(settled.operationId);
  if (!operation) return 'not_ours';
  if (operation.status === 'awaiting_receipts') {
    const advanced = await advance(ports, operation, settled);
    if (!advanced) return 'again';
  }
  if (operation.status === 'succeeded' || operation.status === 'failed') await clearAfterJournal(ports, operation);
  ports.log.info(
    { operationId: operation._id, receipts: settled.receipts.map(({ consumer }) => consumer) },
    'every required receipt is in',
  );
  await ports.operations.outbox.confirm(operation._id, lifecycleMessageIds.message(operation._id));
  return 'recorded';
}

/**
 * True when the settlement is in the record, whatever happened to the operation after that. A process handles one
 * settlement of an operation at a time, because the store could not tell its drafts apart.
 */
async function advance(
  ports: OperatorPorts,
  operation: AwaitingReceiptsOperation,
  settled: SettledMessage,
): Promise<boolean> {
  const key = operationKey(operation._id);
  if (ports.work.find(key)) return false;
  return ports.work.run(key, ({ retryPolicy }) => advanceAlone({ ...ports, retryPolicy }, operation, settled));
}

async function advanceAlone(
  ports: OperatorPorts,
  operation: AwaitingReceiptsOperation,
  settled: SettledMessage,
): Promise<boolean> {
  const action = actionOf(operation.action);
  const subscription = await ports.subscriptions.findById(operation.tenantId);
  if (!subscription || !holdsTransition(subscription, operation._id)) {
    ports.log.error(
      { operationId: operation._id },
      'settled, but this operation does not hold the subscription; left for investigation',
    );
    return true;
  }
  const noted = noteSettlement(operation, settled);
  if (!action.effectsAfterReceipts) {
    const answer = await completeOperation(ports, { stored: operation, working: noted }, subscription);
    return answer.kind === 'succeeded';
  }
  const next = admitAttempt(noted, ports.executor, ports.clock.now());
  const admitted = await writeFenced(ports.operations, operation, next, [], ports.retryPolicy);
  if (admitted.kind !== 'written') return false;
  await finishAfterReceipts(ports, action, admitted.record as RunningOperation, subscription);
  return true;
}
