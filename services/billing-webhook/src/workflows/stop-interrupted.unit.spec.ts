/** One event that cannot be read or handled blocks neither the other events nor the start. */
import type { ExecutorStateOf } from '@platform/durable/boot';
import { createManualClock, InvariantError, silentLog, type OutboxEntry } from '@platform/kernel';
import type { WebhookEvent } from '../domain/webhook-event';
import { webhookEventsCollection } from '../store/webhook-events';
import { bootReceiver, createWebhookWorld, received } from '../testing/webhook-world';
import type { AskOwner } from './ask-owner';
import { completeEvent } from './complete-event';
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

describe('a round over the events without an outcome', () => {
  it('says how many events it has stopped, the first fifty by name, and nothing when there was none', async () => {
    const { world, ports } = await setStage();
    const more = Array.from({ length: 48 }, (_each, at) => `evt_${at + 4}`);
    for (const eventId of more) await receiveEvent(bootReceiver(world, 1).ports, received({ eventId }));
    const warnings: object[] = [];
    const observed = { ...ports, log: { ...silentLog, warn: (fields: object) => void warnings.push(fields) } };
    const all = [...ids, ...more];
    expect(await stopInterrupted(observed)).toEqual(all);
    expect(warnings).toEqual([{ events: all.slice(0, 50), count: 51 }]);
    expect(await stopInterrupted(observed)).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it('asks the owner of each event once', async () => {
    const { world, ports } = await setStage();
    const asked: string[] = [];
    const askOwner: AskOwner = async ({ _id }) => {
      asked.push(_id);
      return 'unavailable';
    };
    expect(await stopInterrupted({ ...ports, askOwner })).toEqual([]);
    expect(asked).toEqual(ids);
    expect(world.events().map(({ result }) => result)).toEqual(['pending', 'pending', 'pending']);
  });
});

/** One pending event, looked at by its own process or by the next boot of its instance. */
async function lookedAt(by: 'itself' | 'the next boot') {
  const world = createWebhookWorld();
  world.decide = () => 'silence';
  const own = bootReceiver(world, 1).ports;
  await receiveEvent(own, received());
  const given = by === 'itself' ? own : bootReceiver(world, 2).ports;
  const clock = createManualClock(world.events()[0]!.receivedAt);
  const executorState: ExecutorStateOf = async () => 'superseded';
  const published: OutboxEntry[] = [];
  const asked: string[] = [];
  const ports = {
    ...given,
    clock,
    executorState,
    publishNow: (_id: string, entries: readonly OutboxEntry[]) => void published.push(...entries),
    askOwner: async (event: WebhookEvent) => {
      asked.push(event._id);
      return given.askOwner(event);
    },
  };
  const report = (outcome: 'success' | 'unknown') => {
    const { admittedRevision } = world.events()[0]!;
    world.outcomes.push({ eventId: 'evt_1', admittedRevision, outcome });
  };
  return { world, ports, clock, published, asked, report, event: () => world.events()[0]! };
}

describe('a pending event', () => {
  it('is left for half a minute to the process that admitted it, and then its owner is asked', async () => {
    const { ports, clock, asked, report, event } = await lookedAt('itself');
    report('success');
    clock.advance(29_999);
    await stopInterrupted(ports);
    expect({ asked, result: event().result }).toEqual({ asked: [], result: 'pending' });
    clock.advance(1);
    expect(await stopInterrupted(ports)).toEqual([]);
    expect({ asked, result: event().result }).toEqual({ asked: ['evt_1'], result: 'success' });
  });

  it('is never stopped by the process that admitted it, even after another boot of its instance', async () => {
    const { ports, clock, asked, event } = await lookedAt('itself');
    clock.advance(60_000);
    expect(await stopInterrupted(ports)).toEqual([]);
    expect({ asked, result: event().result }).toEqual({ asked: ['evt_1'], result: 'pending' });
  });

  it.each([
    ['superseded', ['evt_1']],
    ['stopped', ['evt_1']],
    ['open', []],
    ['unknown', []],
  ] as const)('of a boot that the register calls %s is stopped: %j', async (state, stopped) => {
    const { ports, clock } = await lookedAt('the next boot');
    clock.advance(60_000);
    expect(await stopInterrupted({ ...ports, executorState: async () => state })).toEqual(stopped);
  });

  it('is stopped with an alert that says who is gone', async () => {
    const { ports, published, event } = await lookedAt('the next boot');
    expect(await stopInterrupted(ports)).toEqual(['evt_1']);
    expect(event()).toMatchObject({ result: 'reconciliation_required', stoppedBy: 'restart' });
    expect(published).toMatchObject([
      { id: `alert:billing-webhook:webhook_event:evt_1:${event().admittedRevision}`, body: { id: 'evt_1' } },
    ]);
    expect(published[0]!.body['reason']).toMatch(/ended before its outcome came.*Its handler at operator/);
    expect(await ports.events.outbox.pending(10)).toContainEqual({ recordId: 'evt_1', entry: published[0] });
  });

  it.each([[{ status: 'not_admitted', executor: { state: 'not_proven' } }], [{ status: 'pending' }]] as const)(
    'is not stopped on the answer %j, which proves no interruption',
    async (admission) => {
      const { ports, event } = await lookedAt('the next boot');
      expect(await stopInterrupted({ ...ports, askOwner: async () => admission })).toEqual([]);
      expect(event()).toMatchObject({ result: 'pending' });
    },
  );

  it.each(['completes', 'completes and removes'])('is not stopped when another replica %s it first', async (what) => {
    const { world, ports, published, event } = await lookedAt('the next boot');
    const { admittedRevision } = event();
    const mutate: typeof ports.events.mutate = async (current, next, announce) => {
      if (event()?.result !== 'pending') return ports.events.mutate(current, next, announce);
      await completeEvent(bootReceiver(world, 3).ports, { eventId: 'evt_1', admittedRevision, outcome: 'success' });
      if (what === 'completes and removes') await ports.events.remove(event());
      return { outcome: 'not_applied' };
    };
    expect(await stopInterrupted({ ...ports, events: { ...ports.events, mutate } })).toEqual([]);
    expect(world.events()).toMatchObject(what === 'completes' ? [{ result: 'success' }] : []);
    expect(world.store.quarantined()).toEqual([]);
    expect(published).toEqual([]);
  });
});

it('a young event that a restart stopped is completed at once when its owner has finished it', async () => {
  const { ports, report, event } = await lookedAt('the next boot');
  await stopInterrupted(ports);
  report('success');
  expect(await stopInterrupted({ ...ports, executorState: async () => 'open' })).toEqual([]);
  expect(event()).toMatchObject({ result: 'success' });
});

describe('an event without an outcome at the start of the receiver', () => {
  it('is finished when its owner has finished it, and no person is woken', async () => {
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
