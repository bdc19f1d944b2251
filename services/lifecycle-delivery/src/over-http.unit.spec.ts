/** Teams over HTTP: how they are registered, what their answers mean, and that none disturbs another. */
import { createLatch, settle as turns } from '@platform/testing';
import { silentLog } from '@platform/kernel';
import { startDelivery, type RunningDelivery } from './delivery';
import {
  createHttpWorld,
  isSigned,
  receiptOf,
  secretOf,
  team,
  urlOf,
  type AnswerOf,
  type HttpWorld,
} from './testing/http-world';
import { takeUpActions } from './workflows/consumer-worker';
import { httpLimits } from './workflows/deliver-over-http';

const other = 'crm';

describe('a team over HTTP', () => {
  let world: HttpWorld;
  let running: RunningDelivery;
  type Store = HttpWorld['store'];
  async function start(answers?: Readonly<Record<string, AnswerOf>>, storeOf = (store: Store): Store => store) {
    world = createHttpWorld(answers);
    const resources = { store: storeOf(world.store), clock: world.clock, random: () => 0, log: silentLog };
    running = await startDelivery({ ...resources, http: world.http, messaging: await world.connect() });
  }
  afterEach(() => running.close());

  /** Registers the team and waits until its courier is open. */
  async function register(consumer = team): Promise<void> {
    expect(await world.ask('register_endpoint', { consumer })).toBe('done');
    await turns(10); // The courier opens a moment after the answer.
  }
  const settle = async (times = 1): Promise<void> => {
    for (let time = 0; time < times; time += 1) await world.broker.settle();
  };
  const deliveryOf = async (operationId: string, consumer = team) =>
    (await world.inspect(operationId)).deliveries.find((each) => each['consumer'] === consumer) as Record<
      string,
      unknown
    > & {
      attempts: { failures: number; answer?: { kind: string } }[];
    };

  it('gets the message that the broker carries, signed, and its answer is the receipt', async () => {
    await start();
    await register();
    await world.announce('operation-1');
    await settle();
    const [post] = world.posts;
    expect(JSON.parse(post!.body)).toEqual({
      ...{ tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' },
      requestedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(post!.headers).toMatchObject({ 'content-type': 'application/json', 'ce-type': 'tenant.lifecycle.v1' });
    expect(await deliveryOf('operation-1')).toMatchObject({
      status: 'succeeded',
      receipt: { receiptId: 'receipt of operation-1' },
      attempts: [{ failures: 0, answer: { kind: 'receipt' } }],
    });
    expect(world.messages.all()).toMatchObject([{ status: 'settled' }]);
    expect(world.violations).toEqual(new Set());
  });

  it('whose receipt is durable has its message settled by the repeat, when the settlement was lost', async () => {
    let lost = 0;
    await start(undefined, (store) => ({
      ...store,
      collection: (declaration) => {
        const collection = store.collection(declaration);
        const mutate: typeof collection.mutate = async (...write) =>
          lost++ === 0 ? { outcome: 'unknown', reason: 'the answer was lost' } : collection.mutate(...write);
        return declaration.name === 'lifecycle_messages' ? { ...collection, mutate } : collection;
      },
    }));
    await register();
    await world.announce('operation-1');
    await settle(2);
    expect(world.posts).toHaveLength(1);
    expect([lost, await deliveryOf('operation-1')]).toMatchObject([2, { status: 'succeeded' }]);
    expect(world.messages.all()).toMatchObject([{ status: 'settled' }]);
  });

  it('is signed to with both secrets during a rotation, and its view shows the name of the secret alone', async () => {
    await start();
    await register();
    world.secrets.set(team, [secretOf('next'), secretOf(team)]);
    await world.announce('operation-1');
    await settle();
    expect(
      [secretOf('next'), secretOf(team), secretOf('former')].map((secret) => isSigned(world.posts[0]!, secret)),
    ).toEqual([true, true, false]);
    const view = await world.view();
    expect(view).toMatchObject({ endpoint: { url: urlOf(team), secretRef: team }, registeredBy: 'ann@example.com' });
    expect(JSON.stringify([view, world.consumers.all()])).not.toContain('whsec_');
  });

  it.each([
    ['a 200 without a body', { status: 200 }, 'receipt refused: HTTP 200 without a body: the body must be the receipt'],
    ['a 200 that is no JSON', { status: 200, body: 'ok' }, 'receipt refused: HTTP 200: the body is no JSON'],
    ['a receipt without its id', { status: 200, body: '{"tenantId":"acme"}' }, 'receipt refused: /receiptId: '],
    [
      'the receipt of another operation',
      receiptOf({ tenantId: 'acme', operationId: 'operation-2', transition: 'suspended' }),
      'receipt refused: operationId is not that of the delivery',
    ],
    [
      'the receipt of another workspace',
      receiptOf({ tenantId: 'globex', operationId: 'operation-1', transition: 'suspended' }),
      'receipt refused: tenantId is not that of the delivery',
    ],
    ['a redirect', { status: 302, headers: { location: urlOf(team) } }, 'HTTP 302: redirects are not followed'],
    ['an error in its own words', { status: 500, body: '{"error":"disk full"}' }, 'HTTP 500: disk full'],
    ['silence', 'silence' as const, 'it is not known whether the message took effect: no answer within 15000 ms'],
  ])('that answers with %s owes the receipt, and the reason is on the delivery', async (_what, answer, error) => {
    await start({ [team]: () => answer });
    await register();
    await world.announce('operation-1');
    await settle();
    const delivery = await deliveryOf('operation-1');
    expect(delivery).toMatchObject({ status: 'failed', lastError: expect.stringContaining(error) as string });
    const refused = error.startsWith('receipt refused');
    expect(delivery.attempts[0]?.answer?.kind).toBe(refused ? 'receipt_refused' : 'run_failed');
    expect((await world.view())?.['refusedReceipts'] !== undefined).toBe(refused);
    expect(world.posts.every(({ url }) => url === urlOf(team))).toBe(true);
  });

  it('whose secret is not mounted gets nothing, and the delivery names the secret', async () => {
    await start();
    await register();
    world.secrets.delete(team);
    await world.announce('operation-1');
    await settle();
    expect(world.posts).toEqual([]);
    expect((await deliveryOf('operation-1'))['lastError']).toBe(
      'the message was not sent: the secret billing has no readable file',
    );
  });

  it('is tried eight times for one publication, under one id, and then left to the retry worker', async () => {
    await start({ [team]: () => ({ status: 500 }) });
    await register();
    await world.announce('operation-1');
    await settle(httpLimits.runsMax + 3);
    expect(world.posts).toHaveLength(httpLimits.runsMax);
    expect(new Set(world.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await deliveryOf('operation-1')).toMatchObject({ status: 'failed', failureCount: httpLimits.runsMax });
  });

  it('that answers 429 is held for as long as it asks, and for no more than a quarter of an hour', async () => {
    let answer: ReturnType<AnswerOf> = { status: 429, headers: { 'retry-after': '120' } };
    await start({ [team]: () => answer });
    await register();
    await world.announce('operation-1');
    await settle(3);
    await world.announce('operation-2');
    world.clock.advance(119_000);
    await settle(2);
    expect(world.posts).toHaveLength(1);
    world.clock.advance(1_000);
    answer = { status: 503, headers: { 'retry-after': '999999' } };
    await settle(2);
    // These were sent at the same time; the first answer delays the others.
    const held = world.posts.length;
    expect(held).toBeLessThanOrEqual(1 + world.http.concurrency);
    answer = undefined;
    world.clock.advance(899_000);
    await settle(2);
    expect(world.posts).toHaveLength(held);
    world.clock.advance(1_000);
    await settle(3);
    expect(world.messages.all().map(({ status }) => status)).toEqual(['settled', 'settled']);
  });

  it('that answers 410 is paused, says so, and loses nothing', async () => {
    let gone = true;
    await start({ [team]: () => (gone ? { status: 410 } : undefined) });
    await register();
    await world.announce('operation-1');
    await settle(3);
    expect(await world.view()).toMatchObject({
      paused: true,
      actions: [
        { action: 'register_endpoint', endpoint: { url: urlOf(team) } },
        { action: 'pause', by: 'lifecycle-delivery', reason: 'its endpoint answered 410 Gone' },
      ],
    });
    expect(world.posts).toHaveLength(1);
    gone = false;
    expect(await world.ask('resume')).toBe('done');
    await settle(3);
    expect(await deliveryOf('operation-1')).toMatchObject({ status: 'succeeded' });
  });

  it('that moved meanwhile is not paused for what its former endpoint answered', async () => {
    const answered = createLatch();
    await start({
      [team]: async (post) => {
        if (post.url !== urlOf(team)) return undefined;
        await answered.wait();
        return { status: 410 };
      },
    });
    await register();
    await world.announce('operation-1');
    const settling = settle(2);
    while (world.posts.length === 0) await new Promise((turn) => setImmediate(turn));
    const endpoint = { url: urlOf(team, '/moved'), secretRef: team, transitions: ['suspended' as const] };
    expect(await world.ask('register_endpoint', { requestId: 'move-1', endpoint })).toBe('done');
    answered.open();
    await settling;
    await settle(2);
    expect((await world.view())?.['paused']).toBeUndefined();
    expect(await deliveryOf('operation-1')).toMatchObject({ status: 'succeeded' });
  });

  it('that is gone and resumed at the same moment is in one of the two states, with both on record', async () => {
    let gone = true;
    await start({ [team]: () => (gone ? { status: 410 } : undefined) });
    await register();
    await world.announce('operation-1');
    await Promise.all([settle(2), world.ask('resume')]);
    const [record] = world.consumers.all();
    expect(record?.actions?.map(({ action }) => action).sort()).toEqual(['pause', 'register_endpoint', 'resume']);
    expect(record?.paused).toBe(record?.actions?.at(-1)?.action === 'pause');
    gone = false;
    expect(await world.ask('resume', { requestId: 'resume-2' })).toBe('done');
    await settle(3);
    expect(await deliveryOf('operation-1')).toMatchObject({ status: 'succeeded' });
  });

  it('answers tests, and a wrong answer is the failure of the test', async () => {
    let answer: ReturnType<AnswerOf> = undefined;
    await start({ [team]: () => answer });
    await register();
    expect(await world.ask('test')).toBe('done');
    await settle(2);
    world.clock.advance(10_000);
    answer = { status: 204 };
    expect(await world.ask('test', { requestId: 'test-2' })).toBe('done');
    await settle(2);
    expect((await world.view())?.['tests']).toMatchObject([
      { testId: 'test-1', receipt: { receiptId: 'receipt of test-1' } },
      { testId: 'test-2', failure: { error: expect.stringContaining('HTTP 204 without a body') as string } },
    ]);
    expect(world.posts).toHaveLength(2);
  });

  it('disturbs no other team while its endpoint is slow, and holds no more places than it has', async () => {
    const answered = createLatch();
    await start({ [team]: () => answered.wait().then(() => undefined), [other]: () => undefined });
    await register(team);
    await register(other);
    for (let nth = 1; nth <= 5; nth += 1) await world.announce(`operation-${nth}`);
    const settling = settle();
    const succeeded = (): number =>
      world.deliveries.all().filter(({ consumer, status }) => consumer === other && status === 'succeeded').length;
    for (let turn = 0; turn < 2_000 && succeeded() < 5; turn += 1) await new Promise((next) => setImmediate(next));
    expect(succeeded()).toBe(5);
    expect(world.posts.filter(({ consumer }) => consumer === team)).toHaveLength(world.http.concurrency);
    answered.open();
    await settling;
    await settle(2);
    expect(world.messages.all().every(({ status }) => status === 'settled')).toBe(true);
  });

  it('gets nothing more once its endpoint is removed, and what waits stays visible', async () => {
    await start({ [team]: () => ({ status: 500 }) });
    await register();
    await world.announce('operation-1');
    await settle();
    expect(await world.ask('remove_endpoint')).toBe('done');
    const before = world.posts.length;
    await settle(4);
    expect(world.posts).toHaveLength(before);
    expect(await deliveryOf('operation-1')).toMatchObject({ status: 'failed', waitingFor: 'consumer_unregistered' });
  });

  it('gets a replay again under an id of its own, and a failed run of it is shown and not repeated', async () => {
    await start({
      [team]: (post) => (post.headers['webhook-id']?.startsWith('replay:') ? { status: 500 } : undefined),
    });
    await register();
    await world.announce('operation-1');
    await settle();
    world.clock.advance(60_000);
    expect(await world.ask('replay', { since: '2025-12-31T00:00:00.000Z' })).toBe('done');
    await takeUpActions(running.ports);
    await settle(4);
    expect(world.posts.map(({ headers }) => headers['webhook-id']?.split(':')[0])).toEqual(['delivery', 'replay']);
    expect((await world.view())?.['replay']).toMatchObject({ failures: { count: 1, error: 'HTTP 500' } });
    expect(await deliveryOf('operation-1')).toMatchObject({ status: 'succeeded' });
  });
});
