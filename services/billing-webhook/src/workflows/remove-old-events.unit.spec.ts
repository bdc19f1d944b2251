/** Which events retention leaves, in which order it removes the others, and what it says. */
import { createManualClock, silentLog } from '@platform/kernel';
import { webhookDigestsCollection } from '../store/webhook-digests';
import { bootReceiver, createWebhookWorld, received } from '../testing/webhook-world';
import { receiveEvent } from './receive-event';
import { removeOldEvents } from './remove-old-events';

const dayMs = 86_400_000;

/** Events that have ended, in this order. */
async function setStage(...eventIds: string[]) {
  const world = createWebhookWorld();
  const { ports } = bootReceiver(world, 1);
  for (const eventId of eventIds) await receiveEvent(ports, received({ eventId }));
  const infos: object[] = [];
  const later = {
    ...ports,
    clock: createManualClock(new Date(world.clock.now().getTime() + 100 * dayMs)),
    log: { ...silentLog, info: (fields: object) => void infos.push(fields) },
  };
  const remove = (stopping?: () => boolean) => removeOldEvents(later, 90, stopping);
  return { world, ports, later, infos, remove, clock: later.clock, left: () => world.events().map(({ _id }) => _id) };
}

describe('retention', () => {
  it('says how many events it has removed and of which age, and nothing when there was none', async () => {
    const { infos, remove, clock } = await setStage('evt_1', 'evt_2');
    expect(await remove()).toBe(2);
    const before = new Date(clock.now().getTime() - 90 * dayMs).toISOString();
    expect(infos).toEqual([{ removed: 2, before }]);
    expect(await remove()).toBe(0);
    expect(infos).toHaveLength(1);
  });

  it('ends when the process stops, with those removed that had ended first', async () => {
    const { remove, left } = await setStage('evt_c', 'evt_b', 'evt_a');
    let looks = 0;
    expect(await remove(() => (looks += 1) > 2)).toBe(2);
    expect(left()).toEqual(['evt_a']);
  });

  it('leaves an event whose messages still wait for the broker', async () => {
    const { world, ports, remove, left } = await setStage('evt_1');
    const [event] = world.events();
    const waiting = { id: 'alert:1', subject: 'alert.x', type: 'x.v1', body: {}, createdAt: world.clock.now() };
    world.store
      .collection({ name: ports.events.name, indexes: [] })
      .put({ ...event, outbox: [{ ...waiting, closesOn: 'publish_ack' }] });
    expect(await remove()).toBe(0);
    expect({ left: left(), digests: world.digests() }).toEqual({ left: ['evt_1'], digests: [] });
    expect(world.store.quarantined()).toEqual([]);
    await ports.events.outbox.confirm('evt_1', 'alert:1');
    expect(await remove()).toBe(1);
  });

  it('leaves an event whose instant is ahead, so that a late duplicate is recognised and not handled again', async () => {
    const { world, later, remove, left } = await setStage();
    const created = new Date(world.clock.now().getTime() + 365 * dayMs);
    const ahead = received({ eventId: 'evt_ahead', created });
    expect(await receiveEvent(bootReceiver(world, 1).ports, ahead)).toMatchObject({ duplicate: false });
    expect(await remove()).toBe(0);
    expect(left()).toEqual(['evt_ahead']);
    expect(await receiveEvent(later, ahead)).toEqual({ kind: 'accepted', result: 'success', duplicate: true });
    expect(world.handled.get('evt_ahead')).toBe(1);
    later.clock.advance(300 * dayMs);
    expect(await remove()).toBe(1);
    expect(await receiveEvent(later, ahead)).toMatchObject({ duplicate: true });
  });

  it('passes by an event whose digest cannot be read, sets it aside and removes the others', async () => {
    const { world, remove, left } = await setStage('evt_1', 'evt_2');
    world.store.collection(webhookDigestsCollection).put({ _id: 'evt_1' });
    expect(await remove()).toBe(1);
    expect(left()).toEqual(['evt_1']);
    expect(world.store.quarantined()).toMatchObject([
      { id: 'evt_1', why: 'carries no revision' },
      { id: 'evt_1', why: expect.stringContaining('cannot be dealt with') },
    ]);
  });

  it('leaves an event whose digest is not there after all', async () => {
    const { ports, later, left } = await setStage('evt_1');
    const gone = { outcome: 'not_applied', existing: null, conflict: ['_id'] } as const;
    expect(await removeOldEvents({ ...later, digests: { ...ports.digests, insert: async () => gone } }, 90)).toBe(0);
    expect(left()).toEqual(['evt_1']);
  });

  it('removes an event whose digest an earlier round has written', async () => {
    const { ports, remove, left, clock } = await setStage('evt_1');
    const { type } = received();
    await ports.digests.insert({ _id: 'evt_1', type, result: 'success', removedAt: clock.now(), lateDeliveries: 0 });
    expect(await remove()).toBe(1);
    expect(left()).toEqual([]);
  });
});
