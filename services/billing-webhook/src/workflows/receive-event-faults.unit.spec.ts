/** Deliveries that race each other, and deliveries whose store or broker fails in the middle. */
import { silentLog, type OutboxEntry } from '@platform/kernel';
import { StoreUnavailableError, UnreadableRecordError } from '@platform/mongo';
import { settle } from '@platform/testing';
import { complete, type PendingEvent } from '../domain/webhook-event';
import { bootReceiver, createWebhookWorld, dispatchId, received } from '../testing/webhook-world';
import type { WaitBudget, WebhookPorts } from './ports';
import { receiveEvent } from './receive-event';

const never = () => new Promise<never>(() => undefined);
const endless: WaitBudget = { over: never(), look: never, cancel: () => undefined };

/** A receiver whose owner is silent, and what it gives to the broker and the log. */
function setStage(change: { readonly budget?: WaitBudget } = {}) {
  const world = createWebhookWorld();
  world.decide = () => 'silence';
  const { ports, counts } = bootReceiver(world, 1, change.budget && { budget: () => change.budget! });
  const published: OutboxEntry[] = [];
  const errors: object[] = [];
  const observed: WebhookPorts = {
    ...ports,
    publishNow: (_id, entries) => void published.push(...entries),
    log: { ...silentLog, error: (fields) => void errors.push(fields) },
  };
  const { events } = ports;
  /** The end of the event, as another replica writes it. */
  const endElsewhere = async () => {
    const [event] = world.events() as PendingEvent[];
    const { admittedRevision } = event!;
    const end = complete(event!, { eventId: 'evt_1', admittedRevision, outcome: 'success' }, world.clock.now());
    await events.mutate(event!, end);
    await events.outbox.confirm('evt_1', dispatchId('evt_1'));
  };
  return { world, ports: observed, counts, published, errors, events, endElsewhere };
}

describe('a delivery that loses its answer to an admission by another process', () => {
  it('dispatches nothing, and is counted as a redelivery of what the other one admitted', async () => {
    const { world, ports, counts, published, events } = setStage();
    const insert: typeof events.insert = async (draft) => {
      await events.insert({ ...draft, admittedRevision: 'of-the-other' } as typeof draft);
      return { outcome: 'unknown', reason: 'the answer was lost' };
    };
    expect(await receiveEvent({ ...ports, events: { ...events, insert } }, received())).toEqual({
      kind: 'unresolved',
      result: 'pending',
    });
    expect(published).toEqual([]);
    expect(world.events()).toMatchObject([{ admittedRevision: 'of-the-other', deliveries: 1 }]);
    expect(counts).toEqual({ 'duplicate pending': 1 });
  });
});

describe('an admitted event', () => {
  const away = () => Promise.reject(new StoreUnavailableError('the store did not answer'));

  it('is dispatched without another read, and is pending while it cannot be read', async () => {
    const { ports, published, events } = setStage();
    expect(await receiveEvent({ ...ports, events: { ...events, findById: away } }, received())).toStrictEqual({
      kind: 'unresolved',
      result: 'pending',
    });
    expect(published).toHaveLength(1);
  });

  it('fails its delivery when its record is unreadable, which no wait would change', async () => {
    const { ports, events } = setStage();
    const record = { collection: events.name, id: 'evt_1', why: 'carries no revision' };
    const findById = () => Promise.reject(new UnreadableRecordError(record as never));
    await expect(receiveEvent({ ...ports, events: { ...events, findById } }, received())).rejects.toThrow('evt_1');
  });

  it('is answered by the notification itself, also while the store is unreachable', async () => {
    const { world, ports, events } = setStage({ budget: endless });
    const answer = receiveEvent({ ...ports, events: { ...events, findById: away } }, received());
    await settle();
    ports.notifier.notify({ ...world.events()[0]!, result: 'success', processedAt: world.clock.now() } as never);
    expect(await answer).toEqual({ kind: 'accepted', result: 'success', duplicate: false });
  });

  it('is answered at the first look that finds its end; earlier looks and an unreachable store end nothing', async () => {
    const looks: (() => void)[] = [];
    const look = () => new Promise<'look'>((resolve) => looks.push(() => resolve('look')));
    const { world, ports, endElsewhere } = setStage({ budget: { ...endless, look } });
    let answered = false;
    const answer = receiveEvent(ports, received()).finally(() => (answered = true));
    const lookNow = async () => {
      await settle();
      looks.at(-1)!();
      await settle();
    };
    await lookNow();
    world.store.setAvailable(false);
    await lookNow();
    world.store.setAvailable(true);
    expect({ answered, looks: looks.length }).toEqual({ answered: false, looks: 3 });
    await endElsewhere();
    await lookNow();
    expect(await answer).toEqual({ kind: 'accepted', result: 'success', duplicate: false });
  });

  it('of a type that no service handles waits for no outcome', async () => {
    const { ports, published } = setStage({ budget: endless });
    expect(await receiveEvent(ports, received({ type: 'product.created' }))).toMatchObject({ result: 'skipped' });
    expect(published).toEqual([]);
  });

  it('leaves neither a timer nor a listener when its delivery ends', async () => {
    const ended: string[] = [];
    const { ports } = setStage();
    const budget = () => ({ ...ports.budget(), cancel: () => void ended.push('budget') });
    const notifier: typeof ports.notifier = {
      ...ports.notifier,
      listen: (eventId) => ({ ...ports.notifier.listen(eventId), stop: () => void ended.push(eventId) }),
    };
    await receiveEvent({ ...ports, budget, notifier }, received());
    expect(ended).toEqual(['budget', 'evt_1']);
  });
});

describe('a redelivery', () => {
  it('of a resolved event is not counted, also when it finds the end at the owner itself', async () => {
    const { world, ports } = setStage();
    await receiveEvent(ports, received());
    const { admittedRevision } = world.events()[0]!;
    world.outcomes.push({ eventId: 'evt_1', admittedRevision, outcome: 'success' });
    for (let times = 0; times < 2; times += 1)
      expect(await receiveEvent(ports, received())).toEqual({ kind: 'accepted', result: 'success', duplicate: true });
    expect(world.events()).toMatchObject([{ result: 'success', deliveries: 0 }]);
  });

  it('of another type is refused and logged, also when retention removes the event meanwhile', async () => {
    const { world, ports, errors, events, endElsewhere } = setStage();
    await receiveEvent(ports, received());
    await endElsewhere();
    const mutate: typeof events.mutate = async () => {
      await events.remove(world.events()[0]!);
      return { outcome: 'not_applied' };
    };
    const other = received({ type: 'customer.updated' });
    expect(await receiveEvent({ ...ports, events: { ...events, mutate } }, other)).toEqual({
      kind: 'conflict',
      standingType: 'customer.subscription.updated',
    });
    expect(errors).toEqual([
      { eventId: 'evt_1', standingType: 'customer.subscription.updated', type: 'customer.updated' },
    ]);
    expect(world.events()).toEqual([]);
  });
});
