/**
 * The last step of an item: its transition is removed after its outcome is recorded (law 6). When the clearing write is
 * lost, the sweep at the start and once a minute repeats it; the outcome does not depend on it.
 */
import { walk } from '@platform/durable/record';
import { apart } from '@platform/mongo';
import { holdsTransition, type Subscription } from '../../mirror/domain/subscription';
import { clearLeftTransition } from '../../mirror/workflows/held-transition';
import type { MigrationItem } from '../domain/migration-item';
import type { MigrationPorts, MigrationStore } from './ports';

type ClearingPorts = Pick<MigrationPorts, 'subscriptions' | 'refreshes' | 'retryPolicy' | 'log'>;

/**
 * Removes the transition of an item that has ended; true when none is left. A success also mirrors the target; after a
 * resolution the provider's own price is read once more.
 */
export async function clearItemTransition(
  ports: ClearingPorts,
  item: MigrationItem,
  targetPlanId: string,
  holding?: Subscription,
): Promise<boolean> {
  const patch = item.status === 'succeeded' ? { planId: targetPlanId } : {};
  const cleared = await clearLeftTransition(
    ports,
    { tenantId: item.tenantId, read: holding },
    (subscription) => holdsTransition(subscription, item._id),
    () => patch,
    item.resolution && { eventId: `resolution:${item._id}`, reason: 'resolution' },
  );
  if (!cleared)
    ports.log.warn(
      { itemId: item._id },
      'the transition of a migrated workspace is not cleared yet; the next sweep clears it',
    );
  return cleared;
}

const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'skipped']);

/**
 * The sweep: clears transitions of items whose outcome is written, and returns how many. Performs no effect, and an
 * item never begins again, so it may run at any time. Throws StoreUnavailableError.
 */
export async function finishClearingItems(ports: ClearingPorts & Pick<MigrationStore, 'items'>): Promise<number> {
  let cleared = 0;
  for await (const { transition } of walk(ports.subscriptions, { 'transition.operationId': { $exists: true } })) {
    if (!transition?.operationId.includes(':')) continue;
    await apart(ports.items, transition.operationId, async () => {
      const item = await ports.items.findById(transition.operationId);
      if (item && ended.has(item.status) && (await clearItemTransition(ports, item, transition.targetPlanId ?? '')))
        cleared += 1;
    });
  }
  return cleared;
}
