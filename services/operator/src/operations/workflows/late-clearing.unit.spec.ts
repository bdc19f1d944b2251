/** A failed attempt may reach its clearing late, when the next attempt of the same operation already runs. */
import { createLatch } from '@platform/testing';
import type { OperationRequest } from '../domain/operation';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { runOperation } from './run-operation';

describe('an executor that sleeps between the journal of its failure and its clearing', () => {
  it('leaves the transition that the next attempt has taken, and access closed', async () => {
    const world = await createOperatorWorld();
    const request = (
      operationId: string,
      action: OperationRequest['action'],
      values: OperationRequest['values'],
    ): OperationRequest => ({ operationId, tenantId: tenant, action, values, actor: { id: 'owner' } });

    // Another operation holds the subscription when the first attempt is judged.
    const other = bootOperator(world, 1);
    const held = createLatch();
    const operations: typeof other.ports.operations = {
      ...other.ports.operations,
      mutate: async (...given) => {
        if (world.subscription()?.transition) await held.wait();
        return other.ports.operations.mutate(...given);
      },
    };
    const upgrading = runOperation(
      { ...other.ports, operations },
      request('op-late-other-1', 'upgrade_plan', { planId: 'pro' }),
    );
    await held.reached();

    // The first request is refused before it has taken anything, so it clears nothing.
    const suspend = request('op-late-suspend-1', 'suspend', {});
    expect(await runOperation(bootOperator(world, 4).ports, suspend)).toMatchObject({ kind: 'failed' });

    const sleeper = bootOperator(world, 2);
    const clearing = createLatch();
    const subscriptions: typeof sleeper.ports.subscriptions = {
      ...sleeper.ports.subscriptions,
      findById: async (id) => {
        if (
          world
            .operations()
            .some(
              ({ _id, status, attempts }) =>
                _id === suspend.operationId && status === 'failed' && attempts.length === 2,
            )
        )
          await clearing.wait();
        return sleeper.ports.subscriptions.findById(id);
      },
    };
    const failing = runOperation({ ...sleeper.ports, subscriptions }, suspend);
    await clearing.reached();

    held.open();
    expect(await upgrading).toMatchObject({ kind: 'succeeded' });
    expect(await runOperation(bootOperator(world, 3).ports, suspend)).toMatchObject({
      kind: 'unfinished',
      operation: { status: 'awaiting_receipts' },
    });
    const suspended = world.subscription();
    expect(suspended).toMatchObject({
      access: { state: 'closed' },
      transition: { operationId: suspend.operationId, attempt: 3 },
    });

    clearing.open();
    expect(await failing).toMatchObject({ kind: 'failed' });
    expect(world.subscription()).toEqual(suspended);
  });
});
