/**
 * One workspace of a migration (workflows §5): admit the item with its call written down, admit the transition on the
 * captured revision, change the price once, mirror, write the outcome, clear. Nothing here is ever repeated for an item
 * that was begun, and whoever finds the record changed by somebody else stops.
 */
import { assert } from '@platform/kernel';
import { writeFenced } from '@platform/durable/record';
import { StoreUnavailableError } from '@platform/mongo';
import type { PreparedCall, ProviderSubscription } from '@platform/payment-provider';
import type { SkipReason } from '@platform/contracts-operator';
import {
  answerItem,
  beginItem,
  failItem,
  itemAlert,
  noticeOf,
  skipItem,
  skipReason,
  stopItem,
  succeedItem,
  transitionOf,
  type MigrationItem,
} from '../domain/migration-item';
import type { MigrationTarget, PlanMigration } from '../domain/migration';
import type { OperationError, ProviderCallRecord } from '../../operations/domain/operation';
import {
  admitTransition,
  holdsTransition,
  mirror,
  type Subscription,
  type SubscriptionPatch,
} from '../../mirror/domain/subscription';
import { clearItemTransition } from './clear-item-transition';
import type { MigrationPorts } from './ports';
import { readStore } from './read-store';

export type ItemEnd =
  | 'succeeded'
  | 'failed'
  | 'skipped'
  | 'reconciliation_required'
  /** Not begun: this process ends in order. */
  | 'not_begun'
  /** Somebody else wrote this item: this executor knows nothing any more and must do nothing more. */
  | 'stale'
  /** The store did not answer for so long that nothing can be written down. */
  | 'store_unavailable';

type Running = PlanMigration & { readonly target: MigrationTarget };
type Call = { readonly record: ProviderCallRecord; readonly prepared: PreparedCall<ProviderSubscription> | null };

/** Brings one item to its outcome. The job has admitted it: its ordinal is within `admittedThrough`. */
export async function migrateItem(
  ports: MigrationPorts,
  migration: PlanMigration,
  item: MigrationItem,
): Promise<ItemEnd> {
  assert(migration.target, `migration ${migration._id} runs without a target`);
  const job: Running = { ...migration, target: migration.target };
  const read = await readStore(ports.retryPolicy, () => ports.subscriptions.findById(item.tenantId));
  if (read === 'unavailable') return 'store_unavailable';
  const subscription = read.value;
  const reason = skipReason(item, subscription, job.target);
  if (reason || !subscription) return skip(ports, item, reason ?? 'workspace_gone');
  const call = prepare(ports, job, item, subscription);
  if (call.prepared) await ports.governor.acquire();
  if (ports.stopping()) return 'not_begun';
  const begun = await writeFenced(
    ports.items,
    item,
    beginItem(
      item,
      ports.executor,
      { ...call.record, ...(call.prepared && { sentAt: ports.clock.now() }) },
      ports.clock.now(),
    ),
    [],
    ports.retryPolicy,
  );
  if (begun.kind !== 'written') return begun.kind === 'lost' ? 'stale' : 'store_unavailable';
  return takeTransition(ports, job, begun.record, subscription, call);
}

function prepare(
  { provider }: MigrationPorts,
  { _id: operationId, target }: Running,
  { tenantId }: MigrationItem,
  { provider: { subscriptionId, itemId } }: Subscription,
): Call {
  if (target.priceId === undefined)
    return {
      record: { step: 'change_plan', skipped: 'both plans are free: there is nothing at the provider' },
      prepared: null,
    };
  assert(subscriptionId && itemId, `workspace ${tenantId} has no subscription at the provider`);
  const intent = { operationId, step: 'change_plan', idempotencyKey: `${operationId}:${tenantId}:plan` };
  const prepared = provider.changePrice(intent, { subscriptionId, itemId, priceId: target.priceId });
  return { record: { ...prepared.description }, prepared };
}

async function skip(ports: MigrationPorts, item: MigrationItem, reason: SkipReason): Promise<ItemEnd> {
  const written = await writeFenced(
    ports.items,
    item,
    skipItem(item, reason, ports.clock.now()),
    [],
    ports.retryPolicy,
  );
  return written.kind === 'written' ? 'skipped' : written.kind === 'lost' ? 'stale' : 'store_unavailable';
}

