/**
 * Every fault at every port call of a pause, of a message that arrives during it, and of the resumption: nothing is
 * lost.
 */
import type { LifecycleMessage } from '@platform/contracts-lifecycle-delivery';
import { assertNoViolations, formatSweep, runSweep, type Scenario } from '@platform/testing';
import {
  actionFaults,
  bootActions,
  createActionsWorld,
  forgetsRequests,
  repeated,
  rounds,
  type ActionsLife,
  type ActionsWorld,
  type Mutation,
} from './testing/actions-world';

const operations = ['operation-before', 'operation-meanwhile'];

interface World extends ActionsWorld {
  check(): string[];
}

async function createWorld(): Promise<World> {
  const effects = new Set<string>();
  const violations = new Set<string>();
  const world = await createActionsWorld(({ body }) => {
    const { operationId } = body as LifecycleMessage;
    if (operationId === 'operation-meanwhile' && world.consumers.all()[0]?.paused)
      violations.add(`${operationId} was sent while its consumer was paused`);
    effects.add(operationId);
  });
  const { consumers, deliveries, messages } = world;
  return {
    ...world,
    check(): string[] {
      const [record] = consumers.all();
      const ids = record?.actions?.map(({ requestId }) => requestId) ?? [];
      return [
        ...violations,
        ...(ids.join() === 'pause-1,resume-1' ? [] : [`the actions on record are ${ids.join()}`]),
        ...operations.filter((id) => !effects.has(id)).map((id) => `${id} never took effect`),
        ...deliveries
          .all()
          .flatMap(({ operationId, status }) => (status === 'succeeded' ? [] : [`${operationId} ${status}`])),
        ...(messages.all().filter(({ status }) => status === 'settled').length === operations.length
          ? []
          : ['a message was never settled']),
      ];
    },
  };
}

function scenario(mutation: Mutation = (ports) => ports): Scenario<World, ActionsLife> {
  return {
    name: 'a pause',
    createWorld,
    boot: (world, process) => bootActions(world, process, mutation),
    async act(life, world) {
      await world.announce('operation-before');
      await repeated(() => world.ask('pause'));
      await world.announce('operation-meanwhile');
      await rounds(life, world, 1);
      await repeated(() => world.ask('resume'));
      await rounds(life, world, 1);
    },
    async recover(life, world) {
      // The person repeats each request under its id until it is answered, in the order in which they were made.
      await repeated(() => world.ask('pause'));
      for (const operationId of operations) await world.announce(operationId);
      await repeated(() => world.ask('resume'));
      world.broker.redeliverAll();
      await world.broker.settle();
      await rounds(life, world, 3);
    },
    check: (world) => world.check(),
    faultsFor: actionFaults(),
  };
}

const pausesNothing: Mutation = (ports) => ({
  ...ports,
  readConsumers: async () => (await ports.readConsumers()).map((one) => ({ ...one, paused: false })),
});
/** Treats a paused consumer as one that is not required. */
const losesWhatComesMeanwhile: Mutation = (ports) => ({
  ...ports,
  readConsumers: async () => (await ports.readConsumers()).filter(({ paused }) => !paused),
});
describe('the crash sweep of pauses', () => {
  it('finds no violation for any fault at any port call', async () => {
    const result = await runSweep(scenario(), {});
    process.stdout.write(`${formatSweep([result])}\n`);
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(40);
  });

  it.each([
    ['a pause stops nothing', pausesNothing, 'was sent while its consumer was paused'],
    ['what comes meanwhile is lost', losesWhatComesMeanwhile, 'operation-meanwhile never took effect'],
    ['a repeated request acts twice', forgetsRequests, 'the actions on record are'],
  ])('fails when %s', async (_law, mutation, violation) => {
    const result = await runSweep(scenario(mutation), { only: { k: 0, fault: 'none' } });
    expect(formatSweep([result])).toContain(violation);
    expect(() => assertNoViolations(result)).toThrow('violations');
  });
});
