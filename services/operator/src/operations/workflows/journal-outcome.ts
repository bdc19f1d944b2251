/**
 * The end of an attempt: the journal first, then the subscription's transition (law 6). If the clearing write is lost,
 * the next identical request or the start-up sweep finishes it; nothing of the outcome depends on it.
 */
import { alertEntry, type OutboxEntry } from '@platform/kernel';
import { writeFenced, type Written } from '@platform/durable/record';
import { StoreUnavailableError } from '@platform/mongo';
import { actionOf } from '../domain/actions';
import { fail, stop, succeed } from '../domain/journal';
import type {
  AwaitingReceiptsOperation,
  FailedOperation,
  Operation,
  OperationError,
  RunningOperation,
  SucceededOperation,
} from '../domain/operation';
import {
  clearTransition,
  leftTransition,
  type Subscription,
  type SubscriptionPatch,
} from '../../mirror/domain/subscription';
import { requestRefresh } from '../../mirror/workflows/refresh-mirrors';
import { answerOf, type OperationAnswer } from './operation-answer';
import type { OperatorPorts } from './ports';

/** Journals success with what it announces, then clears. `current` is the record as stored, `operation` the same with what was learnt since. */
export async function journalSuccess(
  ports: OperatorPorts,
  current: Operation,
  operation: RunningOperation | AwaitingReceiptsOperation,
  result: Readonly<Record<string, unknown>>,
  effectiveAt: Date,
  announce: readonly OutboxEntry[] = [],
): Promise<OperationAnswer> {
  const written = await writeFenced(
    ports.operations,
    current,
    succeed(operation, result, effectiveAt, ports.clock.now()),
    announce,
    ports.retryPolicy,
  );
  if (written.kind === 'written' && announce.length > 0) ports.publishNow(operation._id, announce);
  return concluded(ports, written);
}

/** Journals a proven failure, then clears; the same id may be retried inside the window. */
export async function journalFailure(
  ports: OperatorPorts,
  current: Operation,
  operation: RunningOperation,
  error: OperationError,
): Promise<OperationAnswer> {
  const written = await writeFenced(
    ports.operations,
    current,
    fail(operation, error, ports.clock.now()),
    [],
    ports.retryPolicy,
  );
  return concluded(ports, written);
}

/** Journals that the outcome is not known and alerts people; the transition stays (law 3). */
export async function journalStop(
  ports: OperatorPorts,
  current: Operation,
  operation: RunningOperation,
  error: OperationError,
): Promise<OperationAnswer> {
  const at = ports.clock.now();
  const attempt = operation.attempts.length;
  const alert = alertEntry(
    {
      service: ports.executor.service,
      kind: 'operation',
      id: operation._id,
      tenantId: operation.tenantId,
      reason: error.message,
      at,
    },
    String(attempt),
  );
  const written = await writeFenced(ports.operations, current, stop(operation, error, at), [alert], ports.retryPolicy);
  if (written.kind === 'written') ports.publishNow(operation._id, [alert]);
  return concluded(ports, written);
}

/**
 * A lost race: somebody else wrote this record, so this executor does nothing more and says what stands. When that is the
 * end of the operation, no transition of it is left behind, this executor's own included.
 */
export async function lost(ports: ClearingPorts, record: Operation | null): Promise<OperationAnswer> {
  if (!record) return { kind: 'store_unavailable', detail: 'The record of this operation has disappeared.' };
  if (record.status === 'succeeded' || record.status === 'failed') await clearAfterJournal(ports, record);
  return answerOf(record);
}

async function concluded(ports: OperatorPorts, written: Written<Operation>): Promise<OperationAnswer> {
  if (written.kind === 'unknown') {
    return {
      kind: 'store_unavailable',
      detail: `The outcome could not be written down (${written.reason}). Read the operation before anything else; do not choose a new id.`,
    };
  }
  if (!written.record) return { kind: 'store_unavailable', detail: 'The record of this operation has disappeared.' };
  const operation = written.record;
  if (operation.status === 'succeeded' || operation.status === 'failed') await clearAfterJournal(ports, operation);
  if (written.kind === 'written') ports.meter.operationReached(operation.action, operation.status);
  ports.notifier.notify(operation);
  return answerOf(operation);
}

const clearingRaces = 8;

/** What the clearing write changes. After a resolution there are no answers to mirror: a refresh reads the provider. */
function patchOnClearing(
  subscription: Subscription,
  operation: SucceededOperation | FailedOperation,
  now: Date,
): SubscriptionPatch {
  const action = actionOf(operation.action);
  if (operation.status === 'failed') return action.onAbandoned?.(subscription, operation, now) ?? {};
  const decided = operation.resolution ? action.onResolved?.(subscription, operation, now) : undefined;
  return { ...decided, ...action.onCleared?.(subscription, operation, now) };
}

export type ClearingPorts = Pick<OperatorPorts, 'subscriptions' | 'refreshes' | 'clock' | 'log'>;

/**
 * Removes this operation's transition, if it still stands; true when none is left. Giving up is harmless: the outcome is
 * journalled. After a resolution the refresh of the mirror is durable before the transition goes, so that no crash in
 * between leaves a mirror that only the investigation's words are behind.
 */
export async function clearAfterJournal(
  ports: ClearingPorts,
  operation: SucceededOperation | FailedOperation,
): Promise<boolean> {
  if (!actionOf(operation.action).transition) return true;
  try {
    for (let race = 0; race < clearingRaces; race += 1) {
      const subscription = await ports.subscriptions.findById(operation.tenantId);
      if (!subscription || !leftTransition(subscription, operation)) return true;
      if (
        operation.resolution &&
        !(await requestRefresh(ports, operation.tenantId, `resolution:${operation._id}`, 'resolution'))
      )
        break;
      const { outcome } = await ports.subscriptions.mutate(
        subscription,
        clearTransition(subscription, patchOnClearing(subscription, operation, ports.clock.now())),
      );
      if (outcome === 'applied') return true;
      if (outcome === 'unknown') break;
    }
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
  ports.log.warn(
    { operationId: operation._id, tenantId: operation.tenantId },
    'the transition is not cleared yet; the next identical request or the start-up sweep clears it',
  );
  return false;
}
