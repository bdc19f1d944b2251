/**
 * Projects an owner's record of an unresolved case to a row of the work queue. Null: the case is resolved, so there is
 * no row. The caller has the catalog and supplies the money at risk.
 */
import type { Money, WebhookEventView, WorkKind, WorkState } from '@platform/contracts-operator';
import type { AttemptView } from '@platform/contracts-provisioning';
import { counted, describeExecutor, isInterrupted, type ExecutorKnowledge } from '@platform/kernel';
import type { MigrationFacts } from '../../migrations/domain/migration';
import type { ItemFacts } from '../../migrations/domain/migration-item';
import type { Operation } from '../../operations/domain/operation';
import { causes } from './cause';
import { named } from './named';
import type { WorkItemFacts } from './work-item';

function runningState(executor: ExecutorKnowledge): WorkState {
  return isInterrupted(executor) ? 'interrupted' : 'running';
}

/**
 * A row that cannot be read as a record: only its location is known. It is listed first, because its age is unknown.
 */
export function projectUnreadable(kind: WorkKind, itemId: string, reason: string): WorkItemFacts {
  return {
    kind,
    itemId,
    tenantId: null,
    state: 'stopped',
    status: 'reconciliation_required',
    title: 'unreadable record',
    reason,
    money: null,
    since: new Date(0),
    ids: named(itemId),
  };
}

const operationStates: Readonly<Record<Operation['status'], (executor: ExecutorKnowledge) => WorkState | null>> = {
  pending: () => 'waiting',
  running: runningState,
  awaiting_receipts: () => 'waiting',
  awaiting_payment: () => 'waiting',
  reconciliation_required: () => 'stopped',
  succeeded: () => null,
  failed: () => null,
};

export function projectOperation(
  operation: Operation,
  executor: ExecutorKnowledge,
  money: Money | null,
): WorkItemFacts | null {
  const state = operationStates[operation.status](executor);
  if (!state) return null;
  const calls = operation.attempts.flatMap(({ providerCalls }) => providerCalls);
  return {
    kind: 'operation',
    itemId: operation._id,
    tenantId: operation.tenantId,
    state,
    status: operation.status,
    title: operation.action,
    ...reasonOf(operation, state, executor),
    ...causes.operation(operation, state),
    money,
    since: operation.createdAt,
    ids: named(
      operation._id,
      operation.tenantId,
      operation.checkout?.sessionId,
      ...Object.values(operation.checkpoint ?? {}),
      ...calls.flatMap(({ objectId, requestId, idempotencyKey }) => [objectId, requestId, idempotencyKey]),
    ),
  };
}

function reasonOf(operation: Operation, state: WorkState, knowledge: ExecutorKnowledge): { reason?: string } {
  if (operation.status === 'reconciliation_required') return { reason: operation.error.message };
  if (state === 'interrupted')
    return { reason: describeExecutor(operation.attempts.at(-1)?.executor.instance ?? 'Its executor', knowledge) };
  if (knowledge.unrecorded)
    return {
      reason: `Its outcome is known and not recorded: the store does not take it since ${knowledge.unrecorded.since}.`,
    };
  if (operation.status === 'pending') return { reason: 'The intent is recorded; no attempt was admitted.' };
  if (operation.status === 'awaiting_payment')
    return { reason: 'Waits until the holder of the card has confirmed the payment.' };
  return operation.status === 'awaiting_receipts' ? { reason: awaited(operation) } : {};
}

function awaited({ checkout, deletion }: Operation): string {
  if (checkout) return 'Waits for the end of its checkout session.';
  if (!deletion) return 'Waits for receipts of lifecycle consumers.';
  return deletion.listenersCalledAt
    ? 'Waits until no delivery of the workspace is left.'
    : 'Waits for the deletion listeners. A deletion that stopped is a case of its own.';
}

const migrationStates: Readonly<Record<MigrationFacts['status'], (executor: ExecutorKnowledge) => WorkState | null>> = {
  pending: () => 'waiting',
  capturing: runningState,
  running: runningState,
  reconciliation_required: () => 'stopped',
  completed: () => null,
  refused: () => null,
};

/**
 * The job as a whole, besides its items: it stays stopped until a person closes it, even when every item is resolved.
 */
