/** The fake passes the suite of the real adapter, and keeps the promises that only a fake can make. */
import { createManualClock } from '@platform/kernel';
import { createFakeBroker } from './fake-broker';
import { messagingFeatures } from './messaging.features';
import { recorder, suspended } from './messaging.harness';

const lifecycle = { stream: 'LIFECYCLE', durable: 'lifecycle-delivery' };

function createBroker(choose?: (count: number) => number) {
  const clock = createManualClock();
  return { clock, broker: createFakeBroker({ clock, ...(choose ? { choose } : {}) }) };
}

describe('fake broker', () => {
  messagingFeatures(async () => {
    const { broker } = createBroker();
    const failures: unknown[] = [];
    return {
      connect: async (name) => broker.connect(name),
      until: async (condition) => {
        for (let round = 0; !condition(); round += 1) {
          if (failures.length > 0) throw failures[0];
          if (round > 200) throw new Error('The condition never held');
          // Not awaited, because a handler may wait for a latch that the test opens later.
          broker.settle().catch((error: unknown) => failures.push(error));
          await new Promise((settle) => setImmediate(settle));
        }
      },
      publishRaw: async (subject, bytes) => void broker.publishRaw(subject, bytes),
      wipe: async () => broker.wipe(),
      applyTopology: async () => broker.applyTopology(),
      close: async () => undefined,
    };
  });

  it('delivers nothing before it is asked to settle, then everything that follows from it', async () => {
    const { broker } = createBroker();
    const messaging = broker.connect('operator');
    const settled = recorder();
    await messaging.consume(lifecycle, async ({ id }) => {
      await messaging.publish({ ...suspended(`settled-${id}`), subject: 'lifecycle.settled.suspended' });
      return { kind: 'ack' };
    });
    await messaging.consume({ stream: 'LIFECYCLE_SETTLED', durable: 'operator' }, settled.handleMessage);
    await messaging.publish(suspended('op-1'));
    expect(settled.ids()).toEqual([]);
    expect(await broker.settle()).toBe(2);
    expect(settled.ids()).toEqual(['settled-op-1']);
    expect(await broker.settle()).toBe(0);
  });

  it('delivers again everything, also what was acknowledged', async () => {
    const { broker } = createBroker();
    const messaging = broker.connect('operator');
    const seen = recorder();
    await messaging.consume(lifecycle, seen.handleMessage);
    await messaging.publish(suspended('op-1'));
    await broker.settle();
    broker.redeliverAll();
    await broker.settle();
    expect(seen.messages.map(({ id, deliveryCount }) => [id, deliveryCount])).toEqual([
      ['op-1', 1],
      ['op-1', 2],
    ]);
  });

  it('loses the acknowledgement of a handler whose connection fell, and delivers again after it returned', async () => {
    const { broker } = createBroker();
    const messaging = broker.connect('delivery');
    const seen = recorder(({ deliveryCount }) => {
      if (deliveryCount === 1) broker.disconnect('delivery');
      return { kind: 'ack' };
    });
    await messaging.consume(lifecycle, seen.handleMessage);
    await broker.connect('operator').publish(suspended('op-1'));
    await broker.settle();
    expect(await messaging.publish(suspended('op-2'))).toBe('unknown');
    expect(messaging.quietConsumers()).toEqual(['LIFECYCLE/lifecycle-delivery']);
    expect(await broker.settle()).toBe(0);
    broker.reconnect('delivery');
    await broker.settle();
    expect(seen.messages.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 2]);
  });

  it('notifies those who wait for a lost connection when it is restored, and them alone', async () => {
    const { broker } = createBroker();
    const notices: string[] = [];
    const waitFor = async (name: string, signal = new AbortController().signal) => {
      await broker.connect(name).restored(signal);
      notices.push(name);
    };
    const aborted = new AbortController();
    void waitFor('delivery');
    void waitFor('operator');
    const given = waitFor('provisioning', aborted.signal);
    aborted.abort();
    await given;
    broker.disconnect('delivery');
    await new Promise(setImmediate);
    expect(notices).toEqual(['provisioning']);
    broker.reconnect('delivery');
    await new Promise(setImmediate);
    expect(notices).toEqual(['provisioning', 'delivery']);
  });

  it('recognises an id only within the duplicate window', async () => {
    const { broker, clock } = createBroker();
    const messaging = broker.connect('operator');
    await messaging.publish(suspended('op-1'));
    clock.advance(119_999);
    await messaging.publish(suspended('op-1'));
    clock.advance(1);
    await messaging.publish(suspended('op-1'));
    expect(broker.published.map(({ duplicate, sequence }) => [duplicate, sequence])).toEqual([
      [false, 1],
      [true, 1],
      [false, 2],
    ]);
  });

  it('lets a simulation choose the order', async () => {
    const { broker } = createBroker((count) => count - 1);
    const messaging = broker.connect('operator');
    const seen = recorder();
    await messaging.consume(lifecycle, seen.handleMessage);
    for (const id of ['a', 'b', 'c']) await messaging.publish(suspended(id));
    await broker.settle();
    expect(seen.ids()).toEqual(['c', 'b', 'a']);
  });

  it('stops handlers that feed each other for ever', async () => {
    const { broker } = createBroker();
    const messaging = broker.connect('operator');
    let count = 0;
    await messaging.consume(lifecycle, async () => {
      count += 1;
      await messaging.publish(suspended(`op-${count}`));
      return { kind: 'ack' };
    });
    await messaging.publish(suspended('first'));
    await expect(broker.settle()).rejects.toThrow('handlers feed each other');
  });
});
