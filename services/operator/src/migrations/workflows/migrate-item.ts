/**
 * One workspace of a migration (workflows §5): read what the provider sells, admit the item with its call written down,
 * admit the transition on the captured revision, change the price once, mirror, write the outcome, clear. No step is
 * ever repeated for an item that was begun, and an executor that finds the record changed by another writer stops.
 */
import { assert } from '@platform/kernel';
import {
  callRecord,
  sendRecorded,
  stopHeld,
  writeHeld,
  type AnswerPorts,
  type EffectError,
  type Hold,
} from '@platform/durable/effects';
import { answerLast, type ProviderCallRecord } from '@platform/durable/journal';
import { writeFenced, type Written } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import type { PreparedCall, ProviderSubscription } from '@platform/payment-provider';
import type { SkipReason } from '@platform/contracts-operator';
import {
  beginItem,
  failItem,
  noticeOf,
  skipItem,
  skipReason,
  stopItem,
  succeedItem,
  transitionOf,
  type MigrationItem,
  type PendingItem,
  type RunningItem,
} from '../domain/migration-item';
import type { RunningMigration } from '../domain/migration';
import {
  admitTransition,
  holdsTransition,
  type Subscription,
  type SubscriptionPatch,
} from '../../mirror/domain/subscription';
import { mirrorWhileHeld } from '../../mirror/workflows/held-transition';
import { requestRefresh } from '../../mirror/workflows/refresh-mirrors';
import { clearItemTransition } from './clear-item-transition';
import { heldAtProvider } from './held-at-provider';
import type { MigrationPorts } from './ports';
import { readStore } from './read-store';

export type ItemEnd =
  | 'succeeded'
  | 'failed'
  | 'skipped'
  | 'reconciliation_required'
  /** Not begun, because this process is shutting down. */
  | 'not_begun'
  /** Another writer changed this item: this executor must not continue. */
  | 'stale'
  /** The store has not answered for so long that nothing can be recorded. */
  | 'store_unavailable';

type ItemHold = Hold<MigrationItem, RunningItem>;
/** Null where nothing is sent to the provider. */
type Call = PreparedCall<ProviderSubscription> | null;

const nothingToSend: ProviderCallRecord = {
  step: 'change_plan',
  skipped: 'both plans are free: there is nothing at the provider',
};

const notSent: ProviderCallRecord = {
  step: 'change_plan',
  skipped: 'the provider did not say what it sells to the workspace',
};

/** The item as the shared effect runner sees it: it has one call, and the write that admits its executor records it. */
function effectsOf(ports: MigrationPorts): AnswerPorts<MigrationItem, RunningItem, Checked<MigrationItem>> {
  return {
    records: ports.items,
    retryPolicy: ports.retryPolicy,
    clock: ports.clock,
    log: ports.log,
    service: ports.executor.service,
    publishNow: ports.publishItemNow,
    answered: () => {},
    journal: {
      kind: 'migration_item',
      withAnswer: (item, evidence) => ({ ...item, providerCalls: answerLast(item.providerCalls, evidence) }),
      stopped: stopItem,
      tenantOf: ({ tenantId }) => tenantId,
      alertTurn: () => '1',
    },
  };
}

/** Brings one item to its outcome. The job has admitted it: its ordinal is within `admittedThrough`. */
export async function migrateItem(ports: MigrationPorts, job: RunningMigration, item: PendingItem): Promise<ItemEnd> {
  const read = await readStore(ports.retryPolicy, () => ports.subscriptions.findById(item.tenantId));
  if (read === 'unavailable') return 'store_unavailable';
  const subscription = read.value;
  const reason = skipReason(item, subscription, job.target);
  if (reason) return skip(ports, item, reason);
  assert(subscription, `workspace ${item.tenantId} has no subscription`);
  const call = prepare(ports, job, item, subscription);
  if (call) await ports.governor.acquire();
  if (ports.stopping()) return 'not_begun';
  const held = call ? await heldAtProvider(ports.provider, subscription, job.fromPriceId) : 'as_mirrored';
  if (held === 'changed') return skipChanged(ports, item);
  const now = ports.clock.now();
  const recorded = held === 'unread' ? notSent : call ? callRecord(call, now) : nothingToSend;
  const begun = await writeFenced(
    ports.items,
    item,
    beginItem(item, ports.executor, recorded, now),
    [],
    ports.retryPolicy,
  );
  if (begun.kind !== 'written') return unwritten(begun);
  const running = begun.record as RunningItem;
  const hold = { stored: running, working: running };
  if (held === 'unread') return failUnread(ports, job, hold);
  return takeTransition(ports, job, hold, subscription, call);
}

/** The record differs from what the provider holds, and its event is still to come; the note does not wait for it. */
async function skipChanged(ports: MigrationPorts, item: PendingItem): Promise<ItemEnd> {
  if (!(await requestRefresh(ports, item.tenantId, item._id, 'operation'))) return 'store_unavailable';
  return skip(ports, item, 'subscription_changed');
}

