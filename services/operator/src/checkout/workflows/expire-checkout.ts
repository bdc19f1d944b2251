/**
 * The expiry of a checkout (workflows §4): only the recorded session, and only while no callback completes it. The
 * attempt that ends it is admitted on the same record as a completion's, so exactly one of the two wins. A reserved
 * trial stays reserved.
 */
import { writeFenced } from '@platform/durable/record';
import { admitAttempt } from '../../operations/domain/journal';
import type { AwaitingReceiptsOperation, RunningOperation } from '../../operations/domain/operation';
import { busyWith, failedWith, handled, notKnown, type HandlerOutcome } from '../../operations/domain/event-outcome';
import { readCheckout, type SessionEvent } from './read-checkout';
import type { CheckoutPorts } from './checkout-ports';
import { operationKey } from '../../operations/workflows/operation-key';
import { holdOf } from '../../operations/workflows/operation-effects';
import { journalFailure } from '../../operations/workflows/journal-outcome';

export async function expireCheckout(ports: CheckoutPorts, event: SessionEvent): Promise<HandlerOutcome> {
  const read = await readCheckout(ports, event);
  if (read.kind === 'ended') return read.outcome;
  const { session, operation } = read;
  if (session.status !== 'expired') return failedWith(`the session is ${session.status} at the provider`);
  const key = operationKey(operation._id);
  if (ports.work.find(key)) return busyWith('another callback is at work on this session');
  return ports.work.run(key, ({ retryPolicy }) => endExpired({ ...ports, retryPolicy }, operation));
}

async function endExpired(ports: CheckoutPorts, operation: AwaitingReceiptsOperation): Promise<HandlerOutcome> {
  const next = admitAttempt(operation, ports.executor, ports.clock.now());
  const admitted = await writeFenced(ports.operations, operation, next, [], ports.retryPolicy);
  if (admitted.kind === 'lost') return busyWith('another callback was admitted for this session');
  if (admitted.kind === 'unknown')
    return notKnown(`it is not known whether this callback was admitted (${admitted.reason})`);
  const running = admitted.record as RunningOperation;
  const answer = await journalFailure(ports, holdOf(running), {
    code: 'retry_window_expired',
    message: 'The session of this checkout expired before anybody paid. Choose a new id for a new checkout.',
  });
  return answer.kind === 'failed' ? handled : notKnown('the end of the checkout could not be recorded');
}
