/**
 * The completion of a checkout (workflows §4): exactly the recorded session, one admitted executor, the subscription as
 * the provider holds it, then the terminal receipt, the journal, and the transition cleared. An unknown outcome keeps
 * the intent, and later callbacks are refused.
 */
import type { ProviderCheckoutSession, ProviderSubscription } from '@platform/payment-provider';
import { actionOf } from '../../operations/domain/actions';
import { completedNotice } from '../domain/checkout-receipt';
import { admitAttempt, checkoutAwaitsSession, checkoutWaitsFor, recordCall } from '../../operations/domain/journal';
import { mirrorOf, statusOfProvider } from '../../mirror/domain/mirror-provider';
import type {
  AwaitingReceiptsOperation,
  CheckoutSession,
  Operation,
  RunningOperation,
} from '../../operations/domain/operation';
import { busyWith, failedWith, handled, notKnown, type HandlerOutcome } from '../../operations/domain/event-outcome';
import { mirror, withCustomer, type Subscription } from '../../mirror/domain/subscription';
import type { CheckoutPorts } from './checkout-ports';
import { callProvider } from '@platform/durable/effects';
import { readPatiently, writeFenced } from '@platform/durable/record';
import { operationKey } from '../../operations/workflows/operation-key';
import { effectsOf, holdOf, type OperationHold } from '../../operations/workflows/operation-effects';
import { journalFailure, journalStop, journalSuccess } from '../../operations/workflows/journal-outcome';
import { readWithRetries } from '../../operations/workflows/read-with-retries';
import { judgeSale, type SaleRefusal } from './judge-sale';
import { readCheckout, type SessionEvent, type WaitingCheckout } from './read-checkout';

export async function completeCheckout(ports: CheckoutPorts, event: SessionEvent): Promise<HandlerOutcome> {
  const read = await readCheckout(ports, event);
  if (read.kind === 'ended') return read.outcome;
  const { session, operation, subscription, recorded } = read;
  if (session.status !== 'complete' || !session.subscriptionId || !session.customerId)
    return failedWith(`the session is ${session.status} at the provider, without a subscription`);
  const key = operationKey(operation._id);
  if (ports.work.find(key)) return busyWith('another callback is at work on this session');
  return ports.work.run(key, ({ retryPolicy }) =>
    follow({ ...ports, retryPolicy }, { session, operation, subscription, recorded }, event),
  );
}

/** The state of the sale is read before an executor is admitted: reading has no effect, and a bank may take days. */
async function follow(ports: CheckoutPorts, waiting: WaitingCheckout, event: SessionEvent): Promise<HandlerOutcome> {
  const judged = await judgeSale(ports, waiting, event.type === 'checkout.session.async_payment_failed');
  switch (judged.kind) {
    case 'waits':
      return noteWait(ports, waiting, judged.waitsFor);
    case 'refused':
      return takeBack(ports, waiting, judged);
    case 'sold':
      return completeAlone(ports, waiting);
  }
}

/** The checkout keeps its hold on the subscription; the round of open checkouts checks again. */
async function noteWait(
  ports: CheckoutPorts,
  { operation, recorded }: WaitingCheckout,
  waitsFor: NonNullable<CheckoutSession['waitsFor']>,
): Promise<HandlerOutcome> {
  if (recorded.waitsFor === waitsFor) return handled;
  const next = checkoutWaitsFor(operation, { ...recorded, waitsFor });
  const written = await writeFenced(ports.operations, operation, next, [], ports.retryPolicy);
  if (written.kind === 'unknown')
    return notKnown(`what the checkout waits for could not be recorded (${written.reason})`);
  return written.kind === 'written' ? handled : busyWith('another callback is at work on this session');
}

/** A person may have ended it at the provider. What it has cost is not read, so a person decides what is given back. */
const endedAfterSale: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired', 'unpaid']);

