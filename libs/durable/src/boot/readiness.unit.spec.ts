import { createManualClock, silentLog, type Log } from '@platform/kernel';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { readinessOf, watchStreams } from './readiness';

const lifecycle = { stream: 'LIFECYCLE', durable: 'lifecycle-delivery' };

async function setStage(log: Log = silentLog) {
  const clock = createManualClock();
  const broker = createFakeBroker({ clock });
  const store = createFakeStore({ clock });
  const messaging = broker.connect('lifecycle-delivery');
  await messaging.consume(lifecycle, async () => ({ kind: 'ack' }));
  const streams = watchStreams(messaging, ['LIFECYCLE', 'ALERTS'], log);
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

  it('names a durable that is gone, a broker that is away, and a store that does not answer', async () => {
    const { broker, store, readiness } = await setStage();
    broker.removeDurable(lifecycle.stream, lifecycle.durable);
    expect(await readiness.consumers()).toBe('LIFECYCLE/lifecycle-delivery');
    expect(await readiness.broker()).toBeUndefined();
    broker.disconnect('lifecycle-delivery');
    expect(await readiness.broker()).toBe('not connected');
    store.setAvailable(false);
    await expect(readiness.store()).rejects.toThrow('the store is away');
  });

  it('names the streams that are gone, says each loss and each return once, and keeps what it knew meanwhile', async () => {
    const { lines, log } = recordingLog();
    const { broker, readiness, streams } = await setStage(log);
    broker.wipe();
    await streams.look();
    await streams.look();
    expect(await readiness.streams()).toBe('LIFECYCLE, ALERTS');
    broker.disconnect('lifecycle-delivery');
    await expect(streams.look()).rejects.toThrow('not connected');
    expect(await readiness.streams()).toBe('LIFECYCLE, ALERTS');
    broker.reconnect('lifecycle-delivery');
    broker.applyTopology();
    await streams.look();
    expect(await readiness.streams()).toBeUndefined();
    expect(lines.map(([level, fields]) => [level, fields])).toEqual([
      ['error', { streams: ['LIFECYCLE', 'ALERTS'] }],
      ['info', { streams: ['LIFECYCLE', 'ALERTS'] }],
    ]);
  });
});
