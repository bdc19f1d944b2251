/**
 * The end of an attempt: the journal first, then the subscription's transition (law 6). If the clearing write is lost,
 * the next identical request or the start-up sweep repeats it; the outcome does not depend on it.
 */
import type { OutboxEntry } from '@platform/kernel';
import { stopHeld, writeHeld, type Hold } from '@platform/durable/effects';
import type { Written } from '@platform/durable/record';
import { actionOf } from '../domain/actions';
import { fail, succeed } from '../domain/journal';
import type {
  AwaitingPaymentOperation,
  AwaitingReceiptsOperation,
  FailedOperation,
  Operation,
  OperationError,
  RunningOperation,
  SucceededOperation,
} from '../domain/operation';
import { leftTransition, type Subscription, type SubscriptionPatch } from '../../mirror/domain/subscription';
import { clearLeftTransition } from '../../mirror/workflows/held-transition';
import { mirrorAtOnce } from './mirror-at-once';
import { effectsOf } from './operation-effects';
import { answerOf, type OperationAnswer } from './operation-answer';
import type { OperatorPorts } from './ports';

/** What an executor holds when it ends an attempt. */
type EndingHold = Hold<Operation, RunningOperation | AwaitingReceiptsOperation | AwaitingPaymentOperation>;

export interface Success {
  readonly result: Readonly<Record<string, unknown>>;
  readonly effectiveAt: Date;
  readonly announce?: readonly OutboxEntry[];
  /** The subscription as this executor has just written it: what the clearing changes, unless another was faster. */
  readonly mirrored?: Subscription | undefined;
}

/** Journals success with what it announces, then clears. */
export async function journalSuccess(
  ports: OperatorPorts,
  hold: EndingHold,
  { result, effectiveAt, announce = [], mirrored }: Success,
): Promise<OperationAnswer> {
  const next = succeed(hold.working, result, effectiveAt, ports.clock.now());
  return concluded(ports, await writeHeld(effectsOf(ports), hold, next, announce), mirrored);
}

/** Journals a proven failure, then clears; the same id may be retried inside the window. */
export async function journalFailure(
  ports: OperatorPorts,
  hold: Hold<Operation, RunningOperation | AwaitingPaymentOperation>,
  error: OperationError,
): Promise<OperationAnswer> {
  return concluded(ports, await writeHeld(effectsOf(ports), hold, fail(hold.working, error, ports.clock.now())));
}

/** Journals that the outcome is not known and alerts people; the transition stays (law 3). */
export async function journalStop(
  ports: OperatorPorts,
  hold: Hold<Operation, RunningOperation | AwaitingPaymentOperation>,
  error: OperationError,
): Promise<OperationAnswer> {
  return concluded(ports, await stopHeld(effectsOf(ports), hold, error));
}

export type ClearingPorts = Pick<OperatorPorts, 'subscriptions' | 'refreshes' | 'retryPolicy' | 'clock' | 'log'>;

/**
 * A lost race: another writer changed this record, so this executor stops and returns what the record holds. When the
 * record shows the end of the operation, its transition is cleared, even one that this executor took.
 */
export async function lost(ports: ClearingPorts, record: Operation | null): Promise<OperationAnswer> {
  if (!record) return { kind: 'store_unavailable', detail: 'The record of this operation has disappeared.' };
  if (record.status === 'succeeded' || record.status === 'failed') await clearAfterJournal(ports, record);
  return answerOf(record);
}

/** What follows the write that ends an attempt: the transition is cleared, and waiting callers are notified. */
export async function concluded(
  ports: OperatorPorts,
  written: Written<Operation>,
  mirrored?: Subscription,
): Promise<OperationAnswer> {
  if (written.kind === 'unknown') {
    return {
      kind: 'store_unavailable',
      detail: `The outcome could not be recorded (${written.reason}). Read the operation before anything else; do not choose a new id.`,
    };
  }
  if (!written.record) return { kind: 'store_unavailable', detail: 'The record of this operation has disappeared.' };
  const operation = written.record;
  if (operation.status === 'succeeded' || operation.status === 'failed')
    await clearAfterJournal(ports, operation, mirrored);
  if (operation.status === 'failed' && operation.error.code === 'partial_effect') await mirrorAtOnce(ports, operation);
  if (written.kind === 'written') ports.meter.operationReached(operation.action, operation.status);
  ports.notifier.notify(operation);
  return answerOf(operation);
}

/** What the clearing write changes. After a resolution there are no answers to mirror: a refresh reads the provider. */
export function patchOnClearing(
  subscription: Subscription,
  operation: SucceededOperation | FailedOperation,
  now: Date,
): SubscriptionPatch {
  const action = actionOf(operation.action);
  if (operation.status === 'failed') return action.onAbandoned?.(subscription, operation, now) ?? {};
  const decided = operation.resolution ? action.onResolved?.(subscription, operation, now) : undefined;
  return { ...decided, ...action.onCleared?.(subscription, operation, now) };
}

/** The refresh of the mirror that an end requests: after an investigation, and after a partial effect. */
function refreshAfter({ _id, resolution, ...operation }: SucceededOperation | FailedOperation) {
  if (resolution) return { eventId: `resolution:${_id}`, reason: 'resolution' } as const;
  return operation.status === 'failed' && operation.error.code === 'partial_effect'
    ? ({ eventId: `operation:${_id}`, reason: 'operation' } as const)
    : undefined;
}

/**
 * Removes this operation's transition; true when none is left. A failure is harmless, because the outcome is
 * journalled. `holding` saves the first reading when the caller has just written the subscription.
 */
export async function clearAfterJournal(
  ports: ClearingPorts,
  operation: SucceededOperation | FailedOperation,
  holding?: Subscription,
): Promise<boolean> {
  const cleared =
    !actionOf(operation.action).transition ||
    (await clearLeftTransition(
      ports,
      { tenantId: operation.tenantId, read: holding },
      (subscription) => leftTransition(subscription, operation),
      (subscription) => patchOnClearing(subscription, operation, ports.clock.now()),
      refreshAfter(operation),
    ));
  if (!cleared)
    ports.log.warn(
      { operationId: operation._id, tenantId: operation.tenantId },
      'the transition is not cleared yet; the next identical request or the start-up sweep clears it',
    );
  return cleared;
}
