/** At start: creations left open by earlier boots of this instance are named, so that somebody investigates. Nothing is taken over (law 4). */
import type { Executor, Log } from '@platform/kernel';
import { apart } from '@platform/mongo';
import type { ProvisioningCollections } from './ports';
import type { ExecutorState } from './read-attempts';

const listed = 1_000;

/**
 * The attempts that an earlier boot of this instance left `preparing` or `awaiting_payment` and that has stopped or was
 * superseded since. What is awaiting payment the reconciliation may still commit; what was preparing needs a person
 * (specification §2: such a record can mean an executor that disappeared). Throws StoreUnavailableError.
 */
export async function reportSuperseded(
  ports: Pick<ProvisioningCollections, 'attempts'> & {
    readonly executorState: ExecutorState;
    readonly executor: Executor;
    readonly log: Log;
  },
): Promise<readonly string[]> {
  const left: { readonly tenantId: string; readonly status: string }[] = [];
  for (const status of ['preparing', 'awaiting_payment'] as const) {
    const open = await ports.attempts.find({ status }, { sort: { createdAt: 1, _id: 1 }, limit: listed });
    for (const { _id: tenantId, executor } of open)
      await apart(ports.attempts, tenantId, async () => {
        const { instance, incarnation } = executor;
        if (instance !== ports.executor.instance || incarnation === ports.executor.incarnation) return;
        const state = await ports.executorState(incarnation);
        if (state === 'superseded' || state === 'stopped') left.push({ tenantId, status });
      });
  }
  if (left.length > 0)
    ports.log.warn(
      { attempts: left.slice(0, 50), count: left.length },
      'creations were left open by an earlier boot of this instance; everything of them is kept, and what is preparing needs an investigation',
    );
  return left.map(({ tenantId }) => tenantId);
}
