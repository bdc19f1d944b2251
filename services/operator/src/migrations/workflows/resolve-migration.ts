/**
 * The ends of investigations of a migration, recorded off-line (contracts §3): of one workspace, with both proofs, and of
 * a stopped job as a whole, once none of its workspaces is unresolved. Nothing is performed; every write is fenced.
 */
import { ok, refused, type Result } from '@platform/kernel';
import { writeFenced } from '@platform/durable/record';
import { lateEffectWarning } from '@platform/payment-provider';
import {
  isUnresolvedItem,
  resolveItem,
  skipItem,
  type MigrationItem,
  type UnresolvedItem,
} from '../domain/migration-item';
import {
  closeMigration,
  migrationSteps,
  type JobResolution,
  type PlanMigration,
  type StoppedMigration,
} from '../domain/migration';
import type { Resolution } from '../../operations/domain/operation';
import { proofRefusal, type ResolutionRequest } from '../../operations/workflows/resolve-operation';
import { clearItemTransition } from './clear-item-transition';
import type { MigrationPorts, MigrationStore } from './ports';
import { tallyOf } from './stop-migration';

export type ResolveMigrationPorts = MigrationStore &
  Pick<MigrationPorts, 'subscriptions' | 'refreshes' | 'clock' | 'log' | 'retryPolicy'>;
export type ItemResolutionRequest = Omit<ResolutionRequest, 'operationId'> & { readonly itemId: string };

export interface PlannedItemResolution {
  readonly item: UnresolvedItem;
  readonly migration: PlanMigration;
  readonly resolution: Resolution;
  readonly warnings: readonly string[];
}

const pageSize = 64;

/** Checks both proofs against the record; changes nothing. */
export async function planItemResolution(
  ports: ResolveMigrationPorts,
  request: ItemResolutionRequest,
): Promise<Result<PlannedItemResolution, string>> {
  const item = await ports.items.findById(request.itemId);
  const migration = item && (await ports.migrations.findById(item.migrationId));
  if (!item || !migration) return refused('There is no such item. Name it as <migrationId>:<tenantId>.');
  if (!isUnresolvedItem(item))
    return refused(`The item is ${item.status}: its outcome is known, there is nothing to resolve.`);
  if (item.status === 'running' && migration.status === 'running')
    return refused(
      `The migration is ${migration.status}: its executor may be alive. Stop its process, start it again, and read the item anew.`,
    );
  const wrong = proofRefusal(request);
  if (wrong) return refused(wrong);
  const sent = item.providerCalls.some(({ skipped }) => skipped === undefined);
  if (request.outcome === 'applied' && request.providerObject === null && sent)
    return refused(
      "The second proof is missing: an applied outcome needs the provider's object (--provider-object <id>).",
    );
  const { outcome, executorStopped, providerObject, by } = request;
  return ok({
    item,
    migration,
    resolution: { outcome, executorStopped: executorStopped.trim(), providerObject, by, at: ports.clock.now() },
    warnings: warningsFor(item, request, ports.clock.now()),
  });
}

function warningsFor(item: UnresolvedItem, { outcome }: ItemResolutionRequest, now: Date): string[] {
  const late = outcome === 'not_applied' ? lateEffectWarning(item.providerCalls, now) : null;
  return late === null ? [] : [`${late} A price that is still the old one is no proof before that.`];
}

/** Writes the planned resolution, then clears the workspace's transition; an applied one mirrors the target plan. */
export async function recordItemResolution(
  ports: ResolveMigrationPorts,
  { item, migration, resolution }: PlannedItemResolution,
): Promise<Result<MigrationItem, string>> {
  // Stamped now, not when it was planned: the trail takes resolutions in by their time.
  const written = await ports.items.mutate(item, resolveItem(item, { ...resolution, at: ports.clock.now() }));
  if (written.outcome === 'unknown')
    return refused(`It is not known whether the resolution was written (${written.reason}). Read the item again.`);
  if (written.outcome === 'not_applied')
    return refused('The item has changed since it was read. Read it again and judge anew.');
  await clearItemTransition(ports, written.record, migration.targetPlanId);
  await refreshTally(ports, migration._id);
  return ok(written.record);
}

/** The counters of a stopped job follow its items. A running one counts them itself at its end, and its record is its executor's alone. */
async function refreshTally(ports: ResolveMigrationPorts, migrationId: string): Promise<void> {
  const migration = await ports.migrations.findById(migrationId);
  if (migration?.status !== 'reconciliation_required') return;
  await ports.migrations.mutate(
    migration,
    migrationSteps.keep(migration, { tally: await tallyOf(ports, migrationId) }),
  );
}

export interface PlannedClosing {
  readonly migration: StoppedMigration;
  readonly resolution: JobResolution;
  /** Items that were never begun; closing marks them as skipped. */
  readonly neverBegun: number;
}

/** A stopped job may be closed when the outcome of every workspace that was begun is known. */
export async function planClosing(
  ports: ResolveMigrationPorts,
  request: Pick<ItemResolutionRequest, 'executorStopped' | 'by'> & { readonly migrationId: string },
): Promise<Result<PlannedClosing, string>> {
  const migration = await ports.migrations.findById(request.migrationId);
  if (!migration) return refused('There is no such migration.');
  if (migration.status !== 'reconciliation_required')
    return refused(`The migration is ${migration.status}: only a stopped one is closed.`);
  const wrong = proofRefusal(request);
  if (wrong) return refused(wrong);
  const { migrationId } = request;
  const [running, stopped, neverBegun] = await Promise.all([
    ports.items.count({ migrationId, status: 'running' }),
    ports.items.count({ migrationId, status: 'reconciliation_required' }),
    ports.items.count({ migrationId, status: 'pending' }),
  ]);
  if (running + stopped > 0)
    return refused(
      `The outcome of ${running + stopped} workspaces is not known yet. Resolve them first (resolve migration-item).`,
    );
  return ok({
    migration,
    neverBegun,
    resolution: { executorStopped: request.executorStopped.trim(), by: request.by, at: ports.clock.now() },
  });
}

/** Gives every workspace that was never begun its outcome (`skipped`), then completes the record. Nothing is sent anywhere. */
export async function recordClosing(
  ports: ResolveMigrationPorts,
  { migration, resolution }: PlannedClosing,
): Promise<Result<PlanMigration, string>> {
  for (;;) {
    const page = await ports.items.find(
      { migrationId: migration._id, status: 'pending' },
      { sort: { ordinal: 1, _id: 1 }, limit: pageSize },
    );
    const writes = await Promise.all(
      page
        .filter((item) => item.status === 'pending')
        .map((item) =>
          writeFenced(ports.items, item, skipItem(item, 'job_closed', resolution.at), [], ports.retryPolicy),
        ),
    );
    if (writes.some(({ kind }) => kind !== 'written'))
      return refused(
        'An item has changed or could not be written. Read the migration again; closing it again goes on where this ended.',
      );
    if (page.length < pageSize) break;
  }
  const current = await ports.migrations.findById(migration._id);
  if (current?.revision !== migration.revision || current.status !== 'reconciliation_required')
    return refused('The record has changed since it was read. Read it again and judge anew.');
  const written = await ports.migrations.mutate(
    current,
    closeMigration(current, await tallyOf(ports, current._id), { ...resolution, at: ports.clock.now() }),
  );
  if (written.outcome === 'unknown')
    return refused(`It is not known whether the end was written (${written.reason}). Read the migration again.`);
  return written.outcome === 'applied'
    ? ok(written.record)
    : refused('The record has changed since it was read. Read it again and judge anew.');
}
