/** The NATS adapter on a real broker: the shared suite, and the faults that only a real broker can have. */
import { randomBytes } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { silentLog } from '@platform/kernel';
import { messagingFeatures } from './messaging.features';
import { createGate, recorder, suspended } from './messaging.harness';
import { connectMessaging } from './nats-connect';
import type { MessagingOptions } from './nats-connect';
import type { Messaging } from './port';
import { sharedTestServer, startTestServer } from './test-server';
import type { TestServer } from './test-server';
import { platformTopology } from './topology';
import { ensureTopology } from './topology-apply';

const lifecycle = { stream: 'LIFECYCLE', durable: 'lifecycle-delivery' };
const topology = platformTopology();

function createNamespaceName(): string {
  return `m${randomBytes(6).toString('hex')}`;
}

/** Fast settings: the least pull time that the client allows, short delays. */
function settings(url: string, name: string, namespace: string): MessagingOptions {
  return { url, name, namespace, topology, log: silentLog, pullExpiresMs: 1_000, redelivery: { baseMs: 10, capMs: 50 } };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((settle) => setTimeout(settle, 5));
}

async function removeStreams(raw: NatsConnection, namespace: string): Promise<void> {
  const jsm = await jetstreamManager(raw);
  for await (const name of jsm.streams.names()) {
    if (name.startsWith(`${namespace.toUpperCase()}_`)) await jsm.streams.delete(name);
  }
}