function failUnread(ports: MigrationPorts, job: RunningMigration, hold: ItemHold): Promise<ItemEnd> {
  ports.governor.answered(false);
  return fail(ports, job, hold, {
    code: 'provider_unavailable',
    message: 'The provider did not say what it sells to the workspace. Nothing was changed.',
  });
}

function prepare(
  { provider }: MigrationPorts,
  { _id: operationId, target }: RunningMigration,
  { tenantId }: MigrationItem,
  { provider: { subscriptionId, itemId, quantity } }: Subscription,
): Call {
  const { priceId } = target;
  if (priceId === undefined) return null;
  assert(subscriptionId, `workspace ${tenantId} has no subscription at the provider`);
  assert(itemId, `the subscription of workspace ${tenantId} has no item`);
  return provider.prepare(
    { operationId },
    { step: 'change_plan', tenantId, subscriptionId, itemId, priceId, ...(quantity !== undefined && { quantity }) },
  );
}

/** How this executor ends when its write did not win. */
function unwritten(written: Exclude<Written<MigrationItem>, { kind: 'written' }>): ItemEnd {
  return written.kind === 'lost' ? 'stale' : 'store_unavailable';
}

async function skip(ports: MigrationPorts, item: PendingItem | RunningItem, reason: SkipReason): Promise<ItemEnd> {
  const next = skipItem(item, reason, ports.clock.now());
  const written = await writeFenced(ports.items, item, next, [], ports.retryPolicy);
  return written.kind === 'written' ? 'skipped' : unwritten(written);
}

async function takeTransition(
  ports: MigrationPorts,
  job: RunningMigration,
  hold: ItemHold,
  subscription: Subscription,
  call: Call,
): Promise<ItemEnd> {
  const item = hold.working;
  const next = admitTransition(subscription, transitionOf(item, job), {});
  const taken = await writeFenced(ports.subscriptions, subscription, next, [], ports.retryPolicy);
  if (taken.kind === 'unknown') return 'store_unavailable';
  // A record that changed since capture is never migrated, whatever the change was.
  if (taken.kind === 'lost')
    return skip(ports, item, skipReason(item, taken.record, job.target) ?? 'subscription_changed');
  return send(ports, job, hold, call);
}

async function send(ports: MigrationPorts, job: RunningMigration, hold: ItemHold, call: Call): Promise<ItemEnd> {
  const { planId } = job.target;
  if (!call) return complete(ports, job, hold, { planId });
  const called = await sendRecorded(effectsOf(ports), hold, call);
  ports.governor.answered(called.kind !== 'failed' || called.error.code !== 'provider_unavailable');
  switch (called.kind) {
    case 'succeeded': {
      const { currentPeriodEnd } = called.value;
      return complete(ports, job, called.hold, { planId, ...(currentPeriodEnd && { currentPeriodEnd }) });
    }
    case 'failed':
      return fail(ports, job, called.hold, called.error);
    case 'unknown':
      return stop(ports, called.hold, called.error);
  }
}

/** Mirror, outcome, clear; in that order. */
async function complete(
  ports: MigrationPorts,
  job: RunningMigration,
  hold: ItemHold,
  patch: SubscriptionPatch,
): Promise<ItemEnd> {
  const item = hold.working;
  const mirrored = await mirrorWhileHeld(
    ports,
    { tenantId: item.tenantId },
    (read) => holdsTransition(read, item._id),
    patch,
  );
  if (mirrored.kind !== 'written')
    return stop(ports, hold, {
      code: 'outcome_unknown',
      message: 'The change was made, but the mirror could not be written.',
    });
  const now = ports.clock.now();
  const notice = noticeOf(item, job, mirrored.subscription.workspaceName, now);
  const written = await writeHeld(effectsOf(ports), hold, succeedItem(item, now), [notice]);
  if (written.kind !== 'written') return unwritten(written);
  await clearItemTransition(ports, written.record, job.target.planId, mirrored.subscription);
  return 'succeeded';
}

/** Proven: nothing was changed. */
async function fail(
  ports: MigrationPorts,
  job: RunningMigration,
  hold: ItemHold,
  error: EffectError,
): Promise<ItemEnd> {
  const written = await writeHeld(effectsOf(ports), hold, failItem(hold.working, error, ports.clock.now()));
  if (written.kind !== 'written') return unwritten(written);
  await clearItemTransition(ports, written.record, job.target.planId);
  return 'failed';
}

/**
 * Law 3: the outcome is unknown. The transition stays, people are alerted, and the job continues with the next
 * workspace.
 */
async function stop(ports: MigrationPorts, hold: ItemHold, error: EffectError): Promise<ItemEnd> {
  const written = await stopHeld(effectsOf(ports), hold, error);
  return written.kind === 'written' ? 'reconciliation_required' : unwritten(written);
}
