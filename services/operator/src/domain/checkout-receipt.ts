/** The terminal receipt of a checkout session (specification §2): its awaited provider effects have finished. */
import type { Revisioned } from '@platform/kernel';

export interface CheckoutReceipt extends Revisioned {
  readonly tenantId: string;
  readonly operationId: string;
  readonly planId: string;
  readonly subscriptionId: string;
  readonly completedAt: Date;
}
