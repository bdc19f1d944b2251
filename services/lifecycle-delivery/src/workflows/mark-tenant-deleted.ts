/**
 * A tenant is deleted: attempts that start from now on are skipped (specification §6 rule 5). Its waiting deliveries
 * end at once, so that no operation waits for a receipt that will never arrive; attempts in flight continue.
 */
import {
  lifecycleMessageIds,
  lifecycleSubjects,
  lifecycleTypes,
  type TenantDeleted,
} from '@platform/contracts-lifecycle-delivery';
import type { Disposition } from '@platform/messaging';
import { isOpen, type Delivery, type OpenDelivery } from '../domain/delivery';
import { waitingOfTenant } from '../store/deliveries';
import { skipDelivery } from './attempt-delivery';
import { done, tryAgain, type DeliveryPorts } from './ports';
import { settleMessage } from './settle-message';

const pageSize = 100;

/** Handles `lifecycle.message.tenant_deleted`. */
export async function markTenantDeleted(ports: DeliveryPorts, message: TenantDeleted): Promise<Disposition> {
  const { tenantId: _id, operationId } = message;
  const inserted = await ports.deletedTenants.insert({ _id, operationId, deletedAt: new Date(message.deletedAt) });
  if (inserted.outcome === 'unknown') return tryAgain(inserted.reason);
  let after: string | null = null;
  for (;;) {
    const page = await waitingOfTenant(ports.deliveries, _id, after, pageSize);
    for (const delivery of page) {
      // A report of the consumer may have been written since the page was read, and then the delivery still waits.
      if (!(await skipUntilEnded(ports, delivery)))
        return tryAgain(`delivery ${delivery._id} could not be skipped now`);
      const settled = await settleMessage(ports, delivery.operationId);
      if (settled.kind !== 'ack') return settled;
    }
    if (page.length < pageSize) return announceMarked(ports, message);
    after = page.at(-1)!._id;
  }
}

/** False when it is not known whether the delivery has ended. */
async function skipUntilEnded(ports: DeliveryPorts, found: OpenDelivery): Promise<boolean> {
  let delivery: Delivery | null = found;
  while (delivery && isOpen(delivery)) {
    const result = await skipDelivery(ports, delivery, ports.clock.now());
    if (result !== 'lost_race') return result === 'skipped_deleted';
    delivery = await ports.deliveries.findById(found._id);
  }
  return true;
}

/**
 * Confirms to the service that deleted the tenant that no delivery waits for the tenant any more. The confirmation is
 * built from the records at each request, so the service can repeat the request after a lost answer.
 */
async function announceMarked(ports: DeliveryPorts, { tenantId, operationId }: TenantDeleted): Promise<Disposition> {
  const marked = await ports.deletedTenants.findById(tenantId);
  if (!marked) return tryAgain(`the mark of tenant ${tenantId} could not be read back`);
  const published = await ports.broker.publish({
    subject: lifecycleSubjects.tenantDeletedSettled,
    id: lifecycleMessageIds.tenantDeletedSettled(operationId),
    type: lifecycleTypes.tenantDeletedSettled,
    body: { tenantId, operationId, settledAt: marked.createdAt.toISOString() },
  });
  return published === 'acknowledged' ? done : tryAgain('the answer was not acknowledged by the broker');
}
