/** The outcome of the workspaces of a closed job that were never begun: `skipped`, each by a fenced write. Nothing is sent. */
import { writeFenced } from '@platform/durable/record';
import { skipItem } from '../domain/migration-item';
import type { MigrationPorts, MigrationStore } from './ports';

const pageSize = 64;

/** False when an item has changed or could not be written; calling it again goes on. Throws StoreUnavailableError. */
export async function skipNeverBegun(
  { items, retryPolicy }: Pick<MigrationStore, 'items'> & Pick<MigrationPorts, 'retryPolicy'>,
  migrationId: string,
  at: Date,
): Promise<boolean> {
  for (;;) {
    const page = await items.find(
      { migrationId, status: 'pending' },
      { sort: { ordinal: 1, _id: 1 }, limit: pageSize },
    );
    const writes = await Promise.all(
      page
        .filter((item) => item.status === 'pending')
        .map((item) => writeFenced(items, item, skipItem(item, 'job_closed', at), [], retryPolicy)),
    );
    if (writes.some(({ kind }) => kind !== 'written')) return false;
    if (page.length < pageSize) return true;
  }
}
