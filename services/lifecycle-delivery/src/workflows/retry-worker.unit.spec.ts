import { createLatch, eventually, settle as turns } from '@platform/testing';
import type { RunningDelivery } from '../delivery';
import { retryLimits } from '../domain/retry';
import { createFakeWorld, type FakeWorld } from '../testing/fake-world';
import type { DeliveryPorts } from './ports';
import { durableOf } from './register-consumer';
import { startRetryWorker } from './retry-worker';

describe('the retry worker', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
  });
  afterEach(() => running.close());

  /** A worker whose pauses are recorded and end when the test decides. */
  function startHeld(store: { now(): Promise<Date> } = world.store, over: Partial<DeliveryPorts> = {}) {
    const pauses: { readonly milliseconds: number; readonly end: () => void }[] = [];
    const wait = (milliseconds: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        pauses.push({ milliseconds, end: resolve });
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    return {
      worker: startRetryWorker({ ...running.ports, ...over }, store, wait),
      pause: () => eventually(() => pauses.shift(), { describe: 'a pause' }),
    };
  }

  /** The broker has lost its messages, and the durables are there again: a round sends what it takes to be due. */
  async function emptyBroker(...consumers: string[]): Promise<void> {
    world.broker.wipe();
    world.broker.applyTopology();
    for (const consumer of consumers) await running.ports.broker.ensureDurable(durableOf(consumer));
  }

  it('runs at start, and then every five minutes with up to a tenth of spread', async () => {
    const { worker, pause } = startHeld();
    for (let round = 0; round < 3; round += 1) {
      const { milliseconds, end } = await pause();
      expect(Math.abs(milliseconds - retryLimits.intervalMs)).toBeLessThanOrEqual(
        retryLimits.intervalMs * retryLimits.spread,
      );
      expect(worker.lastRoundAt()).toEqual(world.clock.now());
      end();
    }
    await worker.close();
  });

  it.each([
    [0, 270_000],
    [0.5, 300_000],
    [0.75, 315_000],
  ])('waits for the interval with the spread of its chance (%p)', async (chance, expected) => {
    const { worker, pause } = startHeld(world.store, { random: () => chance });
    expect((await pause()).milliseconds).toBe(expected);
    await worker.close();
  });

  it('logs a round that did something or failed, and no other one', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    const [info, warn] = [jest.fn(), jest.fn()];
    let away = false;
    const now = (): Promise<Date> => (away ? Promise.reject(new Error('no answer')) : world.store.now());
    const { worker, pause } = startHeld({ now }, { log: { ...running.ports.log, info, warn } });
    const idle = await pause();
    expect(info).not.toHaveBeenCalled();
    world.broker.wipe();
    world.broker.applyTopology();
    idle.end();
    const busy = await pause();
    const counts = { messagesCompleted: 0, published: 1, skippedDeleted: 0, unconfirmed: 0 };
    expect(info.mock.calls).toEqual([[{ scope: { kind: 'due' }, ...counts }, 'deliveries retried']]);
    expect(warn).not.toHaveBeenCalled();
    away = true;
    busy.end();
    await pause();
    const fields = { scope: { kind: 'due' }, error: 'Error: no answer' };
    expect(warn.mock.calls).toEqual([[fields, 'deliveries could not be retried; another round follows']]);
    expect(info).toHaveBeenCalledTimes(1);
    await worker.close();
  });

  it('takes up everything at start, also what is not due yet, and again after a start that failed', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    await emptyBroker('storage');
    world.store.setAvailable(false);
    const { worker, pause } = startHeld();
    const failed = await pause();
    expect(failed.milliseconds).toBe(5_000);
    expect(worker.lastRoundAt()).toBeNull();
    world.store.setAvailable(true);
    failed.end();
    await pause();
    expect(world.sent('tenant.lifecycle').map(({ id }) => id.slice(-2))).toEqual([':1', ':2']);
    await worker.close();
  });

  it('runs for a consumer that has come back without waiting for its turn, and no more once closed', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    const { worker, pause } = startHeld();
    await pause();
    world.broker.wipe();
    world.broker.applyTopology();
    worker.consumerReturned('storage');
    await eventually(() => world.sent('tenant.lifecycle').length === 2, { describe: 'the second attempt' });
    await worker.close();
    world.broker.wipe();
    world.broker.applyTopology();
    worker.consumerReturned('storage');
    await worker.close();
    expect(world.sent('tenant.lifecycle')).toHaveLength(2);
  });

  it('runs for a consumer that has come back alone, and says so', async () => {
    for (const name of ['search-index', 'storage']) await world.register(name);
    await world.announce('operation-1');
    await world.broker.settle();
    const info = jest.fn();
    const { worker, pause } = startHeld(world.store, { log: { ...running.ports.log, info } });
    await pause();
    await emptyBroker('search-index', 'storage');
    worker.consumerReturned('storage');
    await eventually(() => info.mock.calls.length === 1, { describe: 'the round' });
    const scope = { kind: 'consumer', name: 'storage' };
    expect(info.mock.calls).toEqual([[expect.objectContaining({ scope, published: 1 }), 'deliveries retried']]);
    await worker.close();
  });

  it('takes up everything once when streams were recreated, says so, and then what is due', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    const info = jest.fn();
    const { worker, pause } = startHeld(world.store, { log: { ...running.ports.log, info } });
    const first = await pause();
    await emptyBroker('storage');
    worker.streamsRecreated();
    await eventually(() => info.mock.calls.length === 1, { describe: 'the round' });
    const scope = { kind: 'everything' };
    expect(info.mock.calls).toEqual([[expect.objectContaining({ scope, published: 1 }), 'deliveries retried']]);
    await emptyBroker('storage');
    first.end();
    await pause();
    expect(info).toHaveBeenCalledTimes(1);
    await worker.close();
  });

  it('is closed once the rounds under way have ended, and begins no other one', async () => {
    const held = createLatch();
    const now = jest.fn(async () => {
      await held.wait();
      return world.clock.now();
    });
    const { worker, pause } = startHeld({ now });
    await held.reached(1);
    worker.consumerReturned('storage');
    let closed = false;
    const closing = worker.close().then(() => (closed = true));
    await turns();
    expect(closed).toBe(false);
    held.open();
    (await pause()).end();
    await closing;
    worker.streamsRecreated();
    await turns();
    expect(now).toHaveBeenCalledTimes(1);
  });

  it('takes up everything when streams were recreated, and again after a round that failed', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    const { worker, pause } = startHeld();
    const first = await pause();
    world.broker.wipe();
    world.broker.applyTopology();
    worker.streamsRecreated();
    await eventually(() => world.sent('tenant.lifecycle').length === 2, { describe: 'the second attempt' });
    world.broker.wipe();
    world.broker.applyTopology();
    world.store.setAvailable(false);
    worker.streamsRecreated();
    first.end();
    const failed = await pause();
    expect(failed.milliseconds).toBe(5_000);
    world.store.setAvailable(true);
    failed.end();
    await pause();
    expect(world.sent('tenant.lifecycle')).toHaveLength(3);
    await worker.close();
  });

  it('takes up everything after a recreation that came during a round and whose own round failed', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    let rounds = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const { worker, pause } = startHeld({
      async now() {
        rounds += 1;
        if (rounds === 2) await released;
        if (rounds === 3) throw new Error('no answer');
        return world.store.now();
      },
    });
    (await pause()).end();
    await eventually(() => rounds === 2, { describe: 'the round over what is due' });
    await emptyBroker('storage');
    worker.streamsRecreated();
    release();
    (await pause()).end();
    await pause();
    expect(rounds).toBe(4);
    expect(world.sent('tenant.lifecycle')).toHaveLength(2);
    await worker.close();
  });

  it('runs for a consumer that registers again and finds its durable lost, and not for one that finds it', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    await world.register('storage');
    await world.announce('operation-2');
    await world.broker.settle();
    expect(world.sent('tenant.lifecycle')).toHaveLength(2);
    world.broker.removeDurable('TENANT_LIFECYCLE', 'storage');
    await world.register('storage');
    await eventually(() => world.sent('tenant.lifecycle').length === 4, { describe: 'both deliveries leave again' });
  });
});
