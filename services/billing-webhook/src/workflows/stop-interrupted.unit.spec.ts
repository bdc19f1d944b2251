/** One event that cannot be read or handled blocks neither the other events nor the start. */
import { InvariantError } from '@platform/kernel';
import { webhookEventsCollection } from '../store/webhook-events';
import { bootReceiver, createWebhookWorld, received } from '../testing/webhook-world';
import { receiveEvent } from './receive-event';
import { stopInterrupted } from './stop-interrupted';

const ids = ['evt_1', 'evt_2', 'evt_3'];

/** Events that an earlier boot admitted and whose owner never answered. */
async function setStage() {
  const world = createWebhookWorld();
  world.decide = () => 'silence';
  const { ports } = bootReceiver(world, 1);
  for (const eventId of ids) await receiveEvent(ports, received({ eventId }));
  const next = bootReceiver(world, 2).ports;
  return { world, ports: { ...next, executorState: async () => 'superseded' as const } };
}

describe('the start of the receiver', () => {
  it('passes by an event without a revision and stops the others', async () => {
    const { world, ports } = await setStage();
    const { revision: _gone, ...bare } = world.events()[0]!;
    world.store.collection(webhookEventsCollection).put({ ...bare });
    expect(await stopInterrupted(ports)).toEqual(['evt_2', 'evt_3']);
    expect(world.store.quarantined()).toMatchObject([{ id: 'evt_1', why: 'carries no revision' }]);
  });

  it('puts an event aside whose stop breaks an invariant', async () => {
    const { world, ports } = await setStage();
    const events: typeof ports.events = {
      ...ports.events,
      mutate: async (current, ...rest) => {
        if (current._id === 'evt_2') throw new InvariantError('it has no owner');
        return ports.events.mutate(current, ...rest);
      },
    };
    expect(await stopInterrupted({ ...ports, events })).toEqual(['evt_1', 'evt_3']);
    expect(world.store.quarantined()).toMatchObject([{ id: 'evt_2', why: 'cannot be dealt with: it has no owner' }]);
  });
});

describe('an event without an outcome at the start of the receiver', () => {
  it('is finished when its owner has finished it, and nobody is woken', async () => {
    const { world, ports } = await setStage();
    const [event] = world.events();
    world.outcomes.push({ eventId: event!._id, admittedRevision: event!.admittedRevision, outcome: 'success' });
    expect(await stopInterrupted(ports)).toEqual(['evt_2', 'evt_3']);
    expect(world.events().find(({ _id }) => _id === 'evt_1')).toMatchObject({ result: 'success' });
    expect(world.published.filter(({ id }) => id.startsWith('alert:') && id.includes('evt_1'))).toEqual([]);
  });

  it.each([
    ['is unreachable', 'unavailable'],
    ['has not admitted it', { status: 'not_admitted' }],
    ['is at work on it', { status: 'pending', executor: { state: 'alive' } }],
  ] as const)('stays pending while its owner %s', async (_case, admission) => {
    const { world, ports } = await setStage();
    expect(await stopInterrupted({ ...ports, askOwner: async () => admission })).toEqual([]);
    expect(world.events().map(({ result }) => result)).toEqual(['pending', 'pending', 'pending']);
  });

  it('is finished by a redelivery that finds its owner done', async () => {
    const { world, ports } = await setStage();
    const [event] = world.events();
    world.outcomes.push({ eventId: event!._id, admittedRevision: event!.admittedRevision, outcome: 'success' });
    expect(await receiveEvent(ports, received({ eventId: 'evt_1' }))).toMatchObject({
      kind: 'accepted',
      result: 'success',
      duplicate: true,
    });
  });
});
