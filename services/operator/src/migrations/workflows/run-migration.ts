/**
 * A migration from its admission to its end (workflows §5): capture, then each item in the order of the list, a few at
 * a time, as fast as the governor allows. It ends `completed`, or `reconciliation_required` when any outcome is not
 * known.
 */
import { assert, refused } from '@platform/kernel';
import { migrationLimits } from '@platform/contracts-operator';
import { writeFenced } from '@platform/durable/record';
import { StoreUnavailableError } from '@platform/mongo';
import {
  beginCapture,
  beginRun,
  finish,
  isLive,
  refuseMigration,
  targetOf,
  type CapturingMigration,
  type LiveMigration,
  type PendingMigration,
  type PlanMigration,
  type RunningMigration,
} from '../domain/migration';
import type { OperationError } from '../../operations/domain/operation';
import type { PendingItem } from '../domain/migration-item';
import { captureList } from './capture-list';
import { openJobRecord, progressEntry, type JobRecord } from './job-record';
import { migrateItem, type ItemEnd } from './migrate-item';
import { migrationItemKey, migrationKey } from './migration-keys';
import type { MigrationPorts } from './ports';
import { skipNeverBegun } from './skip-never-begun';
import { jobAlert, stopMigration, tallyOf } from './stop-migration';
import { readStore } from './read-store';

const pageSize = 100;

/** Why the loop over the items ended. */
type Halt = 'done' | 'stale' | 'store_unavailable' | 'stopping';

/**
 * Runs a job that waits for its executor; does nothing when another one was admitted to it. A broken invariant stops
 * the job and is thrown; a store that is unreachable is not.
 */
export async function runMigration(ports: MigrationPorts, pending: PlanMigration): Promise<void> {
  if (pending.status !== 'pending') return;
  const key = migrationKey(pending._id);
  // The store could not tell two drafts of one process apart, so a process tries one admission at a time.
  if (ports.work.find(key)) return;
  await ports.work.run(key, ({ retryPolicy }) => runAlone({ ...ports, retryPolicy }, pending));
}

async function runAlone(ports: MigrationPorts, pending: PendingMigration): Promise<void> {
  try {
    const job = await admit(ports, pending);
    if (job) await execute(ports, job).catch((error: unknown) => breakOff(ports, job, error));
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    ports.log.error(
      { migrationId: pending._id },
      'the store did not answer; the migration stays as it is recorded, until the next start of this instance',
    );
  }
}

async function breakOff(ports: MigrationPorts, job: JobRecord, error: unknown): Promise<never> {
  if (!(error instanceof StoreUnavailableError))
    await give(ports, job, {
      code: 'internal_error',
      message: 'The executor of this migration broke; its log has the reason.',
    });
  throw error;
}

/** Fixes the target and admits this executor: the one write that decides who captures and runs the job. */
async function admit(ports: MigrationPorts, pending: PendingMigration): Promise<JobRecord | null> {
  const [from, found] = await Promise.all([
    ports.plans.findById(pending.fromPlanId),
    ports.plans.findById(pending.targetPlanId),
  ]);
  const target = from
    ? targetOf(from, found)
    : refused({ code: 'plan_not_available', detail: 'The source plan does not exist.' });
  if (!target.ok) {
    const { code, detail: message } = target.error;
    await ports.migrations.mutate(pending, refuseMigration(pending, { code, message }, ports.clock.now()));
    return null;
  }
  const next = beginCapture(pending, ports.executor, target.value, from?.priceId);
  const admitted = await writeFenced(ports.migrations, pending, next, [], ports.retryPolicy);
  return admitted.kind === 'written' ? openJobRecord(ports, admitted.record as CapturingMigration) : null;
}

async function execute(ports: MigrationPorts, job: JobRecord): Promise<void> {
  const { target, digest: named, _id: migrationId, fromPlanId } = job.current();
  const captured = await captureList(ports, job.current(), target);
  if (captured === 'store_unavailable')
    return give(ports, job, {
      code: 'store_unavailable',
      message: 'The list could not be captured; no effect was begun.',
    });
  if (captured === 'stopping')
    return give(ports, job, {
      code: 'interrupted',
      message: 'The process ended in order while the list was captured; no effect was begun.',
    });
  if (named !== undefined && named !== captured.digest) {
    await job.write((current) =>
      refuseMigration(
        capturing(current),
        {
          code: 'dry_run_outdated',
          message: 'A captured workspace differs from the dry run that was named. Nothing was executed.',
        },
        ports.clock.now(),
        captured,
      ),
    );
    return;
  }
  const begun = await job.write((current) =>
    beginRun(capturing(current), captured.count, captured.digest, ports.clock.now()),
  );
  if (begun === 'lost') return leaveClosed(ports, migrationId);
  if (begun !== 'written') return;
  ports.log.info({ migrationId, fromPlanId, count: captured.count }, 'a plan migration runs');
  const pulse = ports.pulse(migrationLimits.progressMs, async () => void (await job.publishProgress()));
  const halt = await overItems(ports, job).finally(() => pulse.close());
  if (halt === 'done') return conclude(ports, job);
  if (halt === 'stopping')
    return give(ports, job, {
      code: 'interrupted',
      message: 'The process that executed this migration ended in order. Nothing is replayed.',
    });
  if (halt === 'store_unavailable')
    return give(ports, job, {
      code: 'store_unavailable',
      message: 'The store did not answer for too long; what is not recorded is not known.',
    });
  ports.log.error({ migrationId }, 'this executor is stale: the migration was stopped by another process');
}