async function completeAlone(
  ports: CheckoutPorts,
  { session, operation, subscription, recorded }: WaitingCheckout,
): Promise<HandlerOutcome> {
  const admitted = await admitExecutor(ports, operation, subscription);
  if (admitted.kind === 'ended') return admitted.outcome;
  const running = admitted.operation;
  const subscriptionId = session.subscriptionId ?? '';
  const bought = await readWithRetries(ports.retryPolicy, () => ports.provider.retrieveSubscription(subscriptionId));
  if (bought.outcome !== 'succeeded')
    return stop(ports, holdOf(running), 'the subscription that was sold cannot be read at the provider');
  const { status } = bought.value;
  if (endedAfterSale.has(status))
    return stop(
      ports,
      holdOf(running),
      `the subscription that was sold is ${status}; it is not known what was charged`,
    );
  // One that is past due or paused was sold and is mirrored as that: what is owed on it came after the sale.
  if (status === 'incomplete') return restore(ports, running, admitted.subscription, recorded, status);
  const mirrored = await writeFenced(
    ports.subscriptions,
    admitted.subscription,
    soldMirror(admitted.subscription, operation, bought.value, ports.clock.now()),
    [],
    ports.retryPolicy,
  );
  if (mirrored.kind !== 'written')
    return stop(ports, holdOf(running), 'the subscription that was sold could not be mirrored');
  const paying = await setDefaultCard(ports, running, session, bought.value);
  if (paying.kind === 'ended') return paying.outcome;
  return end(ports, paying.hold, mirrored.record, session.id);
}

/**
 * The sale is not valid: the subscription it began is ended at the provider, before any charge or after a failed
 * payment, and the workspace does not change.
 */
async function takeBack(
  ports: CheckoutPorts,
  { operation, subscription }: WaitingCheckout,
  { sold, error }: SaleRefusal,
): Promise<HandlerOutcome> {
  const admitted = await admitExecutor(ports, operation, subscription);
  if (admitted.kind === 'ended') return admitted.outcome;
  const held = holdOf(admitted.operation);
  if (sold.status === 'canceled' || sold.status === 'incomplete_expired')
    return failed(
      ports,
      { ...held, working: recordCall(held.working, { step: 'cancel_now', skipped: 'it has ended' }) },
      error,
    );
  const call = ports.provider.prepare({ operationId: operation._id }, { step: 'cancel_now', subscriptionId: sold.id });
  const called = await callProvider(effectsOf(ports), held, call);
  if (called.kind === 'succeeded') return failed(ports, called.hold, error);
  if (called.kind === 'lost' || called.kind === 'not_sent')
    return notKnown('the end of the sale could not be recorded; nothing was sent');
  return stop(ports, called.hold, `the subscription that was sold has not ended (${called.error.message})`);
}

async function failed(ports: CheckoutPorts, hold: OperationHold, error: SaleRefusal['error']): Promise<HandlerOutcome> {
  const answer = await journalFailure(ports, hold, error);
  return answer.kind === 'failed' ? handled : notKnown('the end of the checkout could not be recorded');
}

type Admitted =
  | { readonly kind: 'admitted'; readonly operation: RunningOperation; readonly subscription: Subscription }
  | { readonly kind: 'ended'; readonly outcome: HandlerOutcome };

/**
 * One executor: the transition changes its kind by a fenced write, then the attempt is admitted. The provider is not
 * called before both are known.
 */
async function admitExecutor(
  ports: CheckoutPorts,
  operation: AwaitingReceiptsOperation,
  subscription: Subscription,
): Promise<Admitted> {
  const planId = String(operation.values['planId']);
  const transition = {
    ...subscription.transition,
    operationId: operation._id,
    kind: 'change_plan',
    targetPlanId: planId,
    attempt: operation.attempts.length,
    requestedAt: operation.createdAt,
  } as const;
  // Two callbacks write equal transitions, so an equal transition in the record does not prove that this process wrote
  // it.
  const taken = await ports.subscriptions.mutate(subscription, { ...subscription, transition });
  if (taken.outcome === 'not_applied')
    return { kind: 'ended', outcome: busyWith('another callback was admitted for this session') };
  if (taken.outcome === 'unknown')
    return { kind: 'ended', outcome: notKnown(`it is not known whether this callback was admitted (${taken.reason})`) };
  const next = admitAttempt(operation, ports.executor, ports.clock.now());
  const admitted = await writeFenced(ports.operations, operation, next, [], ports.retryPolicy);
  if (admitted.kind !== 'written')
    return {
      kind: 'ended',
      outcome: notKnown('it is not known whether the finishing attempt was admitted; the transition stays'),
    };
  return { kind: 'admitted', operation: admitted.record as RunningOperation, subscription: taken.record };
}

