/**
 * The ends of investigations of a migration: of one workspace, with both proofs, and of a stopped job as a whole, once no
 * workspace of it is unresolved. Nothing is performed; every write is fenced.
 */
import { defineInvestigation, type InvestigationPorts, type Proofs } from '@platform/durable/investigation';
import { counted, ok, refused } from '@platform/kernel';
import { closeMigration, recount, type PlanMigration, type StoppedMigration } from '../domain/migration';
import { resolveItem } from '../domain/migration-item';
import type { ProviderReads } from '@platform/payment-provider';
import { migrationKey } from './migration-keys';
import { itemReading } from './read-item-resolution';
import { clearItemTransition } from './clear-item-transition';
import type { MigrationPorts, MigrationStore } from './ports';
import { skipNeverBegun } from './skip-never-begun';
import { tallyOf } from './stop-migration';

export type ResolveMigrationPorts = MigrationStore &
  Pick<MigrationPorts, 'subscriptions' | 'refreshes' | 'clock' | 'log' | 'retryPolicy'> &
  Pick<InvestigationPorts, 'providerNow'> & { readonly provider: ProviderReads };

/** One workspace; an applied one mirrors the target plan. */
export const itemInvestigation = defineInvestigation({
  ...itemReading,
  records: (ports: ResolveMigrationPorts) => ports.items,
  resolve: (_ports, item, resolution) => resolveItem(item, resolution),
  follow: async (ports, item, { beside: migration }) => {
    await clearItemTransition(ports, item, migration.targetPlanId);
    await refreshTally(ports, migration._id);
  },
});

/**
 * The counters of a stopped job are updated with its items. A running job counts its items at its end, and only its
 * executor writes its record.
 */
async function refreshTally(ports: ResolveMigrationPorts, migrationId: string): Promise<void> {
  const migration = await ports.migrations.findById(migrationId);
  if (migration?.status !== 'reconciliation_required') return;
  const tally = await tallyOf(ports, migrationId);
  await ports.migrations.mutate(migration, recount(migration, tally));
}

const isStopped = (migration: PlanMigration): migration is StoppedMigration =>
  migration.status === 'reconciliation_required';

/** A stopped job is closed when the outcome of every workspace that was begun is known; those never begun become `skipped`. */
export const closingInvestigation = defineInvestigation({
  noun: 'migration',
  missing: 'There is no such migration.',
  records: (ports: ResolveMigrationPorts) => ports.migrations,
  isOpen: isStopped,
  known: ({ status }) => `The migration is ${status}: only a stopped one is closed.`,
  executors: ({ _id, executor, updatedAt }) =>
    executor ? [{ key: migrationKey(_id), executor, wroteAt: updatedAt }] : [],
  beside: async ({ items }, { _id: migrationId }) => {
    const [running, stopped, neverBegun] = await Promise.all([
      items.count({ migrationId, status: 'running' }),
      items.count({ migrationId, status: 'reconciliation_required' }),
      items.count({ migrationId, status: 'pending' }),
    ]);
    return ok({ unknown: running + stopped, neverBegun });
  },
  refusal: (_migration, _request: Proofs, { unknown }) =>
    unknown > 0
      ? `The outcome of ${counted(unknown, 'workspace')} is not known yet. Resolve them first (resolve migration-item).`
      : null,
  prepare: async (ports, { record, resolution }) =>
    (await skipNeverBegun(ports, record._id, resolution.at))
      ? ok(record)
      : refused(
          'An item has changed or could not be written. Read the migration again; closing it again goes on where this ended.',
        ),
  resolve: async (ports, migration, resolution) =>
    closeMigration(migration, await tallyOf(ports, migration._id), resolution),
});
