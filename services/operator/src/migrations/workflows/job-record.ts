/**
 * The job's record while its one executor runs it: reservations and progress are written one after the other, each
 * fenced by the last. Once a write is lost, another process has stopped the job, and this executor begins nothing more.
 */
import type { OutboxEntry } from '@platform/kernel';
import { writeFenced } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import {
  migrationSubjects,
  migrationTypes,
  migrationMessageIds,
  type MigrationProgress,
} from '@platform/contracts-operator';
import {
  advance,
  isLive,
  type LiveMigration,
  type MigrationFacts,
  type MigrationTally,
  type PlanMigration,
} from '../domain/migration';
import type { MigrationPorts } from './ports';

type JobWrite = 'written' | 'lost' | 'unknown';

export interface JobRecord {
  /** The job as this executor last wrote it. */
  current(): LiveMigration;
  /** Notes the end of an item; written with the next reservation or progress. */
  count(end: keyof MigrationTally): void;
  tally(): MigrationTally;
  /** Makes sure that the item at this place may be begun by this executor. */
  reserve(ordinal: number): Promise<JobWrite>;
  /** Writes the tally, with an event for its listeners. */
  publishProgress(): Promise<JobWrite>;
  /** Any other fenced write. */
  write(
    change: (current: LiveMigration) => Checked<PlanMigration>,
    announce?: readonly OutboxEntry[],
  ): Promise<JobWrite>;
}

/** Items that one reservation admits: the most that a process must stop when it stops the job. */
const reservedItems = 25;

export function progressEntry(
  migration: Pick<MigrationFacts, '_id' | 'status' | 'captured'>,
  tally: MigrationTally,
  turn: number,
  now: Date,
): OutboxEntry {
  const body: MigrationProgress = {
    migrationId: migration._id,
    status: migration.status,
    count: migration.captured?.count ?? 0,
    done: { ...tally },
    at: now.toISOString(),
  };
  return {
    id: migrationMessageIds.progress(migration._id, turn),
    subject: migrationSubjects.progress,
    type: migrationTypes.progress,
    body,
    closesOn: 'publish_ack',
    createdAt: now,
  };
}

type WritePorts = Pick<MigrationPorts, 'migrations' | 'retryPolicy' | 'clock' | 'publishMigrationNow'>;

export function openJobRecord(ports: WritePorts, migration: LiveMigration): JobRecord {
  let current = migration;
  let tally: MigrationTally = migration.tally;
  let state: JobWrite = 'written';
  let last: Promise<unknown> = Promise.resolve();

  function inTurn(work: () => Promise<JobWrite>): Promise<JobWrite> {
    const mine = last.then(() => (state === 'lost' ? state : work()));
    last = mine.catch(() => undefined);
    return mine;
  }

  async function put(next: Checked<PlanMigration>, announce: readonly OutboxEntry[]): Promise<JobWrite> {
    const written = await writeFenced(ports.migrations, current, next, announce, ports.retryPolicy);
    state = written.kind;
    if (written.kind !== 'written') return written.kind;
    if (isLive(written.record)) current = written.record;
    if (announce.length > 0) ports.publishMigrationNow(current._id, announce);
    return 'written';
  }

  return {
    current: () => current,
    tally: () => tally,
    count: (end) => {
      tally = { ...tally, [end]: tally[end] + 1 };
    },
    reserve: (ordinal) =>
      ordinal <= current.admittedThrough && state === 'written'
        ? Promise.resolve('written')
        : inTurn(async () =>
            ordinal <= current.admittedThrough
              ? 'written'
              : put(advance(current, { admittedThrough: ordinal + reservedItems - 1, tally }), []),
          ),
    publishProgress: () =>
      inTurn(() => {
        const progressTurn = current.progressTurn + 1;
        return put(advance(current, { tally, progressTurn }), [
          progressEntry(current, tally, progressTurn, ports.clock.now()),
        ]);
      }),
    write: (change, announce = []) => inTurn(() => put(change(current), announce)),
  };
}
