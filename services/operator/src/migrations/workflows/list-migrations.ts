/**
 * Migrations by index, newest first. Each has only the fields of its own record; the page of one migration shows the
 * rest.
 */
import type { ListOrder, MigrationStatus } from '@platform/contracts-operator';
import type { RevisionedCollection } from '@platform/mongo';
import { boundedPage } from '../../listing/bounded-page';
import { decodeListCursor, encodeListCursor } from '../../listing/list-cursor';
import type { PlanMigration } from '../domain/migration';

export interface MigrationListQuery {
  readonly status?: MigrationStatus | undefined;
  readonly order: ListOrder;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface ListedMigrations {
  readonly migrations: readonly PlanMigration[];
  readonly nextCursor?: string;
}

/** Null for a cursor that this list did not give out. Throws StoreUnavailableError. */
export async function listMigrations(
  migrations: Pick<RevisionedCollection<PlanMigration>, 'find'>,
  { status, order, limit, cursor }: MigrationListQuery,
): Promise<ListedMigrations | null> {
  const after = cursor === undefined ? null : decodeListCursor(cursor);
  if (cursor !== undefined && !after) return null;
  const direction = order === 'newest' ? -1 : 1;
  const page = await boundedPage<PlanMigration>({
    lanes: [
      (position, count) =>
        migrations.find(status === undefined ? {} : { status }, {
          sort: { createdAt: direction, _id: direction },
          limit: count,
          ...(position && { after: [position.at, position.id] }),
        }),
    ],
    positionOf: ({ createdAt, _id }) => ({ at: createdAt, id: _id }),
    order,
    after,
    limit,
    batch: limit + 1,
  });
  return { migrations: page.rows, ...(page.next && { nextCursor: encodeListCursor(page.next) }) };
}
