/** Collection `checkout_receipts`: `_id` is the session id. Written once, after the awaited effects; terminal. */
import type { CollectionDeclaration } from '@platform/mongo';
import type { CheckoutReceipt } from '../domain/checkout-receipt';

export const checkoutReceiptsCollection: CollectionDeclaration<CheckoutReceipt> = {
  name: 'checkout_receipts',
  tells: ({ operationId, tenantId }) => ({ record: 'checkout_receipt', operationId, tenantId, state: 'written' }),
  indexes: [{ name: 'by_tenant', key: { tenantId: 1, _id: 1 } }],
};
