import { createManualClock, silentLog, type Log } from '@platform/kernel';
import { platformTopology, type OutboundMessage } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import type { Metrics } from '@platform/service-host';
import { countUnacknowledged, observeDependencies } from './observe-dependencies';
import { readinessOf, watchStreams } from './readiness';

const lifecycle = { stream: 'LIFECYCLE', durable: 'lifecycle-delivery' };

async function setStage(log: Log = silentLog) {
  const clock = createManualClock();
  const broker = createFakeBroker({ clock });
  const store = createFakeStore({ clock });
  const messaging = broker.connect('lifecycle-delivery');
  await messaging.consume(lifecycle, async () => ({ kind: 'ack' }));
  const streams = watchStreams(messaging, { streams: ['LIFECYCLE', 'ALERTS'], buckets: ['workspace_access'] }, log);
  return { broker, store, messaging, streams, readiness: readinessOf({ store, messaging, streams }) };
}

function recordingLog() {
  const lines: [string, unknown, string][] = [];
  const at = (level: string) => (fields: unknown, message: string) => void lines.push([level, fields, message]);
  return { lines, log: { ...silentLog, error: at('error'), info: at('info') } as Log };
}

describe('readiness', () => {
  it('asks for nothing when everything is there', async () => {
    const { readiness, streams } = await setStage();
    await streams.look();
    const answers = await Promise.all(Object.values(readiness).map((check) => check()));
    expect(answers).toEqual([undefined, undefined, undefined, undefined]);
    expect(Object.keys(readiness)).toEqual(['store', 'broker', 'consumers', 'streams']);
  });

  it('names a durable that is gone, a broker that is unreachable, and a store that does not answer', async () => {
    const { broker, store, readiness } = await setStage();
    broker.removeDurable(lifecycle.stream, lifecycle.durable);
    expect(await readiness.consumers()).toBe('LIFECYCLE/lifecycle-delivery');
    expect(await readiness.broker()).toBeUndefined();
    broker.disconnect('lifecycle-delivery');
    expect(await readiness.broker()).toBe('not connected');
    store.setAvailable(false);
    await expect(readiness.store()).rejects.toThrow('the store is unreachable');
  });

  it('names the streams that are gone, says each loss and each return once, and keeps what it knew meanwhile', async () => {
    const { lines, log } = recordingLog();
    const { broker, readiness, streams } = await setStage(log);
    broker.wipe();
    await streams.look();
    await streams.look();
    expect(await readiness.streams()).toBe('LIFECYCLE, ALERTS, KV_workspace_access');
    broker.disconnect('lifecycle-delivery');
    await expect(streams.look()).rejects.toThrow('not connected');
    expect(await readiness.streams()).toBe('LIFECYCLE, ALERTS, KV_workspace_access');
    broker.reconnect('lifecycle-delivery');
    broker.applyTopology();
    await streams.look();
    expect(await readiness.streams()).toBeUndefined();
    expect(lines.map(([level, fields]) => [level, fields])).toEqual([
      ['error', { streams: ['LIFECYCLE', 'ALERTS', 'KV_workspace_access'] }],
      ['info', { streams: ['LIFECYCLE', 'ALERTS', 'KV_workspace_access'] }],
    ]);
  });

  it('says once which streams were recreated, also when no look found them missing', async () => {
    const { lines, log } = recordingLog();
    const { broker, streams } = await setStage(log);
    const heard: (readonly string[])[] = [];
    streams.onRecreated((names) => void heard.push(names));
    await streams.look();
    expect(heard).toEqual([]);
    broker.wipe();
    broker.applyTopology();
    await streams.look();
    await streams.look();
    expect(heard).toEqual([['LIFECYCLE', 'ALERTS']]);
    expect(lines.map(([level, fields]) => [level, fields])).toEqual([['error', { streams: ['LIFECYCLE', 'ALERTS'] }]]);
    broker.wipe();
    await streams.look();
    broker.applyTopology();
    await streams.look();
    expect(heard).toHaveLength(2);
  });

  it('knows the share of its bytes that the fullest stream holds', async () => {
    const { broker, streams } = await setStage();
    await streams.look();
    expect(streams.filled()).toBe(0);
    broker.publishRaw('alert.reconciliation_required.suite.one', new Uint8Array(60_000));
    await streams.look();
    const bound = platformTopology().streams.find(({ name }) => name === 'ALERTS')!.maxBytes;
    expect(streams.filled()).toBe(60_000 / bound);
  });

  it('refuses streams with fewer copies than wanted, and only counts a member that is down', async () => {
    const { lines, log } = recordingLog();
    const broker = createFakeBroker({ clock: createManualClock() });
    const watch = watchStreams(broker.connect('operator'), { streams: ['LIFECYCLE', 'ALERTS'] }, log, 3);
    const readinessOfWatch = () => [watch.thin(), watch.copiesMissing()];
    await watch.look();
    await watch.look();
    expect(readinessOfWatch()).toEqual([['LIFECYCLE (1 of 3 copies)', 'ALERTS (1 of 3 copies)'], 4]);
    expect(lines.map(([level]) => level)).toEqual(['error']);
    broker.setCopies({ declared: 3, current: 2 });
    await watch.look();
    expect(readinessOfWatch()).toEqual([[], 2]);
    broker.setCopies({ declared: 3, current: 3 });
    await watch.look();
    expect(readinessOfWatch()).toEqual([[], 0]);
  });
});

describe('the figures of what a service depends on', () => {
  it('are there while store and broker are unreachable, and say so', async () => {
    const { broker, store, messaging, streams } = await setStage();
    const figures = new Map<string, () => number | Promise<number>>();
    const metrics = {
      observedGauge: (declared: { name: string }, read: () => number | Promise<number>) =>
        void figures.set(declared.name, read),
    };
    let hangs = false;
    const ping = () => (hangs ? new Promise<undefined>(() => undefined) : store.ping());
    observeDependencies(metrics, { ping }, messaging, streams);
    const away = () => Promise.all(['store_away', 'broker_away'].map((name) => figures.get(name)?.()));
    expect(await away()).toEqual([0, 0]);
    store.setAvailable(false);
    broker.disconnect('lifecycle-delivery');
    expect(await away()).toEqual([1, 1]);
    hangs = true;
    expect(await away()).toEqual([1, 1]);
  });
});

describe('publications', () => {
  it('are counted when a connected broker with all its streams does not store them', async () => {
    const { messaging, readiness, streams } = await setStage();
    const counters: Record<string, number> = {};
    const counter: Metrics['counter'] = ({ name }) => (
      (counters[name] = 0),
      { add: () => void (counters[name]! += 1) }
    );
    let full = false;
    const publish = (message: OutboundMessage) =>
      full ? Promise.resolve('unknown' as const) : messaging.publish(message);
    const counting = countUnacknowledged({ publish }, { counter });
    const message = { subject: 'lifecycle.message.created', id: 'm-1', type: 'lifecycle.message.created.v1', body: {} };
    const counted = () => counters['broker_publishes_unacknowledged_total'];
    expect([await counting.publish(message), counted()]).toEqual(['acknowledged', 0]);
    full = true;
    await streams.look();
    expect(await Promise.all(Object.values(readiness).map((check) => check()))).toEqual(Array(4).fill(undefined));
    expect([await counting.publish(message), counted()]).toEqual(['unknown', 1]);
    full = false;
    expect([await counting.publish(message), counted()]).toEqual(['acknowledged', 1]);
  });
});
