/** A workspace is deleted while its message waits for a team over HTTP: every fault at every port call, and no POST. */
import { assertNoViolations, formatSweep, runSweep, type Scenario } from '@platform/testing';
import { actionFaults, bootActions, repeated, rounds, type ActionsLife, type Mutation } from './testing/actions-world';
import { createHttpWorld, team, type HttpWorld } from './testing/http-world';

/** The endpoint takes nothing, so the broker and the retry worker hold the message when the deletion comes. */
const createWorld = (): HttpWorld => createHttpWorld({ [team]: () => ({ status: 500, body: 'no' }) });

async function deleteInTheMiddle(life: ActionsLife, world: HttpWorld): Promise<void> {
  await repeated(async () => (await world.ask('register_endpoint')) === 'done');
  await life.align();
  await world.announce('operation-1');
  await world.broker.settle();
  await world.announceDeletion();
  await world.broker.settle();
  world.clock.advance(1_000);
  world.broker.redeliverAll();
  await world.broker.settle();
}

const check = ({ violations, deliveries, messages }: HttpWorld): string[] => [
  ...violations,
  ...deliveries.all().flatMap(({ status }) => (status === 'skipped_deleted' ? [] : [`the delivery ended ${status}`])),
  ...messages.all().flatMap(({ _id, status }) => (status === 'settled' ? [] : [`${_id} never settled`])),
];

const scenario = (mutation: Mutation = (ports) => ports): Scenario<HttpWorld, ActionsLife> => ({
  name: 'a deletion before a team over HTTP has answered',
  createWorld,
  boot: (world, process) => bootActions(world, process, mutation),
  async act(life, world) {
    await deleteInTheMiddle(life, world);
    await rounds(life, world, 1);
  },
  async recover(life, world) {
    await deleteInTheMiddle(life, world);
    await rounds(life, world, 4);
  },
  check,
  faultsFor: actionFaults<HttpWorld>(),
});

/** As if no message were checked against the mark of a deletion. */
const postsWhatTheBrokerHolds: Mutation = (ports) => ({
  ...ports,
  deletedTenants: { ...ports.deletedTenants, findById: async () => null },
});

describe('the crash sweep of a deletion before a team over HTTP', () => {
  it('finds no violation for any fault at any port call', async () => {
    const result = await runSweep(scenario(), {});
    process.stdout.write(`${formatSweep([result])}\n`);
    assertNoViolations(result);
    expect(result.calls.some(({ name }) => name.includes('deleted') && name.endsWith('.findById'))).toBe(true);
  });

  it('fails when what the broker holds is posted after the deletion', async () => {
    const result = await runSweep(scenario(postsWhatTheBrokerHolds), { only: { k: 0, fault: 'none' } });
    expect(formatSweep([result])).toContain('was posted about a workspace that is deleted');
    expect(() => assertNoViolations(result)).toThrow('violations');
  });
});
