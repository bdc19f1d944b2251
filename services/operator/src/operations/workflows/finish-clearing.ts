/**
 * The start-up sweep: transitions whose operation is journalled but which a crash left standing are cleared (law 6 made
 * whole). It reads the journal and clears; it performs no effect and touches no operation that is still undecided. An
 * operation with which it cannot deal is set aside by name and keeps neither the others nor the service from going on.
 */
import { walk } from '@platform/durable/record';
import { apart } from '@platform/mongo';
import { clearAfterJournal } from './journal-outcome';
import type { OperatorPorts } from './ports';

/** Clears what is journalled and returns how many transitions were looked at and how many were cleared. */
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