/** An executor that slept during its capture may have listed workspaces in a job that people closed meanwhile. */
async function leaveClosed(ports: MigrationPorts, migrationId: string): Promise<void> {
  const standing = await ports.migrations.findById(migrationId);
  if (standing && 'resolution' in standing) await skipNeverBegun(ports, migrationId, ports.clock.now());
}

function capturing(job: LiveMigration): CapturingMigration {
  assert(job.status === 'capturing', `migration ${job._id} is ${job.status}, not capturing`);
  return job;
}

function running(job: LiveMigration): RunningMigration {
  assert(job.status === 'running', `migration ${job._id} is ${job.status}, not running`);
  return job;
}

/** The items in order through a few lanes; no further item is begun once one of them halts. */
async function overItems(ports: MigrationPorts, job: JobRecord): Promise<Halt> {
  const next = itemsInOrder(ports, job.current()._id);
  let halt: Halt | null = null;
  const lane = async (): Promise<void> => {
    while (!halt) {
      const item = await next();
      if (halt || item === null) return;
      if (item === 'unavailable') return void (halt = 'store_unavailable');
      const reserved = await job.reserve(item.ordinal);
      if (reserved !== 'written') return void (halt ??= reserved === 'lost' ? 'stale' : 'store_unavailable');
      if (ports.stopping()) return void (halt ??= 'stopping');
      // Awaited first: another lane may have found a reason to halt, and that reason must not be overwritten.
      const end = await ports.work.run(migrationItemKey(item._id), ({ retryPolicy }) =>
        migrateItem({ ...ports, retryPolicy }, running(job.current()), item),
      );
      halt ??= haltOf(ports, job, end);
    }
  };
  await Promise.all(Array.from({ length: ports.lanes }, lane));
  return halt ?? 'done';
}

function haltOf(ports: MigrationPorts, job: JobRecord, end: ItemEnd): Halt | null {
  if (end === 'not_begun') return 'stopping';
  if (end === 'stale' || end === 'store_unavailable') return end;
  job.count(end);
  ports.itemEnded(end);
  return null;
}

/**
 * Returns the pending items one by one, to one caller at a time; null at the end. One page is in memory, whatever the
 * length of the list.
 */
function itemsInOrder(
  { items, retryPolicy }: MigrationPorts,
  migrationId: string,
): () => Promise<PendingItem | 'unavailable' | null> {
  let page: PendingItem[] = [];
  let after: readonly [number, string] | undefined;
  let exhausted = false;
  let last: Promise<unknown> = Promise.resolve();
  const take = async (): Promise<PendingItem | 'unavailable' | null> => {
    if (page.length === 0 && !exhausted) {
      const read = await readStore(retryPolicy, () =>
        items.find(
          { migrationId, status: 'pending' },
          { sort: { ordinal: 1, _id: 1 }, limit: pageSize, ...(after && { after }) },
        ),
      );
      if (read === 'unavailable') return read;
      page = read.value.filter((item) => item.status === 'pending');
      exhausted = read.value.length < pageSize;
      const end = read.value.at(-1);
      if (end) after = [end.ordinal, end._id];
    }
    return page.shift() ?? null;
  };
  return () => {
    const mine = last.then(take);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Every item has its outcome: the record says so, from a count of the items themselves. */
async function conclude(ports: MigrationPorts, job: JobRecord): Promise<void> {
  const counted = await readStore(ports.retryPolicy, () => tallyOf(ports, job.current()._id));
  const tally = counted === 'unavailable' ? job.tally() : counted.value;
  const now = ports.clock.now();
  const current = running(job.current());
  const turn = current.progressTurn + 1;
  const end = finish(current, tally, turn, now);
  const progress = progressEntry({ ...current, status: end.status }, tally, turn, now);
  const alerts =
    end.status === 'reconciliation_required' ? [jobAlert(current, ports.executor.service, end.error.message, now)] : [];
  const written = await job.write(
    (standing) => finish(running(standing), tally, standing.progressTurn + 1, now),
    [progress, ...alerts],
  );
  if (written !== 'written')
    return void ports.log.error(
      { migrationId: current._id, written },
      'the end of a plan migration could not be recorded',
    );
  ports.log.info({ migrationId: current._id, status: end.status, ...tally }, 'a plan migration has ended');
}

/**
 * The executor gives up: it knows which items it began, so it stops them itself instead of leaving that to the next
 * start.
 */
async function give(ports: MigrationPorts, job: JobRecord, error: OperationError): Promise<void> {
  const read = await readStore(ports.retryPolicy, () => ports.migrations.findById(job.current()._id));
  // Read again: the answer of the last write may have been lost.
  const standing = read === 'unavailable' ? null : read.value;
  if (standing && isLive(standing) && standing.executor.incarnation === ports.executor.incarnation)
    await stopMigration(ports, standing, error);
  else if (standing && 'resolution' in standing) await skipNeverBegun(ports, standing._id, ports.clock.now());
}
