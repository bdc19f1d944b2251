/** Which broker an off-line command asks, and how long it keeps the connection. */
import { createManualClock, executorSubject, ok } from '@platform/kernel';
import { createFakeBroker } from '@platform/messaging/testing';
import { askOffLine, offLineRequests, openOffLineRequester, type OffLineRequester } from './off-line';

type Environment = Parameters<typeof openOffLineRequester>[0];
const executor = { service: 'operator', instance: 'operator-1', incarnation: 'boot-1' };
const boot = { findById: async () => ({ _id: 'boot-1', startedAt: new Date('2026-01-01T00:00:00.000Z') }) as never };

/** How a command connects in this environment; null: it does not. */
async function connectionIn(environment: Environment, failure = new Error('ECONNREFUSED')) {
  const connections: object[] = [];
  const unreachable = async (options: object) => {
    connections.push(options);
    throw failure;
  };
  const requester = await openOffLineRequester(environment, unreachable);
  return { connection: connections.at(0) ?? null, requester };
}

/** A broker with a process that is doing `operations/op-1`; each connection is noted. */
async function brokerWithWork() {
  const broker = createFakeBroker({ clock: createManualClock() });
  const asked: unknown[] = [];
  const answer = async (body: unknown) => {
    asked.push(body);
    return ok({ work: [{ key: 'operations/op-1' }] });
  };
  await broker
    .connect('operator')
    .serve({ name: 'operator', version: '1', description: 'work' }, [
      { name: 'work', subject: executorSubject(executor), answer },
    ]);
  const connections = { opened: 0, open: 0 };
  const open = async (): Promise<OffLineRequester> => {
    const messaging = broker.connect('ops');
    connections.opened += 1;
    connections.open += 1;
    const close = async () => {
      connections.open -= 1;
    };
    return { ...messaging, close };
  };
  return { open, asked, connections };
}

describe('the broker of an off-line command', () => {
  it.each<[string, Environment, object | null]>([
    ["the local platform's by default", {}, { url: 'nats://127.0.0.1:7022', name: 'ops', ca: undefined }],
    ["the local platform's at its own ports", { PORT_BASE: '9100' }, { url: 'nats://127.0.0.1:9122' }],
    ['the one that the environment names', { NATS_URL: 'nats://nats:4222' }, { url: 'nats://nats:4222' }],
    ['none in production without a name', { PLATFORM_MODE: 'production' }, null],
    [
      'the one that production names, with its certificate and credentials',
      {
        PLATFORM_MODE: 'production',
        NATS_URL: 'tls://nats:4222',
        NATS_USER: 'ops',
        NATS_PASSWORD: 'secret',
        NATS_CA: '/certs/ca.pem',
      },
      { url: 'tls://nats:4222', ca: '/certs/ca.pem', credentials: { user: 'ops', password: 'secret' } },
    ],
  ])('is %s', async (_which, environment, connection) => {
    const found = await connectionIn(environment);
    if (connection === null) expect(found.connection).toBeNull();
    else expect(found.connection).toMatchObject(connection);
  });

  it.each([{}, { NATS_USER: 'ops' }, { NATS_PASSWORD: 'secret' }, { NATS_USER: '', NATS_PASSWORD: '', NATS_CA: '' }])(
    'gets no credentials from %j',
    async (environment) => {
      const { connection } = await connectionIn(environment);
      expect(connection).not.toHaveProperty('credentials');
      expect(connection).toHaveProperty('ca', undefined);
    },
  );

  const refusal = Object.assign(new Error('Authorization Violation'), { name: 'AuthorizationError' });
  it.each<[string, Environment, Error | undefined, string]>([
    ['that is unreachable', {}, undefined, 'The broker does not answer.'],
    ['that refuses the credentials', { NATS_USER: 'ops', NATS_PASSWORD: 'old' }, refusal, 'refuses the sign-on'],
    ['that is not named', { PLATFORM_MODE: 'production' }, undefined, 'NATS_URL names no broker.'],
  ])(
    '%s leaves requests and publications without an answer, and says why',
    async (_case, environment, failure, why) => {
      const { requester } = await connectionIn(environment, failure);
      expect(requester.problem).toContain(why);
      expect(await requester.request('subject', {}, 1)).toMatchObject({
        ok: false,
        error: { code: 'disconnected', message: requester.problem },
      });
      expect(await requester.publish({} as never)).toBe('unknown');
      await expect(async () => requester.storedMessages('DEAD_LETTERS', 0, 1)).rejects.toThrow(why);
      await requester.close();
    },
  );
});

describe('a question of an off-line command', () => {
  it('is answered by the process over a connection that ends with the answer', async () => {
    const { open, asked, connections } = await brokerWithWork();
    const questions = ['operations/op-1', 'operations/op-2'].map((key) => ({ key, executor }));
    const known = await askOffLine(boot, open)(questions);
    expect(known.map(({ state }) => state)).toEqual(['alive', 'not_under_way']);
    expect(asked).toEqual([{ keys: ['operations/op-1', 'operations/op-2'] }]);
    expect(connections).toEqual({ opened: 1, open: 0 });
  });

  it('about nothing opens no connection', async () => {
    const { open, connections } = await brokerWithWork();
    expect(await askOffLine(boot, open)([])).toEqual([]);
    expect(connections.opened).toBe(0);
  });

  it('ends its connection when the register of boots cannot be read', async () => {
    const { open, connections } = await brokerWithWork();
    const unreadable = { findById: () => Promise.reject(new Error('the store did not answer')) };
    await expect(askOffLine(unreadable, open)([{ key: 'operations/op-1', executor }])).rejects.toThrow(
      'did not answer',
    );
    expect(connections).toEqual({ opened: 1, open: 0 });
  });

  it('of any other kind has its own connection', async () => {
    const { open, connections } = await brokerWithWork();
    const { request } = offLineRequests(open);
    expect(connections.opened).toBe(0);
    for (const key of ['operations/op-1', 'operations/op-2'])
      expect(await request(executorSubject(executor), { keys: [key] }, 1_000)).toMatchObject({ ok: true });
    expect(connections).toEqual({ opened: 2, open: 0 });
  });
});
