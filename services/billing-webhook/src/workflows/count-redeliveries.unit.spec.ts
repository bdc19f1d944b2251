/** How redeliveries of one event that come together are counted. */
import { silentLog } from '@platform/kernel';
import { settle } from '@platform/testing';
import { bootReceiver, createWebhookWorld, received } from '../testing/webhook-world';
import { createRedeliveryCounter } from './count-redeliveries';
import { receiveEvent } from './receive-event';

async function setStage() {
  const world = createWebhookWorld();
  world.decide = () => 'silence';
  const { ports } = bootReceiver(world, 1);
  await receiveEvent(ports, received());
  const warnings: object[] = [];
  const writes = { at: 0, atMost: 0, all: 0 };
  let onWrite = async (_number: number): Promise<void> => undefined;
  const events: typeof ports.events = {
    ...ports.events,
    mutate: async (...write) => {
      writes.all += 1;
      writes.at += 1;
      writes.atMost = Math.max(writes.atMost, writes.at);
      await onWrite(writes.all);
      return ports.events.mutate(...write).finally(() => (writes.at -= 1));
    },
  };
  const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) };
  const count = createRedeliveryCounter({ events, log });
  const during = (act: typeof onWrite) => void (onWrite = act);
  return { world, count, during, warnings, writes, counted: () => world.events()[0]!.deliveries };
}

describe('redeliveries of one event', () => {
  it('that come while a count is written share the next write, and each one is counted', async () => {
    const { count, counted, writes } = await setStage();
    const first = count('evt_1');
    await Promise.resolve();
    await Promise.all([first, count('evt_1'), count('evt_1'), count('evt_1')]);
    expect(counted()).toBe(4);
    expect(writes).toMatchObject({ all: 2, atMost: 1 });
  });

  it('never race each other for the revision, also when one comes just as a write ends', async () => {
    const { count, counted, writes } = await setStage();
    const again = () => count('evt_1').then(() => count('evt_1'));
    const first = again();
    await Promise.resolve();
    await Promise.all([first, again(), count('evt_1')]);
    await settle();
    expect(counted()).toBe(5);
    expect(writes.atMost).toBe(1);
  });

  it('wait for the write under way also when it is the second in a row', async () => {
    const { count, counted, during, writes } = await setStage();
    const late: Promise<void>[] = [];
    during(async (number) => {
      if (number !== 2) return;
      late.push(count('evt_1'));
      await settle();
    });
    const first = count('evt_1');
    await Promise.resolve();
    await Promise.all([first, count('evt_1')]);
    await Promise.all(late);
    expect(counted()).toBe(3);
    expect(writes).toMatchObject({ all: 3, atMost: 1 });
  });

  it('are counted one by one when they come one after the other', async () => {
    const { count, counted, writes } = await setStage();
    await count('evt_1');
    await count('evt_1');
    expect(counted()).toBe(2);
    expect(writes.all).toBe(2);
  });

  it('of another event are counted at the same time', async () => {
    const { world, count, counted } = await setStage();
    await receiveEvent(bootReceiver(world, 1).ports, received({ eventId: 'evt_2' }));
    await Promise.all([count('evt_1'), count('evt_2'), count('evt_2')]);
    expect(counted()).toBe(1);
    expect(world.events()[1]).toMatchObject({ _id: 'evt_2', deliveries: 2 });
  });

  it('stay uncounted, which the log says, when the store does not answer, and are never counted twice', async () => {
    const { world, count, counted, warnings, writes } = await setStage();
    world.store.loseNextWrite('before');
    await count('evt_1');
    expect(warnings).toEqual([{ eventId: 'evt_1', times: 1 }]);
    expect(counted()).toBe(0);
    world.store.loseNextWrite('after');
    await count('evt_1');
    expect(counted()).toBe(1);
    expect(writes.all).toBe(2);
    await count('evt_1');
    expect(warnings).toHaveLength(2);
    expect(counted()).toBe(2);
  });

  it('of an event that is gone change nothing and raise no warning', async () => {
    const { world, count, warnings } = await setStage();
    const before = world.events();
    await count('evt_9');
    expect(world.events()).toEqual(before);
    expect(warnings).toEqual([]);
  });
});
