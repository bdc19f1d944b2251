/**
 * One workspace of a migration's list: captured once, begun at most once, ended in exactly one outcome. Its record is
 * the journal of what was sent to the provider on its behalf.
 */
import { alertEntry, type Executor, type OutboxEntry, type Revisioned } from '@platform/kernel';
import type { ProviderCallRecord } from '@platform/durable/journal';
import { defineSteps, type Checked, type Facts } from '@platform/durable/steps';
import {
  migrationSubjects,
  migrationTypes,
  migrationMessageIds,
  type PersonReason,
  type SkipReason,
  type WorkspaceMigrated,
} from '@platform/contracts-operator';
import type { OperationError, Resolution } from '../../operations/domain/operation';
import type { MigrationTarget, PlanMigration } from './migration';
import type { Subscription, SubscriptionTransition } from '../../mirror/domain/subscription';

interface ItemBase extends Revisioned {
  readonly migrationId: string;
  readonly tenantId: string;
  /** Place in the list, from 1. */
  readonly ordinal: number;
  /** The revision at capture; the change is made only while the subscription still has it. */
  readonly subscriptionRevision: string;
  readonly providerCalls: readonly ProviderCallRecord[];
  readonly resolution?: Resolution;
  readonly outbox?: readonly OutboxEntry[];
}

interface BegunItem extends ItemBase {
  readonly executor: Executor;
  readonly startedAt: Date;
}

export interface PendingItem extends ItemBase {
  readonly status: 'pending';
}
export interface RunningItem extends BegunItem {
  readonly status: 'running';
}
export interface SucceededItem extends BegunItem {
  readonly status: 'succeeded';
  readonly finishedAt: Date;
}
export interface FailedItem extends BegunItem {
  readonly status: 'failed';
  readonly finishedAt: Date;
  readonly error: OperationError;
}
/** Has no executor when the item was never begun. */
export interface SkippedItem extends ItemBase {
  readonly status: 'skipped';
  readonly executor?: Executor;
  readonly startedAt?: Date;
  readonly finishedAt: Date;
  readonly reason: SkipReason;
}
export interface StoppedItem extends BegunItem {
  readonly status: 'reconciliation_required';
  readonly finishedAt: Date;
  readonly error: OperationError;
}

export type MigrationItem = PendingItem | RunningItem | SucceededItem | FailedItem | SkippedItem | StoppedItem;

/** As views read it. */
export type ItemFacts = Facts<MigrationItem>;

const begun = { executor: true, startedAt: true } as const;

export const migrationItemSteps = defineSteps<MigrationItem>()({
  name: 'migration item',
  field: 'status',
  begins: ['pending'],
  table: {
    pending: { to: ['running', 'skipped'] },
    running: {
      to: ['succeeded', 'failed', 'skipped', 'reconciliation_required'],
      byResolution: ['succeeded', 'failed'],
    },
    succeeded: { to: [] },
    failed: { to: [] },
    skipped: { to: [] },
    reconciliation_required: { to: [], byResolution: ['succeeded', 'failed'] },
  },
  own: {
    pending: {},
    running: begun,
    succeeded: { ...begun, finishedAt: true },
    failed: { ...begun, finishedAt: true, error: true },
    skipped: { ...begun, finishedAt: true, reason: true },
    reconciliation_required: { ...begun, finishedAt: true, error: true },
  },
});

export function itemId(migrationId: string, tenantId: string): string {
  return `${migrationId}:${tenantId}`;
}

export function newItem(
  migrationId: string,
  ordinal: number,
  { _id: tenantId, revision }: Pick<Subscription, '_id' | 'revision'>,
): Checked<PendingItem> {
  return migrationItemSteps.begin<PendingItem>({
    _id: itemId(migrationId, tenantId),
    migrationId,
    tenantId,
    ordinal,
    status: 'pending',
    subscriptionRevision: revision,
    providerCalls: [],
  });
}

/**
 * Why a person must act before this workspace's plan can change, if so; the dry run names these workspaces and the
 * execution skips them.
 */
export function personReason(
  subscription: Subscription,
  target: Pick<MigrationTarget, 'priceId'>,
): PersonReason | null {
  const { deletion, transition, status, cancelsAt, pendingPlan, provider } = subscription;
  if (deletion) return 'deletion_started';
  if (transition) return 'transition_pending';
  if (status === 'cancelled' || status === 'pending_payment') return 'subscription_ended';
  if (status === 'past_due') return 'past_due';
  if (status === 'suspended') return 'suspended';
  // A dearer plan is charged at once, and no customer is charged for what ends.
  if (cancelsAt) return 'subscription_ending';
  if (pendingPlan) return 'schedule_exists';
  // Between two free plans there is nothing at the provider; between a free and a paid plan a person must create or end
  // a subscription.
  if (target.priceId === undefined)
    return provider.subscriptionId === undefined ? null : 'provider_subscription_exists';
  return provider.subscriptionId !== undefined && provider.itemId !== undefined ? null : 'no_provider_subscription';
}

