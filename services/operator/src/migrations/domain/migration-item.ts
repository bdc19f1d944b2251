/**
 * One workspace of a migration's list: captured once, begun at most once, ended in exactly one outcome. Its record is the
 * journal of what was sent to the provider on its behalf.
 */
import {
  alertEntry,
  assert,
  assertStep,
  type Executor,
  type OutboxEntry,
  type Revisioned,
  type StatusSteps,
} from '@platform/kernel';
import {
  migrationSubjects,
  migrationTypes,
  migrationMessageIds,
  type MigrationItemStatus,
  type PersonReason,
  type SkipReason,
  type WorkspaceMigrated,
} from '@platform/contracts-operator';
import type { OperationError, ProviderCallRecord, Resolution } from '../../operations/domain/operation';
import type { MigrationTarget, PlanMigration } from './migration';
import type { Subscription, SubscriptionTransition } from '../../mirror/domain/subscription';

export interface MigrationItem extends Revisioned {
  readonly migrationId: string;
  readonly tenantId: string;
  /** Place in the list, from 1. */
  readonly ordinal: number;
  readonly status: MigrationItemStatus;
  /** The change is made only while the subscription still carries it. */
  readonly subscriptionRevision: string;
  readonly executor?: Executor;
  readonly startedAt?: Date;
  readonly finishedAt?: Date;
  readonly providerCalls: readonly ProviderCallRecord[];
  readonly reason?: SkipReason;
  readonly error?: OperationError;
  readonly resolution?: Resolution;
  readonly outbox?: readonly OutboxEntry[];
}

export const migrationItemSteps: StatusSteps<MigrationItemStatus> = {
  pending: ['running', 'skipped'],
  running: ['succeeded', 'failed', 'skipped', 'reconciliation_required'],
  succeeded: [],
  failed: [],
  skipped: [],
  reconciliation_required: [],
};

type Unstamped = Omit<MigrationItem, 'revision' | 'createdAt' | 'updatedAt' | 'outbox'>;

export function itemId(migrationId: string, tenantId: string): string {
  return `${migrationId}:${tenantId}`;
}

export function newItem(
  migrationId: string,
  ordinal: number,
  { _id: tenantId, revision }: Pick<Subscription, '_id' | 'revision'>,
): Unstamped {
  return {
    _id: itemId(migrationId, tenantId),
    migrationId,
    tenantId,
    ordinal,
    status: 'pending',
    subscriptionRevision: revision,
    providerCalls: [],
  };
}

/** Why this workspace needs a person before its plan can change, if it does; what the dry run names, the execution skips. */
export function personReason(
  subscription: Subscription,
  target: Pick<MigrationTarget, 'priceId'>,
): PersonReason | null {
  const { deletion, transition, status, pendingPlan, provider } = subscription;
  if (deletion) return 'deletion_started';
  if (transition) return 'transition_pending';
  if (status === 'cancelled' || status === 'pending_payment') return 'subscription_ended';
  if (status === 'past_due') return 'past_due';
  if (status === 'suspended') return 'suspended';
  if (pendingPlan || provider.scheduleId !== undefined) return 'schedule_exists';
  // Between two free plans nothing is at the provider; between a free and a paid one a person must make or end a subscription.
  if (target.priceId === undefined)
    return provider.subscriptionId === undefined ? null : 'provider_subscription_exists';
  return provider.subscriptionId !== undefined && provider.itemId !== undefined ? null : 'no_provider_subscription';
}

/** Why the item is skipped as things stand; null when its change may be made. */
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

function moved(item: MigrationItem, status: MigrationItemStatus, change: Partial<Unstamped>): Unstamped {
  assertStep(migrationItemSteps, item.status, status, `migration item ${item._id}`);
  const { revision: _revision, createdAt: _created, updatedAt: _updated, outbox: _outbox, ...rest } = item;
  return { ...rest, status, ...change };
}

/** Admits the one executor; `call` is what it will send, written down before anything is (law 1). */
export function beginItem(item: MigrationItem, executor: Executor, call: ProviderCallRecord, now: Date): Unstamped {
  return moved(item, 'running', { executor, startedAt: now, providerCalls: [call] });
}

export function skipItem(item: MigrationItem, reason: SkipReason, now: Date): Unstamped {
  // A call that was written down and is not going to be sent says so.
  const providerCalls = item.providerCalls.map(({ sentAt: _never, ...call }) => ({ ...call, skipped: reason }));
  return moved(item, 'skipped', { reason, providerCalls, finishedAt: now });
}

/** The item with what the answer of its call showed. */
export function answerItem(item: MigrationItem, evidence: Partial<ProviderCallRecord>): MigrationItem {
  const [call, ...more] = item.providerCalls;
  assert(call && more.length === 0, `migration item ${item._id} has ${item.providerCalls.length} calls to answer`);
  return { ...item, providerCalls: [{ ...call, ...evidence }] };
}

export function succeedItem(item: MigrationItem, now: Date): Unstamped {
  return moved(item, 'succeeded', { finishedAt: now });
}

export function failItem(item: MigrationItem, error: OperationError, now: Date): Unstamped {
  return moved(item, 'failed', { error, finishedAt: now });
}

export function stopItem(item: MigrationItem, error: OperationError, now: Date): Unstamped {
  return moved(item, 'reconciliation_required', { error, finishedAt: now });
}

export type UnresolvedItem = MigrationItem & { readonly status: 'running' | 'reconciliation_required' };

export function isUnresolvedItem(item: MigrationItem): item is UnresolvedItem {
  return item.status === 'running' || item.status === 'reconciliation_required';
}

/** The recorded end of an investigation; outside the table of steps, because no running code may take it. */
export function resolveItem(item: UnresolvedItem, resolution: Resolution): Unstamped {
  const {
    revision: _revision,
    createdAt: _created,
    updatedAt: _updated,
    outbox: _outbox,
    error: _error,
    ...rest
  } = item;
  const base = { ...rest, resolution, finishedAt: item.finishedAt ?? resolution.at };
  if (resolution.outcome === 'applied') return { ...base, status: 'succeeded' };
  return {
    ...base,
    status: 'failed',
    error: {
      code: 'resolved_not_applied',
      message: `An investigation by ${resolution.by} established that nothing was applied.`,
    },
  };
}

export function itemAlert(
  item: Pick<MigrationItem, '_id' | 'tenantId'>,
  service: string,
  reason: string,
  at: Date,
): OutboxEntry {
  return alertEntry({ service, kind: 'migration_item', id: item._id, tenantId: item.tenantId, reason, at }, '1');
}

/** The notice for the workspace's people; ended by the broker's acknowledgement, promised to nobody. */
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