async function takeTransition(
  ports: MigrationPorts,
  job: Running,
  item: MigrationItem,
  subscription: Subscription,
  call: Call,
): Promise<ItemEnd> {
  const next = admitTransition(subscription, transitionOf(item, job), {});
  const taken = await writeFenced(ports.subscriptions, subscription, next, [], ports.retryPolicy);
  if (taken.kind === 'unknown') return 'store_unavailable';
  // A record that changed since capture is never migrated, whatever it became.
  if (taken.kind === 'lost')
    return skip(ports, item, skipReason(item, taken.record, job.target) ?? 'subscription_changed');
  return send(ports, job, item, call);
}

async function send(ports: MigrationPorts, job: Running, item: MigrationItem, { prepared }: Call): Promise<ItemEnd> {
  if (!prepared) return complete(ports, job, item, item, { planId: job.target.planId });
  const answer = await prepared.send();
  const answered = answerItem(item, { ...answer.evidence, outcome: answer.outcome });
  ports.governor.answered(answer.outcome !== 'failed' || answer.code !== 'provider_unavailable');
  if (answer.outcome === 'unknown')
    return stop(ports, item, answered, { code: 'outcome_unknown', message: answer.reason });
  if (answer.outcome === 'failed')
    return fail(ports, job, item, answered, {
      code: answer.code,
      message: answer.message,
      ...(answer.detail && { detail: answer.detail }),
    });
  const { currentPeriodEnd } = answer.value;
  return complete(ports, job, item, answered, {
    planId: job.target.planId,
    ...(currentPeriodEnd && { currentPeriodEnd }),
  });
}

/** Mirror, outcome, clear; in that order. `item` is the record as stored, `answered` the same with what was learnt since. */
async function complete(
  ports: MigrationPorts,
  job: Running,
  item: MigrationItem,
  answered: MigrationItem,
  patch: SubscriptionPatch,
): Promise<ItemEnd> {
  const mirrored = await writeMirror(ports, item, patch);
  if (!mirrored)
    return stop(ports, item, answered, {
      code: 'outcome_unknown',
      message: 'The change was made, but the mirror could not be written.',
    });
  const now = ports.clock.now();
  const notice = noticeOf(item, job, mirrored.workspaceName, now);
  const written = await writeFenced(ports.items, item, succeedItem(answered, now), [notice], ports.retryPolicy);
  if (written.kind !== 'written') return written.kind === 'lost' ? 'stale' : 'store_unavailable';
  ports.publishItemNow(item._id, [notice]);
  await clearItemTransition(ports, written.record, job.target.planId);
  return 'succeeded';
}

/** Only while the item's transition stands; null when it does not, or the store does not answer. */
async function writeMirror(
  ports: MigrationPorts,
  item: MigrationItem,
  patch: SubscriptionPatch,
): Promise<Subscription | null> {
  for (let attempt = 1; attempt <= ports.retryPolicy.tries; attempt += 1) {
    if (attempt > 1) await ports.retryPolicy.pause(attempt - 1);
    try {
      const subscription = await ports.subscriptions.findById(item.tenantId);
      if (!subscription || !holdsTransition(subscription, item._id)) return null;
      const written = await ports.subscriptions.mutate(subscription, mirror(subscription, patch));
      if (written.outcome === 'applied') return written.record;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
  }
  return null;
}

/** Proven: nothing was changed. */
async function fail(
  ports: MigrationPorts,
  job: Running,
  item: MigrationItem,
  answered: MigrationItem,
  error: OperationError,
): Promise<ItemEnd> {
  const written = await writeFenced(
    ports.items,
    item,
    failItem(answered, error, ports.clock.now()),
    [],
    ports.retryPolicy,
  );
  if (written.kind !== 'written') return written.kind === 'lost' ? 'stale' : 'store_unavailable';
  await clearItemTransition(ports, written.record, job.target.planId);
  return 'failed';
}

/** Law 3: not known. The transition stays, people are alerted, the job goes on with the next workspace. */
async function stop(
  ports: MigrationPorts,
  item: MigrationItem,
  answered: MigrationItem,
  error: OperationError,
): Promise<ItemEnd> {
  const now = ports.clock.now();
  const alert = itemAlert(item, ports.executor.service, error.message, now);
  const written = await writeFenced(ports.items, item, stopItem(answered, error, now), [alert], ports.retryPolicy);
  if (written.kind !== 'written') return written.kind === 'lost' ? 'stale' : 'store_unavailable';
  ports.publishItemNow(item._id, [alert]);
  return 'reconciliation_required';
}
