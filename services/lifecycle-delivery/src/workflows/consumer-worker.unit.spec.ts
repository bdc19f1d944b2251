/** The worker of recorded requests: one round every ten seconds, whatever a round meets, until it is closed. */
import { createLatch, eventually, settle as turns } from '@platform/testing';
import type { Log } from '@platform/kernel';
import type { RunningDelivery } from '../delivery';
import { createFakeWorld, type FakeWorld } from '../testing/fake-world';
import { startConsumerWorker } from './consumer-worker';

describe('the worker of recorded requests', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
  });
  afterEach(() => running.close());

  /** A worker whose pauses end when the test decides. */
  function startHeld(alignment: () => Promise<void>) {
    const pauses: { readonly milliseconds: number; readonly end: () => void }[] = [];
    const warned: unknown[] = [];
    const log: Log = { ...running.ports.log, warn: (fields, message) => void warned.push([fields, message]) };
    const align = jest.fn(alignment);
    const worker = startConsumerWorker(
      { ...running.ports, log },
      { align, close: async () => undefined },
      (milliseconds, signal) =>
        new Promise((resolve) => {
          pauses.push({ milliseconds, end: resolve });
          signal.addEventListener('abort', () => resolve(), { once: true });
        }),
    );
    return { worker, align, warned, pause: () => eventually(() => pauses.shift(), { describe: 'a pause' }) };
  }

  it('goes on after a round that failed, and says what failed', async () => {
    world.store.setAvailable(false);
    const { worker, align, warned, pause } = startHeld(() => Promise.reject(new Error('no consumers')));
    const first = await pause();
    expect(first.milliseconds).toBe(10_000);
    expect(warned).toEqual([
      [{ error: 'Error: no consumers' }, 'the couriers could not be aligned; another round follows'],
      [
        { error: expect.stringContaining('StoreUnavailableError') },
        'the actions on consumers could not be taken up; another round follows',
      ],
    ]);
    world.store.setAvailable(true);
    first.end();
    await pause();
    expect(align).toHaveBeenCalledTimes(2);
    expect(warned).toHaveLength(3);
    await worker.close();
    expect(align).toHaveBeenCalledTimes(2);
  });

  it('aligns the couriers at once when a person changed a consumer', async () => {
    const { worker, align, warned, pause } = startHeld(async () => undefined);
    await pause();
    worker.alignSoon();
    expect(align).toHaveBeenCalledTimes(2);
    await worker.close();
    expect(warned).toEqual([]);
  });

  it('is closed once the round under way has ended, and begins no other one', async () => {
    const alignment = createLatch();
    const { worker, align, pause } = startHeld(() => alignment.wait());
    let closed = false;
    const closing = worker.close().then(() => (closed = true));
    await turns();
    expect(closed).toBe(false);
    alignment.open();
    (await pause()).end();
    await closing;
    await turns();
    expect(align).toHaveBeenCalledTimes(1);
  });
});
