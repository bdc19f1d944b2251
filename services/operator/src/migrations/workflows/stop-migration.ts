/**
 * Stops a job whose outcome is unknown (law 3): items under way become `reconciliation_required` with their evidence,
 * and items that its executor might still begin are fenced off. The record says why, and people are alerted.
 * Transitions stay, and nothing is sent again.
 */
import { alertEntry, type OutboxEntry } from '@platform/kernel';
import { walk, writeFenced } from '@platform/durable/record';
import { apart } from '@platform/mongo';
import { itemAlert, migrationItemSteps, stopItem } from '../domain/migration-item';
import {
  isLive,
  recount,
  stop,
  type LiveMigration,
  type MigrationTally,
  type PlanMigration,
  type StoppedMigration,
} from '../domain/migration';
import type { OperationError } from '../../operations/domain/operation';
import type { ExecutorStateOf } from '@platform/durable/boot';
import type { MigrationPorts, MigrationStore } from './ports';

export type StopPorts = MigrationStore &
  Pick<
    MigrationPorts,
    'clock' | 'executor' | 'retryPolicy' | 'log' | 'publishItemNow' | 'publishMigrationNow' | 'itemEnded'
  >;

/** The number of items by outcome, read by index. Throws StoreUnavailableError. */
export async function tallyOf({ items }: Pick<MigrationStore, 'items'>, migrationId: string): Promise<MigrationTally> {
  const count = (status: keyof MigrationTally) => items.count({ migrationId, status });
  const [succeeded, failed, skipped, stopped] = await Promise.all([
    count('succeeded'),
    count('failed'),
    count('skipped'),
    count('reconciliation_required'),
  ]);
  return { succeeded, failed, skipped, reconciliation_required: stopped };
}

export function jobAlert(migration: PlanMigration, service: string, reason: string, at: Date): OutboxEntry {
  return alertEntry({ service, kind: 'migration', id: migration._id, tenantId: null, reason, at }, '1');
}

/** Stops the job unless another process wrote it meanwhile; true when it is stopped. Throws StoreUnavailableError. */
export async function stopMigration(
  ports: StopPorts,
  migration: LiveMigration,
  error: OperationError,
): Promise<boolean> {
  await stopBegunItems(ports, migration);
  const now = ports.clock.now();
  const alert = jobAlert(migration, ports.executor.service, error.message, now);
  const written = await writeFenced(
    ports.migrations,
    migration,
    stop(migration, await tallyOf(ports, migration._id), error, now),
    [alert],
    ports.retryPolicy,
  );
  if (written.kind !== 'written') {
    if (written.kind === 'unknown')
      ports.log.error(
        { migrationId: migration._id, reason: written.reason },
        'a migration could not be marked as stopped; the next start of this instance does it',
      );
    return false;
  }
  ports.publishMigrationNow(migration._id, [alert]);
  // From here on its executor can reserve nothing; items that it began between the first read and that write are
  // stopped now.
  if (await stopBegunItems(ports, migration)) await rewriteTally(ports, written.record as StoppedMigration);
  ports.log.error(
    { migrationId: migration._id, reason: error.message },
    'a plan migration has stopped and needs reconciliation',
  );
  return true;
}

const inOrder = { sort: ['ordinal', '_id'] };

/**
 * Stops every item under way, and gives a new revision to items that were reserved and not begun. True when an item was
 * under way.
 */
async function stopBegunItems(ports: StopPorts, migration: PlanMigration): Promise<boolean> {
  const { _id: migrationId } = migration;
  let any = false;
  for await (const item of walk(ports.items, { migrationId, status: 'running' }, inOrder)) {
    if (item.status !== 'running') continue;
    any = true;
    const now = ports.clock.now();
    const error = {
      code: 'outcome_unknown',
      message: 'Its executor is gone or cannot write; what it sent last is not known.',
    };
    const alert = itemAlert(item, ports.executor.service, error.message, now);
    const written = await writeFenced(ports.items, item, stopItem(item, error, now), [alert], ports.retryPolicy);
    if (written.kind !== 'written') continue;
    ports.itemEnded('reconciliation_required');
    ports.publishItemNow(item._id, [alert]);
  }
  for await (const item of walk(ports.items, { migrationId, status: 'pending' }, inOrder)) {
    if (item.ordinal > migration.admittedThrough) break;
    await ports.items.mutate(item, migrationItemSteps.keep(item, {}));
  }
  return any;
}

async function rewriteTally(ports: StopPorts, migration: StoppedMigration): Promise<void> {
  const tally = await tallyOf(ports, migration._id);
  await ports.migrations.mutate(migration, recount(migration, tally));
}

/**
 * At start: jobs that earlier boots of this instance left behind. Those of other instances, live or not, are not
 * touched. Returns the ids. Throws StoreUnavailableError.
 */
export async function stopInterruptedMigrations(
  ports: StopPorts,
  executorState: ExecutorStateOf,
): Promise<readonly string[]> {
  const { instance, incarnation } = ports.executor;
  const stopped: string[] = [];
  const left = { status: { $in: ['capturing', 'running'] }, 'executor.instance': instance };
  const stopOne = async (migration: PlanMigration): Promise<void> => {
    if (!isLive(migration) || migration.executor.incarnation === incarnation) return;
    const state = await executorState(migration.executor.incarnation);
    if (state !== 'superseded' && state !== 'stopped') return;
    const during =
      migration.status === 'capturing' ? 'while its list was captured; no effect was begun' : 'while it ran';
    const error = {
      code: 'interrupted',
      message: `The process that executed this migration ended ${during}. Nothing is replayed.`,
    };
    if (await stopMigration(ports, migration, error)) stopped.push(migration._id);
  };
  for await (const migration of walk(ports.migrations, left))
    await apart(ports.migrations, migration._id, () => stopOne(migration));
  return stopped;
}
