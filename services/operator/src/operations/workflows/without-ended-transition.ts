/**
 * The transition of an operation that has ended holds no other operation. The process that ended it may be slow or gone
 * before it clears the transition, while its success is already visible: the next operation then does what is left.
 */
import { clearTransition, leftTransition, type Subscription } from '../../mirror/domain/subscription';
import { actionOf } from '../domain/actions';
import type { FailedOperation, Operation, SucceededOperation } from '../domain/operation';
import { clearAfterJournal, patchOnClearing, type ClearingPorts } from './journal-outcome';
import type { OperatorPorts } from './ports';

type Operations = Pick<OperatorPorts, 'operations'>;

type Asking = Pick<Operation, 'action'> & { readonly operationId: string };

/** The other operation that holds the subscription, when its end is in the journal. A credit is held by none. */
async function endedHolder(
  { operations }: { readonly operations: Pick<OperatorPorts['operations'], 'findById'> },
  { action, operationId }: Asking,
  { transition }: Subscription,
): Promise<SucceededOperation | FailedOperation | null> {
  if (!actionOf(action).transition || !transition || transition.operationId === operationId) return null;
  const holder = await operations.findById(transition.operationId);
  return holder?.status === 'succeeded' || holder?.status === 'failed' ? holder : null;
}

/** The subscription by which an operation is judged, after the clearing that was left. Throws StoreUnavailableError. */
export async function withoutEndedTransition(
  ports: ClearingPorts & Operations,
  asking: Asking,
  read: Subscription,
): Promise<Subscription> {
  const ended = await endedHolder(ports, asking, read);
  if (!ended) return read;
  await clearAfterJournal(ports, ended, read);
  return (await ports.subscriptions.findById(read._id)) ?? read;
}

/** The same for a preview, which writes nothing. Throws StoreUnavailableError. */
export async function asIfCleared(
  ports: Pick<OperatorPorts, 'clock'> & Parameters<typeof endedHolder>[0],
  asking: Asking,
  read: Subscription,
): Promise<Subscription> {
  const ended = await endedHolder(ports, asking, read);
  return ended && leftTransition(read, ended)
    ? clearTransition(read, patchOnClearing(read, ended, ports.clock.now()))
    : read;
}
