/** Asks the gateway for one page of the tenant inventory; throws when there is no readable answer. */
import { inventoryPageSchema, inventorySubject, type InventoryPage } from '@platform/contracts-operator';
import type { Messaging } from '@platform/messaging';
import { TenantLifecycleError } from '../tenant-lifecycle/types';
import type { TenantPageOptions } from '../tenant-lifecycle/inventory';
import { requestTimeoutMs } from './keep-registered';

const unavailable = (why: string): TenantLifecycleError =>
  new TenantLifecycleError('inventory_unavailable', `the tenant inventory ${why}`);

export async function askInventory(
  messaging: Pick<Messaging, 'request'>,
  options: TenantPageOptions,
): Promise<InventoryPage> {
  const answer = await messaging.request(inventorySubject, { ...options }, requestTimeoutMs);
  if (!answer.ok) throw unavailable(`did not answer: ${answer.error.serverCode ?? answer.error.code}`);
  const decoded = inventoryPageSchema.safeParse(answer.value);
  if (!decoded.success) throw unavailable('gave an answer that this version cannot read');
  return decoded.data;
}
