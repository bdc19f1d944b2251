/**
 * Evidence that no view of the services shows: when outcomes came into the journal beside when transitions went (I6), what
 * a frozen executor could still write (I7), the migration's list at its capture and at the end (I9), reservations (I11).
 */
import type { Evidence, StatusChange } from '@platform/testing';
import type { Operation } from '../../services/operator/src/operations/domain/operation';
import { operationsCollection } from '../../services/operator/src/operations/store/operations';
import type { TestPlatform } from '../support/platform';
import type { Books } from './migration-books';
import { resolvedCalls } from './migration-judgement';
import type { Observer } from './observe';
import { readDatabase } from './read-databases';
import type { ZombieEvidence } from './zombie';

/** Each attempt that ended for good, at the instant that it wrote down itself; an end that followed receipts, at the record's last write. */
export function statusLogOf({ _id, attempts, status, updatedAt }: Operation): StatusChange[] {
  const ended = attempts.flatMap(({ outcome, finishedAt }): StatusChange[] =>
    finishedAt && (outcome === 'succeeded' || outcome === 'failed')
      ? [{ operationId: _id, status: outcome, at: finishedAt }]
      : [],
  );
  const settled = ended.length === 0 && (status === 'succeeded' || status === 'failed');
  return settled ? [{ operationId: _id, status, at: updatedAt }] : ended;
}

async function migrationsOf(
  books: Books,
  { migrationId, captured }: ZombieEvidence,
): Promise<NonNullable<Evidence['migrations']>> {
  const job = await books.migrations.findById(migrationId);
  return [
    {
      migrationId,
      status: job?.status ?? 'gone',
      captured,
      items: (await books.itemsOf(migrationId)).map(resolvedCalls),
    },
  ];
}

/** Transitions of migrations belong to their items, which are no operations: their order is the migration's own matter. */
export async function judgedEvidence(
  { mongodbUrl }: TestPlatform,
  books: Books,
  observer: Observer,
  zombie: ZombieEvidence,
): Promise<Required<Pick<Evidence, 'statusLog' | 'transitionLog' | 'writes' | 'migrations' | 'reservations'>>> {
  const operations = await readDatabase(mongodbUrl, 'operator', (every) => every(operationsCollection));
  const known = new Set(operations.map(({ _id }) => _id));
  return {
    statusLog: operations.flatMap(statusLogOf),
    transitionLog: observer.transitions.filter(({ operationId }) => known.has(operationId)),
    writes: zombie.writes,
    migrations: await migrationsOf(books, zombie),
    reservations: observer.reservations(),
  };
}
