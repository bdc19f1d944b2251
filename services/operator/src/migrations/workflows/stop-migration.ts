/**
 * The stop of a job whose end is not known (law 3): items under way become `reconciliation_required` with their evidence,
 * those that its executor might still begin are fenced off, the record says why, people are alerted. Transitions stay,
 * nothing is replayed.
 */
import { alertEntry, type OutboxEntry } from '@platform/kernel';
import { writeFenced } from '@platform/durable/record';
import { itemAlert, stopItem } from '../domain/migration-item';
import { stop, type MigrationTally, type PlanMigration } from '../domain/migration';
import type { OperationError } from '../../operations/domain/operation';
import type { ExecutorState } from '../../operations/workflows/read-operation';
import type { MigrationPorts, MigrationStore } from './ports';

export type StopPorts = MigrationStore &
  Pick<
    MigrationPorts,
    'clock' | 'executor' | 'retryPolicy' | 'log' | 'publishItemNow' | 'publishMigrationNow' | 'itemEnded'
  >;

const pageSize = 100;

/** How many items ended in which way, by index. Throws StoreUnavailableError. */
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

/** Stops the job unless somebody else wrote it meanwhile; true when it is stopped. Throws StoreUnavailableError. */
export async function stopMigration(
  ports: StopPorts,
  migration: PlanMigration,
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
  // From here on its executor can reserve nothing; what it began between the first look and that write is stopped now.
  if (await stopBegunItems(ports, migration)) await rewriteTally(ports, written.record);
  ports.log.error(
    { migrationId: migration._id, reason: error.message },
    'a plan migration has stopped and needs reconciliation',
  );
  return true;
}

/** Stops every item under way and gives a fresh revision to those that were reserved and not begun. True when there was one under way. */
async function stopBegunItems(ports: StopPorts, migration: PlanMigration): Promise<boolean> {
  const stopped = await eachItem(ports, { migrationId: migration._id, status: 'running' }, async (item) => {
    const now = ports.clock.now();
    const error = {
      code: 'outcome_unknown',
      message: 'Its executor is gone or cannot write; what it sent last is not known.',
    };
    const alert = itemAlert(item, ports.executor.service, error.message, now);
    const written = await writeFenced(ports.items, item, stopItem(item, error, now), [alert], ports.retryPolicy);
    if (written.kind !== 'written') return;
    ports.itemEnded('reconciliation_required');
    ports.publishItemNow(item._id, [alert]);
  });
  await eachItem(ports, { migrationId: migration._id, status: 'pending' }, async (item) => {
    if (item.ordinal > migration.admittedThrough) return 'enough';
    await ports.items.mutate(item, item);
    return undefined;
  });
  return stopped > 0;
}

async function rewriteTally(ports: StopPorts, migration: PlanMigration): Promise<void> {
  const { revision: _revision, createdAt: _created, updatedAt: _updated, outbox: _outbox, ...rest } = migration;
  await ports.migrations.mutate(migration, { ...rest, tally: await tallyOf(ports, migration._id) });
}

async function eachItem(
  { items }: Pick<MigrationStore, 'items'>,
  filter: { readonly migrationId: string; readonly status: string },
  work: (item: Awaited<ReturnType<typeof items.find>>[number]) => Promise<'enough' | undefined | void>,
): Promise<number> {
  let seen = 0;
  let after: readonly [number, string] | undefined;
  for (;;) {
    const page = await items.find(filter, { sort: { ordinal: 1, _id: 1 }, limit: pageSize, ...(after && { after }) });
    for (const item of page) {
      if ((await work(item)) === 'enough') return seen;
      seen += 1;
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return seen;
    after = [last.ordinal, last._id];
  }
}

/** At start: jobs that earlier boots of this instance left behind. Those of other instances, live or not, are not touched. Returns the ids. Throws StoreUnavailableError. */
export async function stopInterruptedMigrations(
  ports: StopPorts,
  executorState: (incarnation: string) => Promise<ExecutorState>,
): Promise<readonly string[]> {
  const { instance, incarnation } = ports.executor;
  const stopped: string[] = [];
  let after: readonly [string] | undefined;
  for (;;) {
    const page = await ports.migrations.find(
      { status: { $in: ['capturing', 'running'] }, 'executor.instance': instance },
      { sort: { _id: 1 }, limit: pageSize, ...(after && { after }) },
    );
    for (const migration of page) {
      if (!migration.executor || migration.executor.incarnation === incarnation) continue;
      const state = await executorState(migration.executor.incarnation);
      if (state !== 'superseded' && state !== 'stopped') continue;
      const during =
        migration.status === 'capturing' ? 'while its list was captured; no effect was begun' : 'while it ran';
      if (
        await stopMigration(ports, migration, {
          code: 'interrupted',
          message: `The process that executed this migration ended ${during}. Nothing is replayed.`,
        })
      )
        stopped.push(migration._id);
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return stopped;
    after = [last._id];
  }
}
