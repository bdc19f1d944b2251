/** Work that this service holds: operations, migrations, dead letters, differences. */
import type { MigrationStatus, OperationStatus, WorkKind } from '@platform/contracts-operator';
import type { Revisioned } from '@platform/kernel';
import {
  decodeCursor,
  encodeCursor,
  UnreadableRecordError,
  type Filter,
  type RevisionedCollection,
} from '@platform/mongo';
import { projectMigration, projectMigrationItem, projectOperation, projectUnreadable } from '../domain/project';
import { projectDifference } from '../domain/project-difference';
import { projectDeadLetter } from '../domain/project-messages';
import type { DeadLetter } from '../../dead-letters/domain/dead-letter';
import type { Difference } from '../../reconciliation/domain/difference';
import type { WorkItemFacts } from '../domain/work-item';
import { migrationKey } from '../../migrations/workflows/migration-keys';
import { askExecutor, knowledgeOf, withExecutors } from '../../operations/workflows/read-operation';
import type { OwnerPorts, Prices, Segment, WorkOwner } from './ports';

export const pageItems = 100;

const unresolved: readonly OperationStatus[] = [
  'reconciliation_required',
  'running',
  'pending',
  'awaiting_receipts',
  'awaiting_payment',
];

const unendedMigrations: readonly MigrationStatus[] = ['reconciliation_required', 'running', 'capturing', 'pending'];

/** The facts of one record, with the money at risk. */
export type Project<T> = (record: T) => Promise<WorkItemFacts | null>;

export async function factsOf<T>(records: readonly T[], project: Project<T>): Promise<WorkItemFacts[]> {
  return (await Promise.all(records.map(project))).filter((facts) => facts !== null);
}

/** Rows of this status, from the records that the filter finds, in the order of their creation. */
export function segmentOf<T extends Revisioned>(
  collection: RevisionedCollection<T>,
  status: string,
  filter: Filter,
  project: Project<T>,
): Segment {
  return {
    status,
    page: async (cursor) => {
      const after = cursor === undefined ? undefined : (decodeCursor(cursor) ?? undefined);
      const found = await collection.find(filter, {
        sort: { createdAt: 1, _id: 1 },
        limit: pageItems,
        ...(after && { after }),
      });
      const last = found.at(-1);
      return {
        facts: await factsOf(found, project),
        ...(found.length === pageItems && last && { nextCursor: encodeCursor(last) }),
      };
    },
  };
}

/** Work that a collection of this service holds, oldest first, in the statuses that wait for a person or a service. */
function ownWork<T extends Revisioned, Kind extends WorkKind>(
  kind: Kind,
  collection: RevisionedCollection<T>,
  statuses: readonly string[],
  project: Project<T>,
): WorkOwner & { readonly kind: Kind } {
  return {
    kind,
    segments: statuses.map((status) => segmentOf(collection, status, { status }, project)),
    read: async (itemId) => {
      try {
        const record = await collection.findById(itemId);
        return record && (await project(record));
      } catch (error) {
        if (error instanceof UnreadableRecordError) return projectUnreadable(kind, itemId, error.message);
        throw error;
      }
    },
  };
}

export function operationOwner(ports: OwnerPorts, prices: Prices): WorkOwner & { readonly kind: 'operation' } {
  return ownWork('operation', ports.operations, unresolved, async (read) => {
    const { operation, executors } =
      read.status === 'running' ? await withExecutors(ports, read) : { operation: read, executors: {} };
    const last = operation.attempts.at(-1);
    const knowledge = last && knowledgeOf(executors, operation._id, last);
    return projectOperation(operation, knowledge ?? { state: 'unknown' }, await prices.ofOperation(operation));
  });
}

export function migrationOwner(ports: OwnerPorts, prices: Prices): WorkOwner {
  return ownWork('migration', ports.migrations, unendedMigrations, async (migration) => {
    const { _id, executor } = migration;
    const knowledge = await askExecutor(ports, migrationKey(_id), executor);
    return projectMigration(migration, knowledge, await prices.ofMigration(migration));
  });
}

export function migrationItemOwner(ports: OwnerPorts, prices: Prices): WorkOwner & { readonly kind: 'migration_item' } {
  return ownWork('migration_item', ports.migrationItems, ['reconciliation_required'], async (item) => {
    const migration = await ports.migrations.findById(item.migrationId);
    return projectMigrationItem(
      item,
      migration ? await prices.ofWorkspace(item.tenantId, migration.targetPlanId) : null,
    );
  });
}

/** Open dead letters. A letter has a row only after the watch over the stream has recorded it. */
export function deadLetterOwner(letters: RevisionedCollection<DeadLetter>): WorkOwner {
  return ownWork('dead_letter', letters, ['open'], async (letter) => projectDeadLetter(letter));
}

/** Differences between the provider and the records. */
export function differenceOwner(differences: RevisionedCollection<Difference>): WorkOwner {
  return ownWork('difference', differences, ['open'], async (difference) => projectDifference(difference));
}