/** Why the item is skipped at present; null when its change may be made. */
export function skipReason(
  item: Pick<MigrationItem, 'subscriptionRevision' | '_id'>,
  subscription: Subscription | null,
  target: Pick<MigrationTarget, 'priceId'>,
): SkipReason | null {
  if (!subscription) return 'workspace_gone';
  if (subscription.deletion) return 'deletion_started';
  if (subscription.transition && subscription.transition.operationId !== item._id) return 'transition_pending';
  if (subscription.revision !== item.subscriptionRevision) return 'subscription_changed';
  return personReason(subscription, target);
}

export function transitionOf(
  item: Pick<MigrationItem, '_id'>,
  { targetPlanId, createdAt }: Pick<PlanMigration, 'targetPlanId' | 'createdAt'>,
): SubscriptionTransition {
  return { operationId: item._id, kind: 'change_plan', targetPlanId, requestedAt: createdAt };
}

/** Admits the one executor; `call` is the call that it will send, recorded before it is sent (law 1). */
export function beginItem(
  item: PendingItem,
  executor: Executor,
  call: ProviderCallRecord,
  now: Date,
): Checked<RunningItem> {
  return migrationItemSteps.move(item, 'running', { executor, startedAt: now, providerCalls: [call] });
}

export function skipItem(item: PendingItem | RunningItem, reason: SkipReason, now: Date): Checked<SkippedItem> {
  // Marks a recorded call that will not be sent.
  const providerCalls = item.providerCalls.map(({ sentAt: _never, ...call }) => ({ ...call, skipped: reason }));
  return migrationItemSteps.move(item, 'skipped', { reason, providerCalls, finishedAt: now });
}

export function succeedItem(item: RunningItem, now: Date): Checked<SucceededItem> {
  return migrationItemSteps.move(item, 'succeeded', { finishedAt: now });
}

export function failItem(item: RunningItem, error: OperationError, now: Date): Checked<FailedItem> {
  return migrationItemSteps.move(item, 'failed', { error, finishedAt: now });
}

export function stopItem(item: RunningItem, error: OperationError, now: Date): Checked<StoppedItem> {
  return migrationItemSteps.move(item, 'reconciliation_required', { error, finishedAt: now });
}

export type UnresolvedItem = RunningItem | StoppedItem;

export function isUnresolvedItem(item: MigrationItem): item is UnresolvedItem {
  return isUnresolvedStatus(item.status);
}

export function isUnresolvedStatus(status: MigrationItem['status']): boolean {
  return status === 'running' || status === 'reconciliation_required';
}

/** The recorded end of an investigation. Only a person with both proofs takes this step. */
export function resolveItem(
  item: UnresolvedItem,
  resolution: Resolution,
): Checked<SucceededItem> | Checked<FailedItem> {
  const finishedAt = item.status === 'running' ? resolution.at : item.finishedAt;
  if (resolution.outcome === 'applied')
    return migrationItemSteps.resolve(item, 'succeeded', { resolution, finishedAt });
  return migrationItemSteps.resolve(item, 'failed', {
    resolution,
    finishedAt,
    error: {
      code: 'resolved_not_applied',
      message: `An investigation by ${resolution.by} established that nothing was applied.`,
    },
  });
}

export function itemAlert(
  item: Pick<MigrationItem, '_id' | 'tenantId'>,
  service: string,
  reason: string,
  at: Date,
): OutboxEntry {
  return alertEntry({ service, kind: 'migration_item', id: item._id, tenantId: item.tenantId, reason, at }, '1');
}

/**
 * The notice for the workspace's people; the broker's acknowledgement ends it, and no consumer's receipt is awaited.
 */
export function noticeOf(item: MigrationItem, migration: PlanMigration, workspaceName: string, now: Date): OutboxEntry {
  const body: WorkspaceMigrated = {
    migrationId: migration._id,
    tenantId: item.tenantId,
    workspaceName,
    fromPlanId: migration.fromPlanId,
    toPlanId: migration.targetPlanId,
    audience: migration.notifyMembers ? 'members' : 'owner',
    at: now.toISOString(),
  };
  return {
    id: migrationMessageIds.migrated(item._id),
    subject: migrationSubjects.migrated,
    type: migrationTypes.migrated,
    body,
    closesOn: 'publish_ack',
    createdAt: now,
  };
}
