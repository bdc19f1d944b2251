/** The outcome of the workspaces of a closed job that were never begun: `skipped`, each by a fenced write. Nothing is sent. */
import { walk, writeFenced } from '@platform/durable/record';
import { apart } from '@platform/mongo';
import { skipItem } from '../domain/migration-item';
import type { MigrationPorts, MigrationStore } from './ports';

const pageSize = 64;

/** False when an item has changed or could not be written; another call continues. Throws StoreUnavailableError. */
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

/** The epoch as a bound also requires that the field exists, so that the query can use the partial index. */
const closed = { 'resolution.at': { $gte: new Date(0) } };

/**
 * The sweep at start. A paused executor may have added workspaces to a job after people had closed it, and then died:
 * these workspaces are skipped. Returns how many jobs had any. Throws StoreUnavailableError.
 */
export async function finishClosings(
  ports: MigrationStore & Pick<MigrationPorts, 'retryPolicy' | 'clock'>,
): Promise<number> {
  let finished = 0;
  for await (const { _id } of walk(ports.migrations, closed, { sort: ['resolution.at', '_id'] })) {
    await apart(ports.migrations, _id, async () => {
      if ((await ports.items.count({ migrationId: _id, status: 'pending' })) === 0) return;
      await skipNeverBegun(ports, _id, ports.clock.now());
      finished += 1;
    });
  }
  return finished;
}
