/** What the first request for each action costs: a step that is added, or a write, is seen here and not in a figure of time. */
import { contractOf, operationActions, type OperationAction } from '@platform/contracts-operator';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { createSituation, exampleRequest } from '../testing/example-worlds';
import { countSteps, type RoundTrips } from '../testing/round-trips';
import { runOperation } from './run-operation';

/** As the gateway asks: whether the workspace exists has been asked before the body is read. */
async function costOf(action: OperationAction): Promise<RoundTrips> {
  const world = await createSituation(contractOf(action).example.in);
  const steps = countSteps({ store: world.watched, provider: world.provider });
  const { ports } = bootOperator(world, 1, steps);
  await ports.known.exists(tenant);
  return steps.of(() => runOperation(ports, exampleRequest(action)));
}

/** Steps in a row until the caller has its answer; then reads, writes, and requests to the provider, in all. */
const costs: Readonly<Record<OperationAction, readonly [number, number, number, number]>> = {
  suspend: [6, 2, 4, 1],
  reactivate: [4, 3, 3, 0],
  upgrade_plan: [9, 4, 7, 2],
  credit_customer: [4, 3, 2, 1],
  grant_free_access: [8, 4, 6, 1],
  cancel_subscription: [9, 2, 7, 2],
  keep_subscription: [9, 2, 7, 2],
  change_plan_later: [12, 4, 8, 4],
  drop_pending_change: [10, 2, 7, 3],
  // The customer, its open pages and then its subscriptions are read before a session is made for it: a person may have
  // deleted it, or it may pay already.
  checkout: [11, 6, 6, 4],
  expire_checkout: [13, 7, 5, 2],
  delete_workspace: [6, 2, 4, 1],
  end_free_access: [6, 3, 5, 0],
  record_subscription_end: [7, 2, 6, 1],
  record_plan_change: [8, 4, 6, 2],
  give_up_upgrade: [10, 5, 4, 2],
};

describe('the first request', () => {
  it.each(operationActions)('for %s takes no step more than it needs', async (action) => {
    const { inARow, reads, writes, asked } = await costOf(action);
    expect([inARow, reads, writes, asked]).toEqual(costs[action]);
  });

  it('for a credit that is refused is one write', async () => {
    const world = await createOperatorWorld({ provider: {} });
    const steps = countSteps({ store: world.watched, provider: world.provider });
    const { ports } = bootOperator(world, 1, steps);
    const { inARow, writes, asked } = await steps.of(() => runOperation(ports, exampleRequest('credit_customer')));
    expect(world.operations()).toMatchObject([{ status: 'failed', attempts: [{ outcome: 'failed' }] }]);
    expect({ inARow, writes, asked }).toEqual({ inARow: 3, writes: 1, asked: 0 });
  });
});
