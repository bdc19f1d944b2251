/** The NATS adapter on a real broker: the shared suite, and what only a real broker can do to a consumer. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { silentLog } from '@platform/kernel';
import { messagingFeatures } from './messaging.features';
import { createLatch, recorder, suspended } from './messaging.harness';
import { createNamespaceName, lifecycle, settings, topology, until } from './messaging.nats-support';
import { connectMessaging } from './nats-connect';
import type { Messaging } from './port';
import { brokersUnderTest, sharedTestServer } from './test-server';
import type { TestServer } from './test-server';
import { applyTopology, ensureTopology } from './topology-apply';
import { keepTopology, restoreTopology } from './topology-keep';

/** The alerts stream keeps the last message of each subject. */
const keepingOne = {
  ...topology,
  streams: topology.streams.map((each) => (each.name === 'ALERTS' ? { ...each, maxMessagesPerSubject: 1 } : each)),
};

async function removeStreams(raw: NatsConnection, namespace: string): Promise<void> {
  const jsm = await jetstreamManager(raw);
  for await (const name of jsm.streams.names()) {
    if ([`${namespace.toUpperCase()}_`, `KV_${namespace}_`].some((prefix) => name.startsWith(prefix)))
      await jsm.streams.delete(name);
  }
}

describe.each(brokersUnderTest())('messaging over NATS (%s)', (kind) => {
  let server: Pick<TestServer, 'url' | 'stop'>;
  let raw: NatsConnection;
  beforeAll(async () => {
    server = await sharedTestServer(kind);
    raw = await connect({ servers: server.url });
  });
  afterAll(async () => {
    await raw.close();
    await server.stop();
  });

  messagingFeatures(async () => {
    const namespace = createNamespaceName();
    const open: Messaging[] = [];
    const applyTopology = async (): Promise<void> =>
      void (await ensureTopology({ url: server.url, topology, namespace }));
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

  it('stores what is published at the same time once each, in batches where the server has them, also when some is repeated', async () => {
    const namespace = createNamespaceName();
    await ensureTopology({ url: server.url, topology, namespace });
    const operator = await connectMessaging(settings(server.url, 'operator', namespace));
    const publishAll = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from }, (_unused, number) => operator.publish(suspended(`many-${from + number}`))),
      );
    for (const [from, to] of [
      [0, 150],
      [100, 300],
      [0, 300],
    ] as const)
      expect(new Set(await publishAll(from, to))).toEqual(new Set(['acknowledged']));
    const [state] = await operator.streamStates(['LIFECYCLE']);
    expect(state?.messages).toBe(300);
    await operator.close();
    await removeStreams(raw, namespace);
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

  it('opens again on a durable that was removed and declared again under it', async () => {
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
    await messaging.ensureDurable({
      ...slow,
      filterSubjects: ['tenant.lifecycle.*.slow'],
      ackWaitMs: 400,
      maxAckPending: 10,
    });
    const latch = createLatch();
    const seen = recorder(async () => {
      await latch.opened;
      return { kind: 'ack' };
    });
    await messaging.consume(slow, seen.handleMessage);
    for (const id of ['a', 'b', 'c'])
      await messaging.publish({ ...suspended(id), subject: 'tenant.lifecycle.suspended.slow' });
    await until(() => seen.messages.length === 1);
    // The broker's own clock is the measure: a probe that is never acknowledged is delivered again after three ack
    // waits.
    await messaging.ensureDurable({
      stream: 'LIFECYCLE',
      durable: 'probe',
      filterSubjects: [],
      ackWaitMs: 400,
      maxAckPending: 10,
    });
    await messaging.publish(suspended('probe'));
    const probe = await jetstream(raw).consumers.get(`${namespace.toUpperCase()}_LIFECYCLE`, 'probe');
    for (let delivery = 1; delivery <= 4; delivery += 1)
      expect((await probe.next())?.info.deliveryCount).toBe(delivery);
    latch.open();
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
    const repaired = await ensureTopology({ url: server.url, topology, namespace });
    expect(
      repaired.rows
        .filter(({ action }) => action === 'updated')
        .map(({ name }) => name.replace(`${namespace.toUpperCase()}_`, '')),
    ).toEqual(['LIFECYCLE/lifecycle-delivery', 'ALERTS']);
    await expect(messaging.assertTopology()).resolves.toBeUndefined();
    await messaging.close();
    await removeStreams(raw, namespace);
  });

  it('creates again what is lost of the topology, and changes nothing that is there', async () => {
    const namespace = createNamespaceName();
    const there = { url: server.url, topology, namespace };
    const [alerts, settled] = ['ALERTS', 'LIFECYCLE_SETTLED'].map((name) => `${namespace.toUpperCase()}_${name}`);
    await ensureTopology(there);
    expect(await restoreTopology(there)).toEqual([]);
    const jsm = await jetstreamManager(raw);
    await jsm.streams.update(alerts!, { max_msgs_per_subject: 5 });
    await jsm.streams.delete(settled!);
    await jsm.streams.delete(`KV_${namespace}_workspace_access`);
    await jsm.consumers.delete(alerts!, 'operator-work-queue');
    expect([...(await restoreTopology(there))].sort()).toEqual([
      `KV_${namespace}_workspace_access`,
      `${alerts}/operator-work-queue`,
      settled,
      ...['operator', 'operator-work-queue', 'provisioning'].map((durable) => `${settled}/${durable}`),
    ]);
    expect(await restoreTopology(there)).toEqual([]);
    expect((await jsm.streams.info(alerts!)).config.max_msgs_per_subject).toBe(5);
    await jsm.streams.update(alerts!, { max_msgs_per_subject: -1 });
    const rows = (await applyTopology(there)).rows.filter(({ action }) => action !== 'unchanged');
    expect(rows).toEqual([]);
    await removeStreams(raw, namespace);
  });

  it('is kept for as long as a process keeps it: a loss is reported once and repaired', async () => {
    const namespace = createNamespaceName();
    const there = { url: server.url, topology, namespace };
    await ensureTopology(there);
    const said: unknown[] = [];
    const ended = new AbortController();
    const log = {
      error: ({ created }: object & { created?: unknown }) => void said.push(created),
      warn: () => undefined,
    };
    const keeping = keepTopology({ ...there, log, signal: ended.signal, everyMs: 50 });
    const jsm = await jetstreamManager(raw);
    const name = `${namespace.toUpperCase()}_CHECKOUTS`;
    for (const _round of [1, 2]) {
      await jsm.streams.delete(name);
      await until(async () => (await jsm.streams.info(name).catch(() => undefined)) !== undefined);
    }
    ended.abort();
    await keeping;
    expect(said).toEqual([[name], [name]]);
    await removeStreams(raw, namespace);
  });

  it('drops no message that a stream holds before a person has agreed to it', async () => {
    const namespace = createNamespaceName();
    const name = `${namespace.toUpperCase()}_ALERTS`;
    await ensureTopology({ url: server.url, topology, namespace });
    const jsm = await jetstreamManager(raw);
    await jsm.streams.update(name, { max_msgs_per_subject: 5 });
    const subject = `${namespace}.alert.reconciliation_required.operator.operation`;
    for (const text of ['one', 'two']) await jetstream(raw).publish(subject, text);
    const lower = { url: server.url, topology: keepingOne, namespace };
    await expect(applyTopology(lower)).rejects.toMatchObject({
      name: 'TopologyLossError',
      limits: [`${name}: max_msgs_per_subject is 5, declared 1`],
    });
    expect((await jsm.streams.info(name)).state.messages).toBe(2);
    await applyTopology({ ...lower, agreed: { lowerLimits: true } });
    expect((await jsm.streams.info(name)).state.messages).toBe(1);
    await removeStreams(raw, namespace);
  });

  it('lowers a limit that loses nothing of what a stream holds, without anybody being asked', async () => {
    const namespace = createNamespaceName();
    const name = `${namespace.toUpperCase()}_ALERTS`;
    await ensureTopology({ url: server.url, topology, namespace });
    const jsm = await jetstreamManager(raw);
    const { config } = await jsm.streams.info(name);
    await jsm.streams.update(name, { max_age: config.max_age * 2 });
    await jetstream(raw).publish(`${namespace}.alert.reconciliation_required.operator.operation`, 'one');
    await applyTopology({ url: server.url, topology: keepingOne, namespace });
    const { config: lowered, state } = await jsm.streams.info(name);
    expect([lowered.max_age, lowered.max_msgs_per_subject, state.messages]).toEqual([config.max_age, 1, 1]);
    await removeStreams(raw, namespace);
  });

  it('keeps the messages of every other subject when one subject floods a stream', async () => {
    const namespace = createNamespaceName();
    const name = `${namespace.toUpperCase()}_ALERTS`;
    await ensureTopology({ url: server.url, topology: keepingOne, namespace });
    const alert = (service: string) => `${namespace}.alert.reconciliation_required.${service}.operation`;
    await jetstream(raw).publish(alert('provisioning'), 'quiet');
    for (let at = 0; at < 20; at += 1) await jetstream(raw).publish(alert('operator'), `flood ${at}`);
    const jsm = await jetstreamManager(raw);
    const { subjects } = (await jsm.streams.info(name, { subjects_filter: '>' })).state;
    expect(subjects).toEqual({ [alert('provisioning')]: 1, [alert('operator')]: 1 });
    await removeStreams(raw, namespace);
  });

  it('gives up a request after its time, which proves nothing', async () => {
    const namespace = createNamespaceName();
    const messaging = await connectMessaging(settings(server.url, 'operator', namespace));
    const latch = createLatch();
    await messaging.serve({ name: 'gate', version: '1.0.0', description: 'd' }, [
      { name: 'gate', subject: 'query.gate', answer: async () => latch.opened.then(() => ({ ok: true, value: {} })) },
    ]);
    expect(await messaging.request('query.gate', {}, 50)).toMatchObject({ ok: false, error: { code: 'timeout' } });
    latch.open();
    await messaging.close();
  });

  it('ends the wait for a broker that never comes when it is aborted', async () => {
    const abort = new AbortController();
    const log = { ...silentLog, warn: () => abort.abort(new Error('stopped')) };
    const connecting = connectMessaging({
      ...settings('nats://127.0.0.1:1', 'operator', 'x'),
      log,
      signal: abort.signal,
    });
    await expect(connecting).rejects.toThrow('stopped');
  });
});
