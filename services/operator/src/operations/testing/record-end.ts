/**
 * An investigator who works beside the operator in sweeps: records the end of an operation with proofs that two people
 * put above the provider's evidence.
 */
import { subscriptionsOf } from '../../access/workflows/announce-access';
import type { OperatorWorld } from '../../testing/operator-world';
import { bootOperator } from '../../testing/operator-world';
import { operationInvestigation } from '../workflows/resolve-operation';
import type { OutcomeProofs } from '@platform/durable/investigation';

export type Outcome = OutcomeProofs['outcome'];

/** Does nothing and returns false while there is no such operation, or its outcome is known. */
export async function recordEnd(world: OperatorWorld, operationId: string, outcome: Outcome): Promise<boolean> {
  // Like the off-line tool, it opens the records without a connection to the broker.
  const ports = { ...bootOperator(world, 90).ports, subscriptions: subscriptionsOf(world.watched, world.clock) };
  const planned = await operationInvestigation.plan(ports, {
    id: operationId,
    outcome,
    executorStopped: 'its host was reinstalled, as far as we know',
    providerObject: outcome === 'applied' ? 'obj_of_another' : null,
    by: 'ops@example.com',
    override: { reason: 'no person looked at the provider here', approvedBy: 'second@example.com' },
  });
  if (planned.ok) await operationInvestigation.record(ports, planned.value);
  return planned.ok;
}
