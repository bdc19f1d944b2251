/**
 * The last step of an item: its transition goes after its outcome is in its record (law 6). When the clearing write is
 * lost, the sweep at the next start finishes it; nothing of the outcome depends on it.
 */
import { StoreUnavailableError } from '@platform/mongo';
import { requestRefresh } from '../../mirror/workflows/refresh-mirrors';
import { clearTransition, holdsTransition } from '../../mirror/domain/subscription';
import type { MigrationItem } from '../domain/migration-item';
import type { MigrationPorts, MigrationStore } from './ports';

type ClearingPorts = Pick<MigrationPorts, 'subscriptions' | 'refreshes' | 'log'>;

const races = 8;
const pageSize = 100;

/**
 * Removes the transition of an item that has ended, if it still stands; true when none is left. A success also mirrors
 * the target; after a resolution the provider's own price is read once more, by a refresh that is durable before that.
 */
export async function clearItemTransition(
  ports: ClearingPorts,
  item: MigrationItem,
  targetPlanId: string,
): Promise<boolean> {
  const patch = item.status === 'succeeded' ? { planId: targetPlanId } : {};
  try {
    for (let race = 0; race < races; race += 1) {
      const subscription = await ports.subscriptions.findById(item.tenantId);
      if (!subscription || !holdsTransition(subscription, item._id)) return true;
      if (item.resolution && !(await requestRefresh(ports, item.tenantId, `resolution:${item._id}`, 'resolution')))
        break;
      const { outcome } = await ports.subscriptions.mutate(subscription, clearTransition(subscription, patch));
      if (outcome === 'applied') return true;
      if (outcome === 'unknown') break;
    }
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
  ports.log.warn(
    { itemId: item._id },
    'the transition of a migrated workspace is not cleared yet; the next start clears it',
  );
  return false;
}

const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'skipped']);

/** The sweep at start: transitions of items whose outcome is written. Performs no effect. Returns how many were cleared. Throws StoreUnavailableError. */
export async function finishClearingItems(ports: ClearingPorts & Pick<MigrationStore, 'items'>): Promise<number> {
  let cleared = 0;
  let after: readonly [string] | undefined;
  for (;;) {
    const page = await ports.subscriptions.find(
      { 'transition.operationId': { $exists: true } },
      { sort: { _id: 1 }, limit: pageSize, ...(after && { after }) },
    );
    for (const { transition } of page) {
      if (!transition?.operationId.includes(':')) continue;
      const item = await ports.items.findById(transition.operationId);
      if (item && ended.has(item.status) && (await clearItemTransition(ports, item, transition.targetPlanId ?? '')))
        cleared += 1;
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return cleared;
    after = [last._id];
  }
}
