import { createLatch } from '@platform/testing';
import type { OperationRequest } from '../domain/operation';
import { deliverSettlements } from '../../testing/operator-history';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { awaitOutcome } from './await-outcome';
import { runOperation } from './run-operation';

const suspend: OperationRequest = {
  operationId: 'op-suspend-001',
  tenantId: tenant,
  action: 'suspend',
  values: {},
  actor: { id: 'owner' },
};
const farAway = 60_000;

describe('waiting for an outcome', () => {
  it('ends with the settlement that another part of this process brings about', async () => {
    const world = await createOperatorWorld();
    const life = bootOperator(world, 1);
    const waiting = awaitOutcome(life.ports, suspend.operationId, farAway, async (accepted) => {
      const answer = await runOperation(life.ports, suspend, accepted);
      setImmediate(() => void deliverSettlements(world, life));
      return answer;
    });
    expect((await waiting).kind).toBe('succeeded');
  });

  it('ends with the settlement that another replica records, long before the budget is over', async () => {
    const world = await createOperatorWorld();
    const [life, other] = [bootOperator(world, 1), bootOperator(world, 2)];
    const waiting = awaitOutcome(life.ports, suspend.operationId, 24 * 3_600_000, async (accepted) => {
      const answer = await runOperation(life.ports, suspend, accepted);
      setImmediate(() => void deliverSettlements(world, other));
      return answer;
    });
    expect((await waiting).kind).toBe('succeeded');
  });

  it('leaves no timer behind when it ends while the record is being read', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const world = await createOperatorWorld();
    const life = bootOperator(world, 1);
    const latch = createLatch();
    const before = timers();
    const operations = {
      ...life.ports.operations,
      findById: async (id: string) => {
        // The wait ends by its own process while this read is under way.
        await deliverSettlements(world, life);
        await latch.wait();
        return life.ports.operations.findById(id).then(() => null);
      },
    };
    const answer = await awaitOutcome({ ...life.ports, operations }, suspend.operationId, farAway, (accepted) =>
      runOperation(life.ports, suspend, accepted),
    );
    expect(answer.kind).toBe('succeeded');
    latch.open();
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(timers()).toBe(before);
  });

  it('of a caller that chooses no wait takes what the run answers, also when more is to come', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const run = (accepted: () => void) => runOperation(ports, suspend, accepted);
    const answer = await awaitOutcome(ports, suspend.operationId, null, run);
    expect(answer).toMatchObject({ kind: 'unfinished', operation: { status: 'awaiting_receipts' } });
  });

  it('never ends before the intent is durable, however short the budget', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const latch = createLatch();
    const waiting = awaitOutcome(ports, suspend.operationId, 0, async (accepted) => {
      await latch.wait();
      return runOperation(ports, suspend, accepted);
    });
    latch.open();
    const answer = await waiting;
    expect(answer.kind === 'unfinished' ? answer.operation._id : answer.kind).toBe(suspend.operationId);
  });

  it('ends with the record as it is when the budget is over, and leaves the executor running', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const latch = createLatch();
    const held = {
      ...ports,
      subscriptions: {
        ...ports.subscriptions,
        findById: (id: string) => ports.subscriptions.findById(id),
        mutate: async (...args: Parameters<typeof ports.subscriptions.mutate>) => {
          await latch.wait();
          return ports.subscriptions.mutate(...args);
        },
      },
    };
    const waiting = awaitOutcome(ports, suspend.operationId, 0, (accepted) => runOperation(held, suspend, accepted));
    expect(['pending', 'running']).toContain(
      await waiting.then((answer) => (answer.kind === 'unfinished' ? answer.operation.status : answer.kind)),
    );
    expect(ports.work.count('operations')).toBe(1);
    latch.open();
    await ports.work.drained();
    expect(world.operations()[0]?.status).toBe('awaiting_receipts');
  });
});
