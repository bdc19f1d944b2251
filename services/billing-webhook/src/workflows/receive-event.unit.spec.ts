import { createLatch, settle } from '@platform/testing';
import {
  bootReceiver,
  createWebhookWorld,
  deliverOutcomes,
  dispatchId,
  received,
  type WebhookWorld,
} from '../testing/webhook-world';
import { timedBudget } from './await-outcome';
import { completeEvent } from './complete-event';
import { receiveEvent } from './receive-event';
import { stopInterrupted } from './stop-interrupted';

const dispatches = (world: WebhookWorld) =>
  world.published.filter(({ subject }) => subject.startsWith('provider.event.'));

describe('a delivery of a fresh event', () => {
  it('admits it, hands it to its owner once and answers with the outcome', async () => {
    const world = createWebhookWorld();
    const { ports } = bootReceiver(world, 1);
    expect(await receiveEvent(ports, received())).toEqual({ kind: 'accepted', result: 'success', duplicate: false });
    expect(dispatches(world)).toMatchObject([
      {
        id: dispatchId('evt_1'),
        subject: 'provider.event.operator.customer.subscription.updated',
        body: { object: { id: 'sub_acme' } },
      },
    ]);
    expect(world.events()).toMatchObject([{ result: 'success', owner: 'operator', deliveries: 0 }]);
    expect(await ports.events.outbox.pending(10)).toEqual([]);
  });

  it.each([
    ['invoice.paid', 'subscription_create', 'provisioning'],
    ['invoice.paid', 'subscription_cycle', 'operator'],
    ['checkout.session.completed', undefined, 'operator'],
  ])('routes %s with reason %s to %s', async (type, billing_reason, owner) => {
    const world = createWebhookWorld();
    await receiveEvent(
      bootReceiver(world, 1).ports,
      received({ type, object: { id: 'in_1', ...(billing_reason && { billing_reason }) } }),
    );
    expect(dispatches(world)).toMatchObject([{ subject: `provider.event.${owner}.${type}` }]);
  });

  it('records and skips a type that no service handles', async () => {
    const world = createWebhookWorld();
    expect(await receiveEvent(bootReceiver(world, 1).ports, received({ type: 'product.created' }))).toEqual({
      kind: 'accepted',
      result: 'skipped',
      duplicate: false,
    });
    expect(dispatches(world)).toEqual([]);
    expect(world.events()).toMatchObject([{ result: 'skipped', owner: null }]);
  });

  it.each(['failed', 'unknown'] as const)('stops it and alerts people when its handler ends %s', async (outcome) => {
    const world = createWebhookWorld();
    world.decide = () => outcome;
    const { ports } = bootReceiver(world, 1);
    expect(await receiveEvent(ports, received())).toMatchObject({
      kind: 'unresolved',
      result: 'reconciliation_required',
      errorMessage: `the handler said ${outcome}`,
    });
    expect(world.published).toContainEqual(
      expect.objectContaining({ subject: 'alert.reconciliation_required.billing-webhook.webhook_event' }),
    );
    expect(await receiveEvent(ports, received())).toMatchObject({
      kind: 'unresolved',
      result: 'reconciliation_required',
    });
    expect(world.events()).toMatchObject([{ deliveries: 1 }]);
    expect(world.handled.get('evt_1')).toBe(1);
  });

  it('ends unresolved when its handler is slower than the budget, and takes the outcome when it comes', async () => {
    const world = createWebhookWorld();
    world.decide = () => 'silence';
    const { ports } = bootReceiver(world, 1);
    expect(await receiveEvent(ports, received())).toStrictEqual({ kind: 'unresolved', result: 'pending' });
    expect(await receiveEvent(ports, received())).toStrictEqual({ kind: 'unresolved', result: 'pending' });
    const { admittedRevision } = world.events()[0]!;
    expect(await completeEvent(ports, { eventId: 'evt_1', admittedRevision, outcome: 'success' })).toBe('recorded');
    expect(await receiveEvent(ports, received())).toEqual({ kind: 'accepted', result: 'success', duplicate: true });
    expect(dispatches(world)).toHaveLength(1);
  });

  it('is answered soon after another replica has taken the message of its outcome', async () => {
    const world = createWebhookWorld();
    world.decide = () => 'silence';
    const budgetMs = 60_000;
    const one = bootReceiver(world, 1, { budget: () => timedBudget(budgetMs) });
    const other = bootReceiver(world, 2);
    const startedAt = performance.now();
    const answer = receiveEvent(one.ports, received());
    await settle();
    const { admittedRevision } = world.events()[0]!;
    const outcome = { eventId: 'evt_1', admittedRevision, outcome: 'success' as const };
    expect(await completeEvent(other.ports, outcome)).toBe('recorded');
    expect(await answer).toEqual({ kind: 'accepted', result: 'success', duplicate: false });
    expect(performance.now() - startedAt).toBeLessThan(budgetMs / 2);
  });
});

