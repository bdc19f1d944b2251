/**
 * The commands of `npm run ops` about plan migrations: show, watch, and record the results of investigations. No
 * provider effect.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { columns, exitCodes } from '@platform/command-line';
import { migrationView } from '../migrations/http/migration-view';
import { incarnationsCollection } from '@platform/durable/boot';
import {
  readAppliedProposal,
  resolveOffline,
  resolveProven,
  type OfflineWork,
  type Terminal,
} from '@platform/durable/investigation';
import { backoffMs, counted, silentLog } from '@platform/kernel';
import type { RetryPolicy } from '@platform/durable/record';
import type { Store } from '@platform/mongo';
import type { ItemFacts } from '../migrations/domain/migration-item';
import type { MigrationFacts } from '../migrations/domain/migration';
import { operationsCollection } from '../operations/store/operations';
import { planMigrationItemsCollection } from '../migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../migrations/store/plan-migrations';
import { plansCollection } from '../catalogue/store/plans';
import { mirrorRefreshesCollection } from '../mirror/store/mirror-refreshes';
import { subscriptionsOf } from '../access/workflows/announce-access';
import { proveQuiescence } from '../migrations/workflows/prove-quiescence';
import { newestMigrations } from '../migrations/workflows/read-migration';
import {
  closingInvestigation,
  itemInvestigation,
  type ResolveMigrationPorts,
} from '../migrations/workflows/resolve-migration';
import { itemBecomes } from '../migrations/workflows/read-item-resolution';
import type { MigrationCommand } from './migration-arguments';
import { proposalWork } from './proposal-work';
import { isEnded, progressLine, rateBetween } from './migration-progress';

/** Recording a person's decision may be retried: each write is fenced. */
const retryPolicy: RetryPolicy = { tries: 10, pause: (attempt) => delay(backoffMs(attempt, 100, 2_000)) };
const lookEveryMs = 500;
const listed = 50;
const unresolvedListed = 20;

/** `clock` is the database's: it stamps what is recorded. */
export function runMigrationCommand(command: MigrationCommand, work: OfflineWork): Promise<number> {
  const { store, clock, terminal, provider, providerNow } = work;
  const ports: ResolveMigrationPorts = {
    migrations: store.collection(planMigrationsCollection),
    items: store.collection(planMigrationItemsCollection),
    subscriptions: subscriptionsOf(store, clock),
    refreshes: store.collection(mirrorRefreshesCollection),
    provider,
    providerNow,
    clock,
    log: silentLog,
    retryPolicy,
  };
  switch (command.kind) {
    case 'list':
      return list(ports, command.json, terminal);
    case 'watch':
      return watch(ports, command.migrationId, terminal);
    case 'quiescence':
      return quiescence(store, ports, command.planId, terminal);
    case 'show':
      return show(ports, command.migrationId, command.json, terminal);
    case 'show_item':
      return showItem(ports, command.itemId, command.json, terminal);
    case 'resolve_item':
      return resolveOffline(itemInvestigation, ports, { ...itemInWords, ...command }, work);
    case 'apply_item':
      return applyItem(ports, command, work);
    case 'close':
      return resolveOffline(
        closingInvestigation,
        ports,
        {
          ...command,
          describe: ({ record }) => describeMigration(record),
          becomes: ({ record, beside }) =>
            `The migration becomes completed, with ${counted(beside.neverBegun, 'workspace')} that no attempt began as skipped, on ${record.fromPlanId}. Nothing is sent anywhere.`,
          statusOf: ({ status }) => status,
        },
        work,
      );
  }
}

const itemInWords = {
  describe: ({ record }: { readonly record: ItemFacts }) => describeItem(record),
  becomes: ({ resolution }: { readonly resolution: Parameters<typeof itemBecomes>[0] }) => itemBecomes(resolution),
  statusOf: ({ status }: { readonly status: string }) => status,
};

async function applyItem(
  ports: ResolveMigrationPorts,
  { applied, yes }: Extract<MigrationCommand, { kind: 'apply_item' }>,
  work: OfflineWork,
): Promise<number> {
  const read = await readAppliedProposal(applied, 'migration_item', proposalWork(work));
  if (!read.ok) return work.terminal.complain(read.error);
  return resolveProven(itemInvestigation, ports, { ...itemInWords, ...read.value, yes }, work);
}

async function list(ports: ResolveMigrationPorts, json: boolean, { print }: Terminal): Promise<number> {
  const migrations = await newestMigrations(ports, listed);
  if (json) {
    print(JSON.stringify({ migrations: migrations.map((migration) => migrationView({ migration })) }, null, 2));
    return exitCodes.done;
  }
  const rows = migrations.map((migration: MigrationFacts) => [
    migration.createdAt.toISOString(),
    migration._id,
    `${migration.fromPlanId} → ${migration.targetPlanId}`,
    migration.status,
    String(migration.captured?.count ?? ''),
    migration.requestedBy.email ?? migration.requestedBy.id,
  ]);
  print(
    rows.length === 0
      ? 'There is no migration.'
      : columns([['created', 'migration', 'plans', 'status', 'workspaces', 'asked by'], ...rows]),
  );
  return 0;
}