/** The checkout keeps its hold on the subscription; the periodic check of open checkouts tries again. */
function soldMirror(
  subscription: Subscription,
  operation: Operation,
  sold: ProviderSubscription,
  now: Date,
): Subscription {
  const provider = { ...withCustomer(subscription.provider, sold.customerId), subscriptionId: sold.id };
  const owned: Subscription = { ...subscription, provider };
  return mirror(owned, {
    ...mirrorOf(owned, sold, String(operation.values['planId']), undefined, now),
    status: statusOfProvider[sold.status] ?? 'active',
    isComplimentary: false,
    freeUntil: undefined,
  });
}

/** The first payment is not complete: the session keeps its hold on the subscription, as before this callback. */
async function restore(
  ports: CheckoutPorts,
  running: RunningOperation,
  subscription: Subscription,
  recorded: CheckoutSession,
  status: string,
): Promise<HandlerOutcome> {
  const waiting = await writeFenced(
    ports.operations,
    running,
    checkoutAwaitsSession(running, recorded, ports.clock.now()),
    [],
    ports.retryPolicy,
  );
  if (waiting.kind !== 'written' || !subscription.transition)
    return notKnown('the checkout could not be put back to waiting');
  const { targetPlanId: _target, ...transition } = subscription.transition;
  const restored = await writeFenced(
    ports.subscriptions,
    subscription,
    { ...subscription, transition: { ...transition, kind: 'checkout' } },
    [],
    ports.retryPolicy,
  );
  return restored.kind === 'written'
    ? failedWith(`the subscription that was sold is ${status}`)
    : notKnown('the checkout could not be put back to waiting');
}

type Paying =
  | { readonly kind: 'done'; readonly hold: OperationHold }
  | { readonly kind: 'ended'; readonly outcome: HandlerOutcome };

/**
 * The card of the sold subscription becomes the customer's default. The sale stays valid when the provider refuses
 * this; a person handles the refusal.
 */
async function setDefaultCard(
  ports: CheckoutPorts,
  running: RunningOperation,
  session: ProviderCheckoutSession,
  sold: ProviderSubscription,
): Promise<Paying> {
  const held = holdOf(running);
  if (session.paymentMethodId === null) {
    const skipped = { step: 'set_default_payment_method', skipped: 'the subscription names no payment method' };
    return { kind: 'done', hold: { ...held, working: recordCall(running, skipped) } };
  }
  const call = ports.provider.prepare(
    { operationId: running._id },
    {
      step: 'set_default_payment_method',
      customerId: sold.customerId,
      paymentMethodId: session.paymentMethodId,
    },
  );
  const called = await callProvider(effectsOf(ports), held, call);
  if (called.kind === 'succeeded') return { kind: 'done', hold: called.hold };
  if (called.kind === 'lost' || called.kind === 'not_sent')
    return {
      kind: 'ended',
      outcome: notKnown('the call for the default payment method could not be recorded; nothing was sent'),
    };
  const why = `the subscription is active, and its card is not the customer's default (${called.error.message})`;
  return { kind: 'ended', outcome: await stop(ports, called.hold, why) };
}

/** Receipt, then the journal with the notice for the owner, then clear. */
async function end(
  ports: CheckoutPorts,
  hold: OperationHold,
  subscription: Subscription,
  sessionId: string,
): Promise<HandlerOutcome> {
  const operation = hold.working;
  const now = ports.clock.now();
  const sale = { tenantId: operation.tenantId, operationId: operation._id, planId: String(operation.values['planId']) };
  const kept = await ports.receipts.insert({
    _id: sessionId,
    ...sale,
    subscriptionId: subscription.provider.subscriptionId ?? '',
    completedAt: now,
  });
  const readReceipt = () => ports.receipts.findById(sessionId);
  if (kept.outcome === 'unknown' && !(await readPatiently(ports.retryPolicy, readReceipt)))
    return stop(ports, hold, `the receipt of the session could not be written (${kept.reason})`);
  const notice = completedNotice(sessionId, sale, operation.actor.email, now);
  const answer = await journalSuccess(ports, hold, {
    result: actionOf(operation.action).result(subscription, operation, []),
    effectiveAt: now,
    announce: [notice],
  });
  return answer.kind === 'succeeded'
    ? handled
    : notKnown('the checkout is complete, and its journal could not be written');
}

async function stop(ports: CheckoutPorts, hold: OperationHold, message: string): Promise<HandlerOutcome> {
  await journalStop(ports, hold, { code: 'outcome_unknown', message });
  return notKnown(message);
}
