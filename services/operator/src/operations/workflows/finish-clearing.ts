/**
 * The start-up sweep: transitions whose operation is journalled but which a crash left standing are cleared (law 6 made
 * whole). It reads the journal and clears; it performs no effect and touches no operation that is still undecided.
 */
import type { Subscription } from '../../mirror/domain/subscription';
import { clearAfterJournal } from './journal-outcome';
import type { OperatorPorts } from './ports';

const pageSize = 100;

/** Clears what is journalled and returns how many transitions were looked at and how many were cleared. */
export async function finishClearing(
  ports: OperatorPorts,
): Promise<{ readonly standing: number; readonly cleared: number }> {
  let standing = 0;
  let cleared = 0;
  let after: readonly [string] | undefined;
  for (;;) {
    const page: Subscription[] = await ports.subscriptions.find(
      { 'transition.operationId': { $exists: true } },
      { sort: { _id: 1 }, limit: pageSize, ...(after && { after }) },
    );
    for (const subscription of page) {
      standing += 1;
      const operation = await ports.operations.findById(subscription.transition!.operationId);
      if (operation?.status !== 'succeeded' && operation?.status !== 'failed') continue;
      if (await clearAfterJournal(ports, operation)) cleared += 1;
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return { standing, cleared };
    after = [last._id];
  }
}
