/**
 * The ends of investigations of a migration: of one workspace, with both proofs, and of a stopped job as a whole, once no
 * workspace of it is unresolved. Nothing is performed; every write is fenced.
 */
import {
  defineInvestigation,
  type InvestigationPorts,
  type OutcomeProofs,
  type Proofs,
  type SecondProof,
} from '@platform/durable/investigation';
import { ok, refused } from '@platform/kernel';
import {
  closeMigration,
  migrationSteps,
  type MigrationFacts,
  type PlanMigration,
  type StoppedMigration,
} from '../domain/migration';
import { isUnresolvedItem, resolveItem, type MigrationItem } from '../domain/migration-item';
import { nameObject, type ProviderReads } from '@platform/payment-provider';
import { migrationItemKey, migrationKey } from './migration-keys';
import { clearItemTransition } from './clear-item-transition';
import type { MigrationPorts, MigrationStore } from './ports';
import { skipNeverBegun } from './skip-never-begun';
import { handlesOfItem, readItemFindings } from './item-findings';
import { tallyOf } from './stop-migration';

export type ResolveMigrationPorts = MigrationStore &
  Pick<MigrationPorts, 'subscriptions' | 'refreshes' | 'clock' | 'log' | 'retryPolicy'> &
  Pick<InvestigationPorts, 'providerNow'> & { readonly provider: ProviderReads };

const noSuchItem = 'There is no such item. Name it as <migrationId>:<tenantId>.';

/** One workspace; an applied one mirrors the target plan. */
export const itemInvestigation = defineInvestigation({
  noun: 'item',
  missing: noSuchItem,
  records: (ports: ResolveMigrationPorts) => ports.items,
  isOpen: isUnresolvedItem,
  known: ({ status }) => `The item is ${status}: its outcome is known, there is nothing to resolve.`,
  beside: async ({ migrations }, { migrationId }) => {
    const migration = await migrations.findById(migrationId);
    return migration ? ok(migration) : refused(noSuchItem);
  },
  refusal: (item, _request: OutcomeProofs, migration) =>
    item.status === 'running' && migration.status === 'running'
      ? `The migration is ${migration.status}: its executor may be alive. Stop its process, start it again, and read the item again.`
      : null,
  executors: ({ _id, executor, updatedAt }) =>
    executor ? [{ key: migrationItemKey(_id), executor, wroteAt: updatedAt }] : [],
  calls: ({ providerCalls }) => providerCalls,
  secondProof: readItemProof,
  warnings: (_item, { outcome }) =>
    outcome === 'not_applied'
      ? ['A price that is still the old one is no proof while a request may be on its way.']
      : [],
  resolve: (_ports, item, resolution) => resolveItem(item, resolution),
  follow: async (ports, item, { beside: migration }) => {
    await clearItemTransition(ports, item, migration.targetPlanId);
    await refreshTally(ports, migration._id);
  },
});

/** What the provider shows of the item's one call: the subscription that carries the migration's id, at the target's price. */
async function readItemProof(
  ports: ResolveMigrationPorts,
  item: MigrationItem,
  { outcome, providerObject }: OutcomeProofs,
  { target }: MigrationFacts,
): Promise<SecondProof> {
  const { migrationId } = item;
  const handles = await handlesOfItem(ports, item);
  const findings = await readItemFindings(ports, item);
  const shown = findings.some(({ objects }) => objects.some(({ id }) => id === providerObject));
  const named =
    outcome === 'applied' && providerObject !== null && !shown
      ? await nameObject(ports.provider, providerObject, { operationId: migrationId, ...handles })
      : undefined;
  return {
    findings,
    misfit: ({ id, summary }) =>
      target && summary['priceId'] !== target.priceId
        ? `${id} has the price ${summary['priceId']}, and the migration is about ${target.priceId}.`
        : null,
    contradiction:
      outcome === 'applied' && findings.length === 0
        ? 'It cannot be recorded as applied: no call of this workspace is recorded, and a call is recorded before it is sent.'
        : null,
    ...(named !== undefined && { named }),
  };
}

/** The counters of a stopped job follow its items. A running one counts them itself at its end, and its record is its executor's alone. */
async function refreshTally(ports: ResolveMigrationPorts, migrationId: string): Promise<void> {
  const migration = await ports.migrations.findById(migrationId);
  if (migration?.status !== 'reconciliation_required') return;
  const tally = await tallyOf(ports, migrationId);
  await ports.migrations.mutate(migration, migrationSteps.keep(migration, { tally }));
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
      ? `The outcome of ${unknown} workspaces is not known yet. Resolve them first (resolve migration-item).`
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
