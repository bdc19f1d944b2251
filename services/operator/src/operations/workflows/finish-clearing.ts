/**
 * The start-up sweep, which completes law 6: clears transitions that a crash left behind although their operation is
 * journalled. It performs no effect and touches no operation that is still undecided. An operation that it cannot
 * handle is set aside by its id, so it blocks neither the others nor the service.
 */
import { walk } from '@platform/durable/record';
import { apart } from '@platform/mongo';
import { clearAfterJournal } from './journal-outcome';
import type { OperatorPorts } from './ports';

/** Clears transitions of journalled operations; returns how many transitions were examined and how many cleared. */
export async function finishClearing(
  ports: OperatorPorts,
): Promise<{ readonly standing: number; readonly cleared: number }> {
  let standing = 0;
  let cleared = 0;
  for await (const { transition } of walk(ports.subscriptions, { 'transition.operationId': { $exists: true } })) {
    if (!transition) continue;
    standing += 1;
    await apart(ports.operations, transition.operationId, async () => {
      const operation = await ports.operations.findById(transition.operationId);
      if (operation?.status !== 'succeeded' && operation?.status !== 'failed') return;
      if (await clearAfterJournal(ports, operation)) cleared += 1;
    });
  }
  return { standing, cleared };
}
