/** The NATS adapter while its broker is killed, wiped, restarted or rejects its user. Each test has its own broker. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLatch, recorder, suspended } from './messaging.harness';
import { lifecycle, settings, topology, until } from './messaging.nats-support';
import { connectMessaging } from './nats-connect';
import { createSeed } from './nkey.cjs';
import type { Messaging } from './port';
import { startTestServer } from './test-server';
import type { TestServer } from './test-server';
import { ensureTopology } from './topology-apply';

describe('messaging while its broker is killed', () => {
  let server: TestServer;
  let messaging: Messaging;
  const open = async (): Promise<Messaging> => {
    const { namespace: _none, ...options } = settings(server.url, 'delivery', 'unused');
    return connectMessaging(options);
  };
  beforeEach(async () => {
    server = await startTestServer();
    await ensureTopology({ url: server.url, topology });
    messaging = await open();
  });
  afterEach(async () => {
    await messaging.close();
    await server.stop();
  });

  it('consumes, publishes and answers again after the broker came back with its data', async () => {
    const seen = recorder();
    await messaging.consume(lifecycle, seen.handleMessage);
    await messaging.serve({ name: 'gate', version: '1.0.0', description: 'd' }, [
      { name: 'gate', subject: 'query.gate', answer: async () => ({ ok: true, value: { open: true } }) },
    ]);
    await messaging.publish(suspended('op-1'));
    await until(() => seen.messages.length === 1);
    const aborted = new AbortController();
    const notices: string[] = [];
    void messaging.restored(new AbortController().signal).then(() => notices.push('restored'));
    const given = messaging.restored(aborted.signal).then(() => notices.push('aborted'));
    aborted.abort();
    await given;
    await server.kill();
    await until(() => !messaging.connected());
    expect(notices).toEqual(['aborted']);
    expect(await messaging.publish(suspended('op-2'))).toBe('unknown');
    expect(await messaging.request('query.gate', {}, 1_000)).toMatchObject({ error: { code: 'not_connected' } });
    expect(messaging.quietConsumers()).toEqual(['LIFECYCLE/lifecycle-delivery']);
    await server.restart();
    await until(() => notices.includes('restored'));
    expect(messaging.connected()).toBe(true);
    await until(async () => (await messaging.publish(suspended('op-2'))) === 'acknowledged');
    await until(() => seen.ids().includes('op-2'));
    expect(await messaging.request('query.gate', {}, 60_000)).toEqual({ ok: true, value: { open: true } });
  });

  it('delivers again what was being handled while the broker died, and only that', async () => {
    const latch = createLatch();
    const seen = recorder(async ({ deliveryCount }) => {
      if (deliveryCount === 1) await latch.opened;
      return { kind: 'ack' };
    });
    const quick = { stream: 'TENANT_LIFECYCLE', durable: 'quick' };
    await messaging.ensureDurable({
      ...quick,
      filterSubjects: ['tenant.lifecycle.*.quick'],
      ackWaitMs: 500,
      maxAckPending: 10,
    });
    await messaging.publish({ ...suspended('op-1'), subject: 'tenant.lifecycle.suspended.quick' });
    await messaging.consume(quick, seen.handleMessage);
    await until(() => seen.messages.length === 1);
    await server.kill();
    await until(() => !messaging.connected());
    latch.open();
    await server.restart();
    await until(() => messaging.connected());
    await until(async () => {
      const state = (await messaging.streamStates().catch(() => [])).find(
        ({ stream }) => stream === 'TENANT_LIFECYCLE',
      );
      return state?.messages === 0;
    });
    expect(new Set(seen.ids())).toEqual(new Set(['op-1']));
  });

  it('recovers from a wiped disk as soon as the topology is applied', async () => {
    const seen = recorder();
    await messaging.consume(lifecycle, seen.handleMessage);
    await messaging.publish(suspended('op-1'));
    await until(() => seen.messages.length === 1);
    await server.kill();
    await server.restart({ wiped: true });
    await until(() => messaging.connected());
    await expect(messaging.assertTopology()).rejects.toThrow('LIFECYCLE is missing');
    await ensureTopology({ url: server.url, topology });
    await messaging.assertTopology();
    await messaging.publish(suspended('op-1'));
    await until(() => seen.messages.length === 2);
    expect(seen.messages.map(({ id, sequence }) => [id, sequence])).toEqual([
      ['op-1', 1],
      ['op-1', 1],
    ]);
  });

  it('leaves open what became of a request during which the broker died', async () => {
    const latch = createLatch();
    let asked = false;
    await messaging.serve({ name: 'gate', version: '1.0.0', description: 'd' }, [
      {
        name: 'gate',
        subject: 'query.gate',
        answer: async () => {
          asked = true;
          return latch.opened.then(() => ({ ok: true, value: {} }));
        },
      },
    ]);
    const answer = messaging.request('query.gate', {}, 1_000);
    await until(() => asked);
    await server.kill();
    const outcome = await answer;
    latch.open();
    await server.restart();
    // The broker may return with the answer in time, so the whole time is allowed.
    expect(outcome).toMatchObject({ ok: false, error: { code: 'timeout' } });
  });

  it('waits for a broker that starts later', async () => {
    await server.kill();
    const connecting = open();
    await server.restart();
    const late = await connecting;
    expect(late.connected()).toBe(true);
    await late.close();
  });

  it('closes while the broker is unreachable', async () => {
    const other = await open();
    await other.consume(lifecycle, async () => ({ kind: 'ack' }));
    await other.serve({ name: 'gate', version: '1.0.0', description: 'd' }, [
      { name: 'gate', subject: 'query.gate', answer: async () => ({ ok: true, value: {} }) },
    ]);
    await server.kill();
    await until(() => !other.connected());
    await other.close();
    expect(await other.closed).toBeUndefined();
    await server.restart();
  });
});

describe('messaging whose sign-on is answered with an error', () => {
  /** A broker that answers some of its connections with this error, and is the real one for all others. */
  async function answering(error: string, nth: readonly number[], { url }: TestServer) {
    const { hostname, port } = new URL(url);
    const open: Socket[] = [];
    const broker = createServer((socket) => {
      socket.on('error', () => undefined);
      open.push(socket);
      if (nth.includes(open.length))
        return void socket.end(
          `INFO {"server_id":"x","version":"2.10.27","max_payload":1048576}\r\n-ERR '${error}'\r\n`,
        );
      const real = connect(Number(port), hostname, () => socket.pipe(real).pipe(socket));
      real.on('error', () => undefined);
      socket.once('close', () => real.destroy());
    });
    await once(broker.listen(0, '127.0.0.1'), 'listening');
    const cut = (): void => open.forEach((socket) => void socket.destroy());
    return { broker, open, cut, url: `nats://127.0.0.1:${(broker.address() as AddressInfo).port}` };
  }
  let server: TestServer;
  beforeAll(async () => (server = await startTestServer()));
  afterAll(() => server.stop());

  it('tries again after a time-out, which a busy broker has', async () => {
    const { broker, url } = await answering('Authentication Timeout', [1], server);
    const messaging = await connectMessaging(settings(url, 'operator', 'late'));
    expect(messaging.connected()).toBe(true);
    await messaging.close();
    broker.close();
  });

  it('is back after any number of time-outs of a later sign-on', async () => {
    const { broker, url, open, cut } = await answering('Authentication Timeout', [2, 3, 4], server);
    const messaging = await connectMessaging(settings(url, 'operator', 'lateagain'));
    let ended = false;
    void messaging.closed.then(() => (ended = true));
    cut();
    await until(() => ended || (open.length > 4 && messaging.connected()));
    expect(ended).toBe(false);
    await messaging.close();
    broker.close();
  });

  it('signs on with the seed that it read before, while a new one cannot be read', async () => {
    const { broker, url, open, cut } = await answering('none', [], server);
    const seeds = [createSeed(), 'SUHALF', ''];
    const seed = (): string => {
      const next = seeds.shift();
      if (next === undefined) throw new Error('ENOENT: the file is being replaced');
      return next;
    };
    const messaging = await connectMessaging({
      ...settings(url, 'storage', 'seeds'),
      credentials: { user: 'storage', seed },
    });
    let ended = false;
    void messaging.closed.then(() => (ended = true));
    for (const connections of [2, 3, 4]) {
      cut();
      await until(() => ended || (open.length >= connections && messaging.connected()));
      expect(ended).toBe(false);
    }
    await messaging.close();
    broker.close();
  });

  it('ends after a refusal', async () => {
    const { broker, url } = await answering('Authorization Violation', [1], server);
    await expect(connectMessaging(settings(url, 'operator', 'refused'))).rejects.toThrow('Authorization Violation');
    broker.close();
  });
});

describe('messaging whose user loses its password', () => {
  it('ends for good with the reason, so that the host can end the process', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'messaging-users-'));
    const file = join(folder, 'users.conf');
    const usersFile = (password: string): string =>
      `authorization { users: [ { user: "operator", password: "${password}" } ] }`;
    await writeFile(file, usersFile('old'));
    const server = await startTestServer(file);
    const { namespace: _none, ...options } = settings(server.url, 'operator', 'unused');
    const messaging = await connectMessaging({ ...options, credentials: { user: 'operator', password: 'old' } });
    await server.kill();
    await writeFile(file, usersFile('new'));
    await server.restart();
    expect((await messaging.closed)?.message).toMatch(/authorization/i);
    expect(messaging.connected()).toBe(false);
    await messaging.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
});
