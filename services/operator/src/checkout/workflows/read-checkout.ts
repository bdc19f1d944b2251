/**
 * The session that an event or a periodic check names, as the provider holds it, and the records that wait for exactly
 * this session. Reading has no effect.
 */
import type { ProviderEventMessage } from '@platform/contracts-provisioning';
import type { ProviderCheckoutSession } from '@platform/payment-provider';
import type { AwaitingReceiptsOperation, CheckoutSession, Operation } from '../../operations/domain/operation';
import { busyWith, failedWith, handled, skipped, type HandlerOutcome } from '../../operations/domain/event-outcome';
import { readWithRetries } from '../../operations/workflows/read-with-retries';
import type { Subscription } from '../../mirror/domain/subscription';
import type { CheckoutPorts } from './checkout-ports';

/** What names a session: a provider event, or a periodic check, which has no event type. */
export type SessionEvent = Pick<ProviderEventMessage, 'object'> & Partial<Pick<ProviderEventMessage, 'type'>>;

/** A session and the records that wait for it. */
export interface WaitingCheckout {
  readonly session: ProviderCheckoutSession;
  readonly operation: AwaitingReceiptsOperation;
  readonly subscription: Subscription;
  readonly recorded: CheckoutSession;
}

type Read =
  ({ readonly kind: 'read' } & WaitingCheckout) | { readonly kind: 'ended'; readonly outcome: HandlerOutcome };

/**
 * The session as the provider holds it, and the records that wait for exactly this session; or why there is nothing to
 * do.
 */
export async function readCheckout(ports: CheckoutPorts, { object }: SessionEvent): Promise<Read> {
  const ended = (outcome: HandlerOutcome): Read => ({ kind: 'ended', outcome });
  const { id } = object;
  if (!id) return ended(failedWith('the event names no session'));
  if (await ports.receipts.findById(id)) return ended(handled);
  const read = await readWithRetries(ports.retryPolicy, () => ports.provider.retrieveCheckoutSession(id));
  if (read.outcome === 'failed')
    return ended(failedWith(`the session cannot be found at the provider: ${read.message}`));
  if (read.outcome === 'unknown')
    return ended(failedWith(`the session cannot be read at the provider: ${read.reason}`));
  const session = read.value;
  const operationId = session.metadata['operationId'];
  const operation = operationId === undefined ? null : await ports.operations.findById(operationId);
  if (operationId !== undefined && !operation && (await wasSoldHere(ports, session)))
    return ended(failedWith(`the journal has no checkout ${operationId}, and its session completed`));
  if (operation?.action !== 'checkout') return ended(skipped('no checkout of this platform made the session'));
  const subscription = await ports.subscriptions.findById(operation.tenantId);
  if (!subscription) return ended(failedWith('the workspace of this checkout has no record'));
  if (operation.status === 'succeeded' || operation.status === 'failed') return ended(afterEnd(operation, session));
  if (subscription.deletion)
    return ended(failedWith('the workspace is being deleted; the session is left to a person'));
  if (operation.status === 'running') return ended(busyWith('the checkout is running: another callback is at work'));
  if (operation.status !== 'awaiting_receipts' || !operation.checkout)
    return ended(
      failedWith(
        `the checkout is ${operation.status}: its session was never acknowledged here, or a person must resolve it`,
      ),
    );
  const transition = subscription.transition;
  const exact = operation.checkout.sessionId === session.id && subscription.checkout?.sessionId === session.id;
  const ours = exact && transition?.operationId === operation._id;
  // The executor of another callback takes the transition before it is recorded in the operation.
  if (ours && transition.kind === 'change_plan')
    return ended(busyWith('another callback is admitted for this session'));
  if (!ours || transition.kind !== 'checkout')
    return ended(failedWith('this is not the recorded session of a pending checkout'));
  return { kind: 'read', session, operation, subscription, recorded: operation.checkout };
}

/**
 * Whether a workspace of this platform bought on this page. Its checkout can be missing only where records were lost, as
 * by a restore; an account may also have the sessions of other platforms.
 */
async function wasSoldHere(ports: CheckoutPorts, { status, metadata }: ProviderCheckoutSession): Promise<boolean> {
  const tenantId = metadata['tenantId'];
  return status === 'complete' && tenantId !== undefined && (await ports.subscriptions.findById(tenantId)) !== null;
}

/** What an event about an ended checkout leaves to do. A bank may pay after its sale was taken back. */
function afterEnd(operation: Operation, { status, paymentStatus }: ProviderCheckoutSession): HandlerOutcome {
  const takenBack = wasTakenBack(operation);
  if (takenBack && paymentStatus === 'paid')
    return failedWith(`the checkout is ${operation.status}, and its session was paid afterwards`);
  return status === 'expired' || takenBack
    ? skipped(`the checkout is ${operation.status} already`)
    : failedWith(`the checkout is ${operation.status}, and its session completed`);
}

/** The checkout ended because its sale was not valid: the payment failed, or the trial was refused. */
function wasTakenBack(operation: Operation): boolean {
  return operation.status === 'failed' && ['payment_failed', 'trial_refused'].includes(operation.error.code);
}
