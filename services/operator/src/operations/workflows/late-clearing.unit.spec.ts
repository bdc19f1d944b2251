/** An attempt may reach its clearing late, when the next attempt or the next operation already runs. */
import { createLatch } from '@platform/testing';
import type { OperationRequest } from '../domain/operation';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { previewAction } from './preview-action';
import { runOperation } from './run-operation';

const request = (
  operationId: string,
  action: OperationRequest['action'],
  values: OperationRequest['values'],
): OperationRequest => ({ operationId, tenantId: tenant, action, values, actor: { id: 'owner' } });

describe('an executor that sleeps between the journal of its failure and its clearing', () => {
  it('leaves the transition that the next attempt has taken, and access closed', async () => {
    const world = await createOperatorWorld();
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

describe('an executor that sleeps between the journal of its end and its clearing', () => {
  const upgrade = 'op-late-upgrade-1';

  /** An upgrade that waits with its transition taken, and again with its end in the journal. */
  async function upgradeInSteps() {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const [effects, clearing] = [createLatch(), createLatch()];
    const ended = ['succeeded', 'failed'];
    const hasEnded = () => world.operations().some(({ _id, status }) => _id === upgrade && ended.includes(status));
    const operations: typeof ports.operations = {
      ...ports.operations,
      mutate: async (...given) => {
        if (world.subscription()?.transition) await effects.wait();
        return ports.operations.mutate(...given);
      },
    };
    const subscriptions: typeof ports.subscriptions = {
      ...ports.subscriptions,
      mutate: async (...given) => {
        if (hasEnded()) await clearing.wait();
        return ports.subscriptions.mutate(...given);
      },
    };
    const upgrading = runOperation(
      { ...ports, operations, subscriptions },
      request(upgrade, 'upgrade_plan', { planId: 'pro' }),
    );
    await effects.reached();
    return { world, effects, clearing, upgrading };
  }
  const suspend = request('op-late-suspend-2', 'suspend', {});
  const admitted = { kind: 'unfinished', operation: { status: 'awaiting_receipts' } };

  it('holds no other operation: the next one clears what has ended, and is admitted', async () => {
    const { world, effects, clearing, upgrading } = await upgradeInSteps();
    effects.open();
    await clearing.reached();
    expect(world.subscription()?.transition).toMatchObject({ operationId: upgrade });

    expect(await runOperation(bootOperator(world, 2).ports, suspend)).toMatchObject(admitted);
    const suspended = world.subscription();
    expect(suspended).toMatchObject({ planId: 'pro', transition: { operationId: suspend.operationId } });

    clearing.open();
    expect(await upgrading).toMatchObject({ kind: 'succeeded' });
    expect(world.subscription()).toEqual(suspended);
  });

  it('holds no other operation after a failure either', async () => {
    const { world, effects, clearing, upgrading } = await upgradeInSteps();
    world.provider.failNext('card_declined', { step: 'change_price' });
    effects.open();
    await clearing.reached();
    expect(await runOperation(bootOperator(world, 2).ports, suspend)).toMatchObject(admitted);
    clearing.open();
    expect(await upgrading).toMatchObject({ kind: 'failed' });
    expect(world.subscription()?.transition).toMatchObject({ operationId: suspend.operationId });
  });

  it('holds no attempt that is made again', async () => {
    const { world, effects, clearing, upgrading } = await upgradeInSteps();
    const { ports } = bootOperator(world, 2);
    expect(await runOperation(ports, suspend)).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'transition_pending' } },
    });
    effects.open();
    await clearing.reached();
    expect(await runOperation(ports, suspend)).toMatchObject(admitted);
    clearing.open();
    expect(await upgrading).toMatchObject({ kind: 'succeeded' });
  });

  it('holds no attempt that has lost the race for the subscription to it', async () => {
    const { world, effects, clearing, upgrading } = await upgradeInSteps();
    const { ports } = bootOperator(world, 2);
    const before = { ...world.subscription()!, transition: undefined };
    let reads = 0;
    const subscriptions: typeof ports.subscriptions = {
      ...ports.subscriptions,
      // The first reading is that of before the upgrade.
      findById: async (id) => ((reads += 1) === 1 ? before : ports.subscriptions.findById(id)),
    };
    effects.open();
    await clearing.reached();
    expect(await runOperation({ ...ports, subscriptions }, suspend)).toMatchObject(admitted);
    clearing.open();
    expect(await upgrading).toMatchObject({ kind: 'succeeded' });
  });

  it('holds no preview, which writes nothing', async () => {
    const { world, effects, clearing, upgrading } = await upgradeInSteps();
    const { ports } = bootOperator(world, 2);
    expect((await previewAction(ports, suspend))?.refusal).toMatchObject({ code: 'transition_pending' });
    effects.open();
    await clearing.reached();
    const held = world.subscription();
    expect((await previewAction(ports, suspend))?.refusal).toBeNull();
    expect(world.subscription()).toEqual(held);
    clearing.open();
    expect(await upgrading).toMatchObject({ kind: 'succeeded' });
  });
});