describe('a redelivery', () => {
  it('is answered from the record, and refused for another type, which is shown', async () => {
    const world = createWebhookWorld();
    const { ports, counts } = bootReceiver(world, 1);
    await receiveEvent(ports, received());
    expect(await receiveEvent(ports, received())).toEqual({ kind: 'accepted', result: 'success', duplicate: true });
    expect(await receiveEvent(ports, received({ type: 'customer.subscription.deleted' }))).toEqual({
      kind: 'conflict',
      standingType: 'customer.subscription.updated',
    });
    expect(world.events()).toMatchObject([
      { type: 'customer.subscription.updated', conflicts: { count: 1, lastType: 'customer.subscription.deleted' } },
    ]);
    expect(counts).toMatchObject({ 'duplicate success': 1, 'rejected event_conflict': 1 });
    expect(dispatches(world)).toHaveLength(1);
  });

  it('in 64 copies at once makes one dispatch, and every copy is counted', async () => {
    const world = createWebhookWorld();
    const latch = createLatch();
    const over = latch.wait().then(() => 'over' as const);
    world.decide = () => 'silence';
    const { ports } = bootReceiver(world, 1, {
      budget: () => ({ over, look: () => new Promise<'look'>(() => undefined), cancel: () => undefined }),
    });
    const copies = Array.from({ length: 64 }, () => receiveEvent(ports, received()));
    await settle();
    world.outcomes.push({
      eventId: 'evt_1',
      admittedRevision: world.events()[0]!.admittedRevision,
      outcome: 'success',
    });
    await deliverOutcomes(world, { ports, counts: {}, sweepOutbox: async () => undefined });
    latch.open();
    const answers = await Promise.all(copies);
    expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === 'unresolved')).toHaveLength(63);
    expect(world.events()).toMatchObject([{ result: 'success', deliveries: 63 }]);
    expect(dispatches(world)).toHaveLength(1);
  });
});

describe('a lost answer of the admission', () => {
  it('is resolved by the revision when the record is there', async () => {
    const world = createWebhookWorld();
    const { ports } = bootReceiver(world, 1);
    world.store.loseNextWrite('after');
    expect(await receiveEvent(ports, received())).toEqual({ kind: 'accepted', result: 'success', duplicate: false });
    expect(dispatches(world)).toHaveLength(1);
  });

  it('dispatches nothing when there is no record', async () => {
    const world = createWebhookWorld();
    const { ports } = bootReceiver(world, 1);
    world.store.loseNextWrite('before');
    expect(await receiveEvent(ports, received())).toMatchObject({ kind: 'not_recorded' });
    expect(world.events()).toEqual([]);
    expect(world.published).toEqual([]);
  });

  it('dispatches nothing when the store is unreachable', async () => {
    const world = createWebhookWorld();
    const { ports } = bootReceiver(world, 1);
    world.store.setAvailable(false);
    expect(await receiveEvent(ports, received())).toMatchObject({ kind: 'not_recorded' });
    expect(world.published).toEqual([]);
  });
});

describe('an outcome', () => {
  async function pending() {
    const world = createWebhookWorld();
    world.decide = () => 'silence';
    const life = bootReceiver(world, 1);
    await receiveEvent(life.ports, received());
    return { world, ports: life.ports, admittedRevision: world.events()[0]!.admittedRevision };
  }

  it('of another admission is refused', async () => {
    const { world, ports } = await pending();
    expect(await completeEvent(ports, { eventId: 'evt_1', admittedRevision: 'another', outcome: 'success' })).toBe(
      'not_ours',
    );
    expect(await completeEvent(ports, { eventId: 'evt_9', admittedRevision: 'another', outcome: 'success' })).toBe(
      'not_ours',
    );
    expect(world.events()).toMatchObject([{ result: 'pending' }]);
  });

  it('that comes twice changes nothing the second time', async () => {
    const { world, ports, admittedRevision } = await pending();
    await completeEvent(ports, { eventId: 'evt_1', admittedRevision, outcome: 'success' });
    const [before] = world.events();
    expect(await completeEvent(ports, { eventId: 'evt_1', admittedRevision, outcome: 'failed' })).toBe('recorded');
    expect(world.events()).toEqual([before]);
  });

  it('ends an event that only a restart had stopped, and its redelivery is answered well', async () => {
    const { world, admittedRevision } = await pending();
    const { ports } = bootReceiver(world, 2);
    expect(await stopInterrupted({ ...ports, executorState: async () => 'superseded' })).toEqual(['evt_1']);
    expect(await stopInterrupted({ ...ports, executorState: async () => 'superseded' })).toEqual([]);
    expect(await completeEvent(ports, { eventId: 'evt_1', admittedRevision, outcome: 'success' })).toBe('recorded');
    expect(world.events()).toMatchObject([{ result: 'success' }]);
    expect(await receiveEvent(ports, received())).toMatchObject({ kind: 'accepted', result: 'success' });
  });

  it('that is no end is evidence for an event that a restart has stopped', async () => {
    const { world, admittedRevision } = await pending();
    const { ports } = bootReceiver(world, 2);
    await stopInterrupted({ ...ports, executorState: async () => 'superseded' });
    expect(await completeEvent(ports, { eventId: 'evt_1', admittedRevision, outcome: 'unknown' })).toBe('recorded');
    expect(world.events()).toMatchObject([
      { result: 'reconciliation_required', stoppedBy: 'restart', lateOutcome: { outcome: 'unknown' } },
    ]);
    expect(await receiveEvent(ports, received())).toMatchObject({ kind: 'unresolved' });
  });

  it("leaves another instance's events alone at start", async () => {
    const { world } = await pending();
    const { ports } = bootReceiver(world, 2);
    const elsewhere = { ...ports, executor: { ...ports.executor, instance: 'billing-webhook-2' } };
    expect(await stopInterrupted({ ...elsewhere, executorState: async () => 'superseded' })).toEqual([]);
    expect(await stopInterrupted({ ...ports, executorState: async () => 'open' })).toEqual([]);
    expect(world.events()).toMatchObject([{ result: 'pending' }]);
  });
});