export function projectMigration(
  migration: MigrationFacts,
  executor: ExecutorKnowledge,
  money: Money | null,
): WorkItemFacts | null {
  const state = migrationStates[migration.status](executor);
  if (!state) return null;
  const reason = migrationReason(migration, state, executor);
  return {
    kind: 'migration',
    itemId: migration._id,
    tenantId: null,
    state,
    status: migration.status,
    title: `migrate ${migration.fromPlanId} → ${migration.targetPlanId}`,
    ...(reason !== undefined && { reason }),
    cause: causes.migration(migration._id),
    money,
    since: migration.createdAt,
    ids: named(
      migration._id,
      migration.fromPlanId,
      migration.targetPlanId,
      migration.digest,
      migration.captured?.digest,
    ),
  };
}

function migrationReason(
  { status, error, tally, executor }: MigrationFacts,
  state: WorkState,
  knowledge: ExecutorKnowledge,
): string | undefined {
  if (status === 'reconciliation_required')
    return [
      error?.message ?? 'It was stopped.',
      ...(tally.failed > 0
        ? [`The change of ${counted(tally.failed, 'workspace')} failed, without a change of plan.`]
        : []),
    ].join(' ');
  if (state === 'interrupted')
    return `${describeExecutor(executor?.instance ?? 'Its executor', knowledge)} The next start of that instance stops the migration.`;
  return status === 'pending' ? 'The request is recorded; its list is not captured yet.' : undefined;
}

/** Only stopped items: items that have not begun or are under way belong to the running migration. */
export function projectMigrationItem(item: ItemFacts, money: Money | null): WorkItemFacts | null {
  if (item.status !== 'reconciliation_required') return null;
  return {
    kind: 'migration_item',
    itemId: item._id,
    tenantId: item.tenantId,
    state: 'stopped',
    status: item.status,
    title: 'change plan by migration',
    ...(item.error && { reason: item.error.message }),
    cause: causes.migration(item.migrationId),
    money,
    since: item.createdAt,
    ids: named(
      item._id,
      item.migrationId,
      item.tenantId,
      ...item.providerCalls.flatMap(({ objectId, requestId, idempotencyKey }) => [objectId, requestId, idempotencyKey]),
    ),
  };
}

export function projectEvent(event: WebhookEventView, money: Money | null): WorkItemFacts | null {
  if (event.result === 'success' || event.result === 'skipped') return null;
  const { object } = event;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const metadata = (
    typeof object['metadata'] === 'object' && object['metadata'] !== null ? object['metadata'] : {}
  ) as Readonly<Record<string, unknown>>;
  const tenantId = text(metadata['tenantId']) ?? null;
  return {
    kind: 'webhook_event',
    itemId: event.eventId,
    tenantId,
    state: event.result === 'pending' ? 'waiting' : 'stopped',
    status: event.result,
    title: event.type,
    ...(event.errorMessage !== undefined
      ? { reason: event.errorMessage }
      : event.result === 'pending' && { reason: `Waits for the outcome of its owner, ${event.owner ?? 'not known'}.` }),
    cause: causes.event(event),
    money,
    since: new Date(event.receivedAt),
    ids: named(
      event.eventId,
      tenantId,
      text(object['id']),
      text(object['customer']),
      text(object['subscription']),
      text(object['invoice']),
      text(metadata['operationId']),
      text(metadata['provisioningAttempt']),
    ),
  };
}

export function projectAttempt(attempt: AttemptView, money: Money | null): WorkItemFacts | null {
  const states: Readonly<Record<AttemptView['status'], WorkState | null>> = {
    preparing: runningState(attempt.executor),
    // Until the wait for a person is recorded, and while it is taken back, an executor works on it.
    awaiting_payment: attempt.confirmation && !attempt.rollback ? 'waiting' : runningState(attempt.executor),
    committed: null,
    cancelled: null,
    reconciliation_required: 'stopped',
  };
  const state = states[attempt.status];
  if (!state) return null;
  const { handles } = attempt;
  return {
    kind: 'provisioning_attempt',
    itemId: attempt.tenantId,
    tenantId: attempt.tenantId,
    state,
    status: attempt.status,
    title: `create workspace ${attempt.workspaceName}`,
    ...(attempt.lastError
      ? { reason: attempt.lastError.message }
      : state === 'interrupted' && { reason: describeExecutor(attempt.executor.instance, attempt.executor) }),
    ...causes.attempt(attempt, state),
    money,
    since: new Date(attempt.createdAt),
    ids: named(
      attempt.tenantId,
      attempt.userId,
      handles.customerId,
      handles.subscriptionId,
      handles.invoiceId,
      ...attempt.providerCalls.flatMap(({ objectId, requestId, idempotencyKey }) => [
        objectId,
        requestId,
        idempotencyKey,
      ]),
    ),
  };
}