describe('messaging over NATS', () => {
  let server: Pick<TestServer, 'url' | 'stop'>;
  let raw: NatsConnection;
  beforeAll(async () => {
    server = await sharedTestServer();
    raw = await connect({ servers: server.url });
  });
  afterAll(async () => {
    await raw.close();
    await server.stop();
  });

  messagingFeatures(async () => {
    const namespace = createNamespaceName();
    const open: Messaging[] = [];
    const applyTopology = async (): Promise<void> => void (await ensureTopology({ url: server.url, topology, namespace }));
    await applyTopology();
    return {
      connect: async (name) => {
        const messaging = await connectMessaging(settings(server.url, name, namespace));
        open.push(messaging);
        return messaging;
      },
      until,
      publishRaw: async (subject, bytes) => void (await jetstream(raw).publish(`${namespace}.${subject}`, bytes)),
      wipe: () => removeStreams(raw, namespace),
      applyTopology,
      close: async () => {
        await Promise.all(open.map((messaging) => messaging.close()));
        await removeStreams(raw, namespace);
      },
    };
  });

  it('keeps namespaces apart on one server', async () => {
    const [one, other] = [createNamespaceName(), createNamespaceName()] as const;
    for (const namespace of [one, other]) await ensureTopology({ url: server.url, topology, namespace });
    const mine = await connectMessaging(settings(server.url, 'one', one));
    const theirs = await connectMessaging(settings(server.url, 'other', other));
    await mine.publish(suspended('op-1'));
    const states = await theirs.streamStates();
    expect(states.find(({ stream }) => stream === 'LIFECYCLE')?.messages).toBe(0);
    await Promise.all([mine.close(), theirs.close()]);
    for (const namespace of [one, other]) await removeStreams(raw, namespace);
  });

  it('opens again on a durable that was removed and declared anew under it', async () => {
    const namespace = createNamespaceName();
    await ensureTopology({ url: server.url, topology, namespace });
    const messaging = await connectMessaging(settings(server.url, 'delivery', namespace));
    const seen = recorder();
    await messaging.consume(lifecycle, seen.handleMessage);
    await until(() => messaging.quietConsumers().length === 0);
    await messaging.removeDurable(lifecycle.stream, lifecycle.durable);
    await until(() => messaging.quietConsumers().length === 1);
    await ensureTopology({ url: server.url, topology, namespace });
    await messaging.publish(suspended('op-1'));
    await until(() => seen.messages.length === 1);
    await messaging.close();
    await removeStreams(raw, namespace);
  });

  it('does not run a handler twice that takes several times the ack wait, nor the messages behind it', async () => {
    const namespace = createNamespaceName();
    await ensureTopology({ url: server.url, topology, namespace });
    const messaging = await connectMessaging(settings(server.url, 'delivery', namespace));
    const slow = { stream: 'TENANT_LIFECYCLE', durable: 'slow' };
    await messaging.ensureDurable({ ...slow, filterSubjects: ['tenant.lifecycle.*.slow'], ackWaitMs: 400, maxAckPending: 10 });
    const gate = createGate();
    const seen = recorder(async () => {
      await gate.opened;
      return { kind: 'ack' };
    });
    await messaging.consume(slow, seen.handleMessage);
    for (const id of ['a', 'b', 'c']) await messaging.publish({ ...suspended(id), subject: 'tenant.lifecycle.suspended.slow' });
    await until(() => seen.messages.length === 1);
    // The broker's own clock is the measure: a probe that is never attended comes back after three ack waits.
    await messaging.ensureDurable({ stream: 'LIFECYCLE', durable: 'probe', filterSubjects: [], ackWaitMs: 400, maxAckPending: 10 });
    await messaging.publish(suspended('probe'));
    const probe = await jetstream(raw).consumers.get(`${namespace.toUpperCase()}_LIFECYCLE`, 'probe');
    for (let delivery = 1; delivery <= 4; delivery += 1) expect((await probe.next())?.info.deliveryCount).toBe(delivery);
    gate.open();
    await until(() => seen.messages.length >= 3);
    expect(seen.messages.map(({ id, deliveryCount }) => `${id}${deliveryCount}`)).toEqual(['a1', 'b1', 'c1']);
    await messaging.close();
    await removeStreams(raw, namespace);
  });

  it('says exactly what differs from the topology', async () => {
    const namespace = createNamespaceName();
    await ensureTopology({ url: server.url, topology, namespace });
    const jsm = await jetstreamManager(raw);
    await jsm.streams.update(`${namespace.toUpperCase()}_ALERTS`, { max_msg_size: 1_000 });
    await jsm.consumers.update(`${namespace.toUpperCase()}_LIFECYCLE`, 'lifecycle-delivery', { ack_wait: 5e9 });
    const messaging = await connectMessaging(settings(server.url, 'operator', namespace));
    await expect(messaging.assertTopology()).rejects.toMatchObject({
      differences: [
        `${namespace.toUpperCase()}_LIFECYCLE/lifecycle-delivery: ack_wait is 5000000000, declared 30000000000`,
        `${namespace.toUpperCase()}_ALERTS: max_msg_size is 1000, declared 69632`,
      ],
    });
    const mended = await ensureTopology({ url: server.url, topology, namespace });
    expect(mended.rows.filter(({ action }) => action === 'updated').map(({ name }) => name.replace(`${namespace.toUpperCase()}_`, ''))).toEqual([
      'LIFECYCLE/lifecycle-delivery',
      'ALERTS',
    ]);
    await expect(messaging.assertTopology()).resolves.toBeUndefined();
    await messaging.close();
    await removeStreams(raw, namespace);
  });

  it('ends the wait for a broker that never comes when it is aborted', async () => {
    const abort = new AbortController();
    const log = { ...silentLog, warn: () => abort.abort(new Error('stopped')) };
    const connecting = connectMessaging({ ...settings('nats://127.0.0.1:1', 'operator', 'x'), log, signal: abort.signal });
    await expect(connecting).rejects.toThrow('stopped');
  });
});

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
    await server.kill();
    await until(() => !messaging.connected());
    expect(await messaging.publish(suspended('op-2'))).toBe('unknown');
    expect(await messaging.request('query.gate', {}, 1_000)).toMatchObject({ error: { code: 'disconnected' } });
    expect(messaging.quietConsumers()).toEqual(['LIFECYCLE/lifecycle-delivery']);
    await server.restart();
    await until(() => messaging.connected());
    await until(async () => (await messaging.publish(suspended('op-2'))) === 'acknowledged');
    await until(() => seen.ids().includes('op-2'));
    expect(await messaging.request('query.gate', {}, 5_000)).toEqual({ ok: true, value: { open: true } });
  });

  it('delivers again what was being handled while the broker died, and only that', async () => {
    const gate = createGate();
    const seen = recorder(async ({ deliveryCount }) => {
      if (deliveryCount === 1) await gate.opened;
      return { kind: 'ack' };
    });
    const quick = { stream: 'TENANT_LIFECYCLE', durable: 'quick' };
    await messaging.ensureDurable({ ...quick, filterSubjects: ['tenant.lifecycle.*.quick'], ackWaitMs: 500, maxAckPending: 10 });
    await messaging.publish({ ...suspended('op-1'), subject: 'tenant.lifecycle.suspended.quick' });
    await messaging.consume(quick, seen.handleMessage);
    await until(() => seen.messages.length === 1);
    await server.kill();
    await until(() => !messaging.connected());
    gate.open();
    await server.restart();
    await until(() => messaging.connected());
    await until(async () => {
      const state = (await messaging.streamStates().catch(() => [])).find(({ stream }) => stream === 'TENANT_LIFECYCLE');
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
    expect(seen.messages.map(({ id, sequence }) => [id, sequence])).toEqual([['op-1', 1], ['op-1', 1]]);
  });

  it('waits for a broker that starts later', async () => {
    await server.kill();
    const connecting = open();
    await server.restart();
    const late = await connecting;
    expect(late.connected()).toBe(true);
    await late.close();
  });

  it('closes while the broker is away', async () => {
    const other = await open();
    await other.consume(lifecycle, async () => ({ kind: 'ack' }));
    await other.serve({ name: 'gate', version: '1.0.0', description: 'd' }, [{ name: 'gate', subject: 'query.gate', answer: async () => ({ ok: true, value: {} }) }]);
    await server.kill();
    await until(() => !other.connected());
    await other.close();
    expect(await other.closed).toBeUndefined();
    await server.restart();
  });
});
