/** Every fault at every port call of a team that is served over HTTP: nothing is lost, and nothing is posted that must not be. */
import { assertNoViolations, combineFaults, formatSweep, runSweep, type Scenario } from '@platform/testing';
import { deliveryIdOf } from './domain/delivery';
import { actionFaults, bootActions, repeated, rounds, type ActionsLife, type Mutation } from './testing/actions-world';
import { createHttpWorld, receiptOf, team, urlOf, type HttpWorld } from './testing/http-world';
import type { PostOutcome } from './endpoints/port';

const operations = ['operation-1', 'operation-2', 'operation-meanwhile'];

/** The first run of the second operation fails; a receipt names its operation. */
const createWorld = (): HttpWorld =>
  createHttpWorld({
    [team]: (post, nth) => (post.body.includes('operation-2') && nth === 1 ? { status: 500, body: 'no' } : undefined),
  });

function check(world: HttpWorld): string[] {
  const { violations, consumers, deliveries, messages, posts, broker } = world;
  const ids = consumers.all()[0]?.actions?.map(({ requestId }) => requestId) ?? [];
  const webhookIds = (operationId: string) =>
    new Set(posts.filter(({ body }) => body.includes(`"${operationId}"`)).map(({ headers }) => headers['webhook-id']));
  const receiptsOf = (operationId: string): string[] => {
    const found = deliveries.all().find(({ _id }) => _id === deliveryIdOf(operationId, team));
    if (found?.status !== 'succeeded') return [`${operationId} ended ${found?.status ?? 'without a delivery'}`];
    const given = `receipt of ${operationId}`;
    return found.receipt.receiptId === given ? [] : [`${operationId} has the receipt ${found.receipt.receiptId}`];
  };
  const dead = broker.published.filter(({ subject }) => subject.startsWith('dead_letter'));
  return [
    ...violations,
    ...(ids.join() === 'register_endpoint-1,pause-1,resume-1' ? [] : [`the actions on record are ${ids.join()}`]),
    ...operations.filter((id) => webhookIds(id).size === 0).map((id) => `${id} was never posted`),
    ...operations.filter((id) => webhookIds(id).size > 1).map((id) => `${id} was posted under several ids`),
    ...operations.flatMap(receiptsOf),
    ...messages.all().flatMap(({ _id, status }) => (status === 'settled' ? [] : [`${_id} never settled`])),
    ...dead.map(({ headers }) => `dead letter: ${headers['dead-letter-reason']}`),
  ];
}

const faultsFor: Scenario<HttpWorld, ActionsLife>['faultsFor'] = combineFaults<HttpWorld>(
  actionFaults<HttpWorld>()!,
  ({ name }) => {
    if (name === 'secrets.read')
      return [{ name: 'not_mounted', answer: async () => ({ ok: false, problem: 'the secret has no readable file' }) }];
    if (name !== 'endpoints.post') return [];
    const lost: PostOutcome = { kind: 'unanswered', reason: 'ECONNRESET' };
    return [
      { name: 'not_sent', answer: async () => ({ kind: 'not_sent', reason: 'ECONNREFUSED' }) },
      { name: 'answer_lost', answer: (invoke) => invoke().then(() => lost) },
      { name: 'lost_on_its_way', answer: async () => lost },
    ];
  },
);

async function asked(
  life: ActionsLife,
  world: HttpWorld,
  action: 'register_endpoint' | 'pause' | 'resume',
): Promise<void> {
  await repeated(async () => (await world.ask(action)) === 'done');
  await life.align();
  await world.broker.settle();
}

function scenario(
  mutation: Mutation = (ports) => ports,
  makeWorld: () => HttpWorld = createWorld,
): Scenario<HttpWorld, ActionsLife> {
  return {
    name: 'a team over HTTP',
    createWorld: makeWorld,
    boot: (world, process) => bootActions(world, process, mutation),
    async act(life, world) {
      await asked(life, world, 'register_endpoint');
      await world.announce('operation-1');
      await world.announce('operation-2');
      await world.broker.settle();
      await world.broker.settle();
      await asked(life, world, 'pause');
      await world.announce('operation-meanwhile');
      await world.broker.settle();
      await rounds(life, world, 1);
      await asked(life, world, 'resume');
      await rounds(life, world, 1);
    },
    async recover(life, world) {
      await asked(life, world, 'register_endpoint');
      for (const operationId of operations.slice(0, 2)) await world.announce(operationId);
      await asked(life, world, 'pause');
      await world.announce('operation-meanwhile');
      await asked(life, world, 'resume');
      world.broker.redeliverAll();
      await world.broker.settle();
      await rounds(life, world, 4);
    },
    check,
    faultsFor,
  };
}

