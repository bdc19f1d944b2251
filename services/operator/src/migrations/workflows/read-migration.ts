/** A migration with a page of its outcomes, read by index whatever its length. */
import type { MigrationItemStatus } from '@platform/contracts-operator';
import type { MigrationItem } from '../domain/migration-item';
import type { MigrationFacts, PlanMigration } from '../domain/migration';
import type { AskExecutors } from '@platform/durable/executors';
import type { ExecutorKnowledge } from '@platform/kernel';
import { decodePosition, encodePosition } from '../../listing/position-text';
import { migrationKey } from './migration-keys';
import type { MigrationStore } from './ports';

export interface MigrationReadPorts extends MigrationStore {
  readonly askExecutors: AskExecutors;
}

export interface OutcomeQuery {
  readonly status?: MigrationItemStatus;
  readonly cursor?: string;
  readonly limit: number;
}

export interface ReadMigration {
  readonly migration: MigrationFacts;
  readonly knowledge?: ExecutorKnowledge;
  /** The number of items under way or not begun yet. */
  readonly running: number;
  readonly outcomes: readonly MigrationItem[];
  readonly nextCursor?: string;
}

/** The record, with the state of its executor and of its items under way; null when there is none. */
async function readJob(
  ports: MigrationReadPorts,
  migrationId: string,
): Promise<Pick<ReadMigration, 'migration' | 'knowledge' | 'running'> | null> {
  const migration: MigrationFacts | null = await ports.migrations.findById(migrationId);
  if (!migration) return null;
  const open =
    migration.executor &&
    (migration.status === 'capturing' ||
      migration.status === 'running' ||
      migration.status === 'reconciliation_required');
  const [asked, running] = await Promise.all([
    open && migration.executor
      ? ports.askExecutors([{ key: migrationKey(migrationId), executor: migration.executor }])
      : [],
    open ? ports.items.count({ migrationId, status: 'running' }) : 0,
  ]);
  const [knowledge] = asked;
  return { migration, running, ...(knowledge && { knowledge }) };
}

/** Null when there is no such migration; `bad_cursor` for a cursor that this list did not give out. */
export async function readMigration(
  ports: MigrationReadPorts,
  migrationId: string,
  { status, cursor, limit }: OutcomeQuery,
): Promise<ReadMigration | 'bad_cursor' | null> {
  const after = cursor === undefined ? undefined : decodePosition(cursor, ['number', 'string'] as const);
  if (after === null) return 'bad_cursor';
  const job = await readJob(ports, migrationId);
  if (!job) return null;
  const page = await ports.items.find(
    { migrationId, ...(status && { status }) },
    { sort: { ordinal: 1, _id: 1 }, limit: limit + 1, ...(after && { after }) },
  );
  const outcomes = page.slice(0, limit);
  const last = outcomes.at(-1);
  return {
    ...job,
    outcomes,
    ...(page.length > limit && last && { nextCursor: encodePosition([last.ordinal, last._id]) }),
  };
}

/** Newest first, at most `limit`. */
export async function newestMigrations(
  { migrations }: Pick<MigrationStore, 'migrations'>,
  limit: number,
): Promise<readonly PlanMigration[]> {
  return migrations.find({}, { sort: { createdAt: -1, _id: -1 }, limit });
}