async function quiescence(
  store: Store,
  ports: ResolveMigrationPorts,
  planId: string,
  { print, complain }: Terminal,
): Promise<number> {
  const findings = await proveQuiescence(
    {
      ...ports,
      plans: store.collection(plansCollection),
      operations: store.collection(operationsCollection),
      incarnations: store.collection(incarnationsCollection),
    },
    planId,
  );
  if (!findings) return complain('There is no such plan.');
  print(
    columns(
      findings.map(({ what, count, named }) => [
        count === 0 ? 'none ' : String(count),
        what,
        `${named.join(', ')}${count > named.length ? ', …' : ''}`,
      ]),
    ),
  );
  const quiescent = findings.every(({ count }) => count === 0);
  print(
    quiescent
      ? `\nNo admitted writer of ${planId} is left here. This command cannot check creations and the provider's price: docs/runbook.md, steps 5 and 6.`
      : `\n${planId} may still be written. Settle what is named, then look again.`,
  );
  return quiescent ? exitCodes.done : exitCodes.negative;
}

async function watch(
  { migrations }: ResolveMigrationPorts,
  migrationId: string,
  { draw, print, complain }: Terminal,
): Promise<number> {
  let before: { done: number; at: number } | null = null;
  for (;;) {
    const migration: MigrationFacts | null = await migrations.findById(migrationId);
    if (!migration) return complain('There is no such migration.');
    const { succeeded, failed, skipped, reconciliation_required: stopped } = migration.tally;
    const now = { done: succeeded + failed + skipped + stopped, at: migration.updatedAt.getTime() };
    draw(progressLine(migration, rateBetween(before, now)));
    if (isEnded(migration)) {
      print(`\n${migration._id} is ${migration.status}${migration.error ? `: ${migration.error.message}` : '.'}`);
      return migration.status === 'completed' ? exitCodes.done : exitCodes.negative;
    }
    before ??= now;
    await delay(lookEveryMs);
  }
}

async function show(
  { migrations, items }: ResolveMigrationPorts,
  migrationId: string,
  json: boolean,
  { print, complain }: Terminal,
): Promise<number> {
  const migration = await migrations.findById(migrationId);
  if (!migration) return complain('There is no such migration.');
  const unresolved = await items.find(
    { migrationId, status: 'reconciliation_required' },
    { sort: { ordinal: 1, _id: 1 }, limit: unresolvedListed },
  );
  print(
    json
      ? JSON.stringify({ migration: migrationView({ migration }), unresolved }, null, 2)
      : describeMigration(migration),
  );
  if (json) return exitCodes.done;
  if (unresolved.length > 0)
    print(
      `\nUnresolved, the first ${unresolved.length}:\n${unresolved.map(({ _id, error }: ItemFacts) => `  ${_id}  ${error?.message ?? ''}`).join('\n')}`,
    );
  return 0;
}

function describeMigration(migration: MigrationFacts): string {
  return `${columns([
    ['migration', migration._id],
    ['plans', `${migration.fromPlanId} → ${migration.targetPlanId}`],
    ['status', migration.status],
    ['asked by', migration.requestedBy.email ?? migration.requestedBy.id],
    ['created', migration.createdAt.toISOString()],
    [
      'executor',
      migration.executor ? `${migration.executor.instance} (${migration.executor.incarnation})` : 'none yet',
    ],
    ...(migration.error ? [['because', migration.error.message]] : []),
    ...(migration.resolution
      ? [['closed by', `${migration.resolution.by}, ${migration.resolution.at.toISOString()}`]]
      : []),
  ])}\n\n${progressLine(migration, 0)}`;
}

function describeItem(item: ItemFacts): string {
  const calls = item.providerCalls.map((call) => [
    'call',
    `${call.step} ${call.skipped === undefined ? (call.outcome ?? 'no answer recorded') : `never sent: ${call.skipped}`} ${call.phase ?? ''} ${call.idempotencyKey ?? ''} ${call.requestId ?? ''}`.trim(),
  ]);
  return columns([
    ['item', item._id],
    ['place', String(item.ordinal)],
    ['status', item.status],
    ['executor', item.executor ? `${item.executor.instance} (${item.executor.incarnation})` : 'never begun'],
    ...calls,
    ...(item.reason ? [['skipped', item.reason]] : []),
    ...(item.error ? [['because', item.error.message]] : []),
    ...(item.resolution
      ? [['resolved', `${item.resolution.outcome} by ${item.resolution.by}, ${item.resolution.at.toISOString()}`]]
      : []),
  ]);
}

async function showItem(
  { items, subscriptions }: ResolveMigrationPorts,
  itemId: string,
  json: boolean,
  { print, complain }: Terminal,
): Promise<number> {
  const item = await items.findById(itemId);
  if (!item) return complain('There is no such item. Name it as <migrationId>:<tenantId>.');
  const subscription = await subscriptions.findById(item.tenantId);
  if (json) {
    print(JSON.stringify({ item, ...(subscription && { workspace: subscription }) }, null, 2));
    return exitCodes.done;
  }
  const held = subscription?.transition ? `held by ${subscription.transition.operationId}` : 'free';
  print(
    `${describeItem(item)}\n\nworkspace  ${subscription ? `plan ${subscription.planId}, ${held}, provider subscription ${subscription.provider.subscriptionId ?? 'none'}` : 'gone'}`,
  );
  return 0;
}
