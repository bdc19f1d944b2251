/**
 * Ends the checkout of an expired session at once. The provider's event and the periodic check of expired sessions do
 * the same; only the first of them is admitted.
 */
import type { SucceededOperation } from '../../operations/domain/operation';
import type { OperatorPorts } from '../../operations/workflows/ports';
import type { CheckoutPorts } from './checkout-ports';
import { expireCheckout } from './expire-checkout';

/** Never fails: a checkout that cannot be ended now is ended by the event or by the next periodic check. */
export function endCheckoutAtOnce(receipts: CheckoutPorts['receipts']) {
  return async (ports: OperatorPorts, { _id, tenantId, checkpoint = {} }: SucceededOperation): Promise<void> => {
    const { sessionId } = checkpoint;
    try {
      const subscription = await ports.subscriptions.findById(tenantId);
      if (!sessionId || subscription?.checkout?.sessionId !== sessionId) return;
      if (subscription.transition?.operationId !== subscription.checkout.operationId) return;
      const { outcome } = await expireCheckout({ ...ports, receipts }, { object: { id: sessionId } });
      ports.log.info({ operationId: _id, tenantId, sessionId, outcome }, 'the checkout of an expired session is ended');
    } catch (error) {
      ports.log.warn({ operationId: _id, tenantId, sessionId, err: error }, 'the checkout is not ended yet');
    }
  };
}
