/** Every fault at every port call of a replay: everything is received again, and no operation's settlement changes. */
import { isReplayed, type LifecycleMessage } from '@platform/contracts-lifecycle-delivery';
import { assertNoViolations, formatSweep, runSweep, type Scenario } from '@platform/testing';
import {
  actionFaults,
  bootActions,
  createSettledWorld,
  repeated,
  rounds,
  settleBefore,
  takesUp,
  type ActionsLife,
  type ActionsWorld,
  type Mutation,
  type SettledWorld,
} from './testing/actions-world';

const operations = ['operation-1', 'operation-2', 'operation-3'];
const live = 'operation-live';
const since = '2025-12-31T00:00:00.000Z';

/** The records and announcements of the operations. */
function stateOf({ deliveries, messages, broker }: ActionsWorld): string {
  const records = [...deliveries.all(), ...messages.all().map((record) => ({ ...record, outbox: undefined }))];
  const settlements = broker.published.filter(
    ({ subject, duplicate }) => subject.startsWith('lifecycle.settled') && !duplicate,
  );
  return JSON.stringify([records, settlements.map(({ body }) => body)].map((all) => of(all)));
  function of(all: readonly unknown[]): unknown[] {
    return all.filter((one) => !JSON.stringify(one).includes(live));
  }
}

function check(world: SettledWorld): string[] {
  const replay = world.consumers.all()[0]?.replay;
  const again = new Set(
    world.received.filter(({ id }) => isReplayed(id)).map(({ body }) => (body as LifecycleMessage).operationId),
  );
  const settledLive = world.messages.all().some(({ _id, status }) => _id === live && status === 'settled');
  return [
    ...(replay?.status === 'completed' ? [] : [`the replay is ${replay?.status ?? 'not on record'}`]),
    ...(replay?.received === operations.length ? [] : [`the replay counts ${replay?.received} received messages`]),
    ...operations.filter((id) => !again.has(id)).map((id) => `${id} was not received again`),
    ...(again.has(live) ? [`${live} was replayed`] : []),
    ...(settledLive ? [] : [`${live} never settled`]),
    ...(world.before.state === stateOf(world) ? [] : ['the replay changed an operation']),
  ];
}

function scenario(mutation: Mutation = (ports) => ports): Scenario<SettledWorld, ActionsLife> {
  const settled = settleBefore(operations, stateOf);
  return {
    name: 'a replay',
    createWorld: createSettledWorld,
    boot: (world, process) => bootActions(world, process, mutation),
    async act(life, world) {
      await settled(life, world);
      await repeated(() => world.ask('replay', { since }));
      await takesUp(life, world, 1);
      await world.announce(live);
      await takesUp(life, world, 3);
    },
    async recover(life, world) {
      await settled(life, world);
      if (!world.consumers.all()[0]?.replay) await repeated(() => world.ask('replay', { since }));
      await takesUp(life, world, 2);
      await world.announce(live);
      await rounds(life, world, 1);
      await takesUp(life, world, 3);
    },
    check,
    faultsFor: actionFaults(),
  };
}

const losesPages: Mutation = (ports) => ({
  ...ports,
  broker: {
    ...ports.broker,
    publish: async (message) => (isReplayed(message.id) ? 'acknowledged' : ports.broker.publish(message)),
  },
});
/** Treats what arrives in a replay as an answer for an operation that is not settled yet. */
const settlesAgain: Mutation = (ports) => ({
  ...ports,
  broker: {
    ...ports.broker,
    publish: async (message) => {
      if (isReplayed(message.id))
        await ports.broker.publish({ ...message, subject: 'lifecycle.settled.suspended', id: `again:${message.id}` });
      return ports.broker.publish(message);
    },
  },
});
const forgetsProgress: Mutation = (ports) => ({
  ...ports,
  consumers: {
    ...ports.consumers,
    findById: async (id) => {
      const found = await ports.consumers.findById(id);
      if (!found?.replay) return found;
      const { position: _position, page, ...replay } = found.replay;
      return { ...found, replay: page ? { ...replay, page: { ...page, durableFrom: new Date(0) } } : replay };
    },
  },
});

describe('the crash sweep of replays', () => {
  it('finds no violation for any fault at any port call', async () => {
    const result = await runSweep(scenario(), {});
    process.stdout.write(`${formatSweep([result])}\n`);
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(60);
  });

  it.each([
    ['a page is lost', losesPages, 'operation-1 was not received again'],
    ['a replay settles again', settlesAgain, 'the replay changed an operation'],
    ['a replay forgets how far it is', forgetsProgress, 'the replay is running'],
  ])('fails when %s', async (_law, mutation, violation) => {
    const result = await runSweep(scenario(mutation), { only: { k: 0, fault: 'none' } });
    expect(formatSweep([result])).toContain(violation);
    expect(() => assertNoViolations(result)).toThrow('violations');
  });
});