const posting =
  (change: (post: Parameters<Parameters<Mutation>[0]['endpoints']['post']>[0]) => typeof post): Mutation =>
  (ports) => ({ ...ports, endpoints: { ...ports.endpoints, post: (post) => ports.endpoints.post(change(post)) } });
/** As if the body were written again after it was signed. */
const signsOtherBytes = posting((post) => ({ ...post, body: JSON.stringify(JSON.parse(post.body), null, 1) }));
const pausesNothing: Mutation = (ports) => ({
  ...ports,
  readConsumers: async () => (await ports.readConsumers()).map((one) => ({ ...one, paused: false })),
  consumers: {
    ...ports.consumers,
    findById: async (id) => {
      const found = await ports.consumers.findById(id);
      return found && { ...found, paused: false };
    },
  },
});
const namesEachAttempt: Mutation = (ports) => {
  let attempts = 0;
  return posting((post) => ({
    ...post,
    headers: { ...post.headers, 'webhook-id': `${post.headers['webhook-id']}:${(attempts += 1)}` },
  }))(ports);
};
/** Answers every POST with the receipt of the first operation, as an endpoint does that mixes up its answers. */
const answersForAnother: Mutation = (ports) => ({
  ...ports,
  endpoints: {
    ...ports.endpoints,
    post: async (post) => {
      const outcome = await ports.endpoints.post(post);
      const body = { ...(JSON.parse(post.body) as Record<string, unknown>), operationId: 'operation-1' };
      return outcome.kind === 'answered' && outcome.status === 200
        ? { ...outcome, body: receiptOf(body).body ?? '' }
        : outcome;
    },
  },
});
/** The build that takes such an answer for a receipt of what was posted. */
const takesAnyReceipt: Mutation = (ports) => ({
  ...ports,
  endpoints: {
    ...ports.endpoints,
    post: async (post) => {
      const outcome = await answersForAnother(ports).endpoints.post(post);
      if (outcome.kind !== 'answered' || outcome.status !== 200) return outcome;
      const { operationId } = JSON.parse(post.body) as { readonly operationId: string };
      return { ...outcome, body: JSON.stringify({ ...JSON.parse(outcome.body), operationId }) };
    },
  },
});

const elsewhere = 'elsewhere';
/** The endpoint sends the first run of the first operation to another host. */
const redirectingWorld = (): HttpWorld =>
  createHttpWorld({
    [team]: (post, nth) =>
      post.body.includes('operation-1') && nth === 1
        ? { status: 307, headers: { location: urlOf(elsewhere) } }
        : undefined,
    [elsewhere]: () => undefined,
  });
const followsRedirects: Mutation = (ports) => ({
  ...ports,
  endpoints: {
    ...ports.endpoints,
    post: async (post) => {
      const outcome = await ports.endpoints.post(post);
      const moved = outcome.kind === 'answered' && outcome.status === 307;
      return moved ? ports.endpoints.post({ ...post, url: urlOf(elsewhere) }) : outcome;
    },
  },
});

describe('the crash sweep of a team over HTTP', () => {
  it('finds no violation for any fault at any port call', async () => {
    const result = await runSweep(scenario(), {});
    process.stdout.write(`${formatSweep([result])}\n`);
    assertNoViolations(result);
    expect(result.calls.filter(({ name }) => name === 'endpoints.post').length).toBeGreaterThan(3);
  });

  it.each([
    ['other bytes are signed than posted', signsOtherBytes, 'no signature that its team can check'],
    ['a pause stops nothing', pausesNothing, 'was posted while its consumer was paused'],
    ['each attempt has an id of its own', namesEachAttempt, 'was posted under several ids'],
    ['a receipt for another delivery is taken', takesAnyReceipt, 'operation-2 has the receipt receipt of operation-1'],
  ])('fails when %s', async (_law, mutation, violation) => {
    const result = await runSweep(scenario(mutation), { only: { k: 0, fault: 'none' } });
    expect(formatSweep([result])).toContain(violation);
    expect(() => assertNoViolations(result)).toThrow('violations');
  });

  it('fails when a redirect is followed, and does not when none is', async () => {
    const only = { k: 0, fault: 'none' };
    assertNoViolations(await runSweep(scenario(undefined, redirectingWorld), { only }));
    const result = await runSweep(scenario(followsRedirects, redirectingWorld), { only });
    expect(formatSweep([result])).toContain(`posted to a consumer that is not registered`);
    expect(() => assertNoViolations(result)).toThrow('violations');
  });

  it('leaves a delivery open whose endpoint answers for another one', async () => {
    const result = await runSweep(scenario(answersForAnother), { only: { k: 0, fault: 'none' } });
    expect(formatSweep([result])).toContain('operation-2 ended failed');
    expect(formatSweep([result])).not.toContain('has the receipt');
  });
});
