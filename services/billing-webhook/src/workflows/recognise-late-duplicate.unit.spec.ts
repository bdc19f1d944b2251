/** An event that the provider made long ago may have been handled and removed. */
import { createManualClock, silentLog } from '@platform/kernel';
import { bootReceiver, createWebhookWorld, received } from '../testing/webhook-world';
import { receiveEvent } from './receive-event';
import { recogniseLateDuplicate } from './recognise-late-duplicate';

const dayMs = 24 * 3_600_000;
const created = new Date('2026-01-01T00:00:00.000Z');
const removedAt = new Date('2026-01-01T12:00:00.000Z');

async function setStage(ageMs: number) {
  const world = createWebhookWorld();
  const { ports, counts } = bootReceiver(world, 1);
  const event = received({ eventId: 'evt_old', created });
  await ports.digests.insert({ _id: 'evt_old', type: event.type, result: 'skipped', removedAt, lateDeliveries: 0 });
  const warnings: object[] = [];
  const recognise = () =>
    recogniseLateDuplicate(
      {
        ...ports,
        clock: createManualClock(new Date(created.getTime() + ageMs)),
        log: { ...silentLog, warn: (fields: object) => void warnings.push(fields) },
      },
      event,
    );
  return { world, counts, warnings, recognise, event };
}

describe('a delivery of an event that was removed', () => {
  it('is recognised from a day after its creation on, counted and shown', async () => {
    const { world, counts, warnings, recognise, event } = await setStage(dayMs);
    expect(await recognise()).toEqual({ kind: 'accepted', result: 'skipped', duplicate: true });
    expect(counts).toEqual({ 'duplicate removed': 1 });
    expect(world.digests()).toMatchObject([{ _id: 'evt_old', lateDeliveries: 1 }]);
    expect(warnings).toEqual([
      { eventId: 'evt_old', type: event.type, result: 'skipped', removedAt: removedAt.toISOString() },
    ]);
  });

  it('costs no read within a day of its creation, when it cannot have been removed', async () => {
    const { world, recognise } = await setStage(dayMs - 1);
    world.store.setAvailable(false);
    expect(await recognise()).toBeNull();
  });
});

it('an old event that was never delivered is admitted', async () => {
  const world = createWebhookWorld();
  const { ports } = bootReceiver(world, 1);
  const old = received({ created: new Date(world.clock.now().getTime() - 10 * dayMs) });
  expect(await receiveEvent(ports, old)).toEqual({ kind: 'accepted', result: 'success', duplicate: false });
  expect(world.events()).toHaveLength(1);
});
