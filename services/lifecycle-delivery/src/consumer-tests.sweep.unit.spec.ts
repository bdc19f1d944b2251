/**
 * Every fault at every port call of a consumer test: the test is sent and answered once, and no workspace is touched.
 */
import { lifecycleTypes, type LifecycleMessage } from '@platform/contracts-lifecycle-delivery';
import { assertNoViolations, formatSweep, runSweep, type Scenario } from '@platform/testing';
import {
  actionFaults,
  bootActions,
  createSettledWorld,
  repeated,
  settleBefore,
  takesUp,
  type ActionsLife,
  type ActionsWorld,
  type Mutation,
  type SettledWorld,
} from './testing/actions-world';

const operationId = 'operation-before';

const recordsOf = ({ deliveries, messages }: ActionsWorld): string =>
  JSON.stringify([deliveries.all(), messages.all().map((record) => ({ ...record, outbox: undefined }))]);

function check({ before, consumers, received, ...world }: SettledWorld): string[] {
  const tests = consumers.all()[0]?.tests ?? [];
  const lifecycle = received.filter(({ type }) => type === lifecycleTypes.delivery);
  return [
    ...(tests.length === 1 ? [] : [`${tests.length} tests are on record`]),
    ...tests.flatMap(({ receipt }) => (receipt ? [] : ['the test was never answered'])),
    ...(lifecycle.every(({ body }) => (body as LifecycleMessage).operationId === operationId)
      ? []
      : ['the consumer took the test for a lifecycle message']),
    ...(before.state === undefined || before.state === recordsOf({ ...world, consumers, received })
      ? []
      : ['a test changed a record of a workspace']),
  ];
}

function scenario(mutation: Mutation = (ports) => ports): Scenario<SettledWorld, ActionsLife> {
  const settled = settleBefore([operationId], recordsOf);
  return {
    name: 'a test of a consumer',
    createWorld: createSettledWorld,
    boot: (world, process) => bootActions(world, process, mutation),
    async act(life, world) {
      await settled(life, world);
      await repeated(() => world.ask('test'));
      await takesUp(life, world, 1);
    },
    async recover(life, world) {
      await settled(life, world);
      // No person repeats a recorded request: the worker continues it.
      if (!world.consumers.all()[0]?.tests) await repeated(() => world.ask('test'));
      await takesUp(life, world, 2);
      world.broker.redeliverAll();
      await world.broker.settle();
    },
    check,
    faultsFor: actionFaults(),
  };
}

const goesOutAsLifecycleMessage: Mutation = (ports) => ({
  ...ports,
  broker: {
    ...ports.broker,
    publish: (message) =>
      ports.broker.publish(
        message.type === lifecycleTypes.test
          ? { ...message, type: lifecycleTypes.delivery, body: { ...message.body, operationId: 'test-1' } }
          : message,
      ),
  },
});
const losesTests: Mutation = (ports) => ({
  ...ports,
  broker: {
    ...ports.broker,
    publish: async (message) => (message.type === lifecycleTypes.test ? 'acknowledged' : ports.broker.publish(message)),
  },
});
const forgetsTests: Mutation = (ports) => ({
  ...ports,
  consumers: {
    ...ports.consumers,
    findById: async (id) => {
      const found = await ports.consumers.findById(id);
      return found?.tests ? { ...found, tests: found.tests.map((test) => ({ ...test, testId: 'forgotten' })) } : found;
    },
  },
});

describe('the crash sweep of tests', () => {
  it('finds no violation for any fault at any port call', async () => {
    const result = await runSweep(scenario(), {});
    process.stdout.write(`${formatSweep([result])}\n`);
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(30);
  });

  it.each([
    ['a test goes out as a lifecycle message', goesOutAsLifecycleMessage, 'took the test for a lifecycle message'],
    ['a test is lost', losesTests, 'the test was never answered'],
    ['an answer is matched to no test', forgetsTests, 'the test was never answered'],
  ])('fails when %s', async (_law, mutation, violation) => {
    const result = await runSweep(scenario(mutation), { only: { k: 0, fault: 'none' } });
    expect(formatSweep([result])).toContain(violation);
    expect(() => assertNoViolations(result)).toThrow('violations');
  });
});
