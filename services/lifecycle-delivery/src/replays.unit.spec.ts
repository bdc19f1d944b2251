/**
 * A person replays messages that a consumer has acknowledged with receipts: which messages, how fast, and what people
 * see of it.
 */
import {
  consumersListSchema,
  isReplayed,
  lifecycleRequests,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import type { InboundMessage } from '@platform/messaging';
import type { RunningDelivery } from './delivery';
import { replayLimits } from './domain/replay';
import { reportsPerSecond } from './domain/report-budget';
import { waivePortsOf } from './cli/delivery-commands';
import { createFakeWorld, requestedAt, type FakeWorld } from './testing/fake-world';
import { unregister, waiverOf } from './testing/waivers';
import { takeUpActions } from './workflows/consumer-worker';
import { deliveryWaiver } from './workflows/waive-delivery';

describe('a replay', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  let seen: InboundMessage[];
  let reading: { close(): Promise<void> };
  const read = async () => (reading = await world.consumeAll('storage', seen));
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
    seen = [];
    world.clock.advance(60_000);
    await world.register('storage');
    await read();
  });
  afterEach(() => running.close());

  const settle = async (operationId: string, tenantId = 'acme') => {
    await world.announce(operationId, 'suspended', tenantId);
    await world.broker.settle();
    world.clock.advance(1_000);
  };
  const act = (over: Record<string, unknown> = {}) =>
    world.operator.request(
      lifecycleRequests.act,
      {
        ...{ requestId: 'r-1', action: 'replay', reason: 'a restore', by: 'ann@example.com', consumer: 'storage' },
        ...('action' in over ? {} : { since: requestedAt }),
        ...over,
      },
      1_000,
    );
  const takeUp = async (pageSize = 2) => {
    world.clock.advance(replayLimits.pageEveryMs);
    await takeUpActions(running.ports, pageSize);
    await world.broker.settle();
  };
  const replayed = () =>
    seen.filter(({ id }) => isReplayed(id)).map(({ body }) => (body as LifecycleMessage).operationId);
  const replay = async () =>
    consumersListSchema.parse(await world.sendRequest(lifecycleRequests.consumers)).consumers[0]!.replay;

  it('sends again what has a receipt since the time, in the order of the receipts, with the same body', async () => {
    await settle('operation-1');
    const since = world.clock.now().toISOString();
    await settle('operation-2');
    await settle('operation-3');
    const first = seen.slice(1);
    expect(await act({ since })).toMatchObject({
      ok: true,
      value: { replay: { status: 'running', received: 0, since } },
    });
    await takeUp(10);
    expect(await replay()).toMatchObject({ status: 'running', received: 0, underWay: 2 });
    await takeUp(10);
    expect(replayed()).toEqual(['operation-2', 'operation-3']);
    expect(seen.slice(3).map(({ subject, type, body }) => ({ subject, type, body }))).toEqual(
      first.map(({ subject, type, body }) => ({ subject, type, body })),
    );
    expect(await replay()).toMatchObject({ status: 'completed', received: 2, underWay: 0, by: 'ann@example.com' });
    await takeUp(10);
    expect(replayed()).toHaveLength(2);
  });

  it('leaves out a deleted workspace and what has no receipt, and includes a receipt that came after a waiver', async () => {
    await settle('operation-1', 'globex');
    await world.announceDeleted('globex');
    await reading.close();
    await world.announce('operation-2');
    await world.announce('operation-3');
    await world.broker.settle();
    const ports = { ...waivePortsOf(world.store, world.clock), retryPolicy: { tries: 1, pause: async () => {} } };
    const proofs = { ...waiverOf('operation-2', 'storage'), stillRegistered: true };
    const planned = await deliveryWaiver.plan(ports, proofs);
    if (!planned.ok) throw new Error(planned.error);
    await deliveryWaiver.record(ports, planned.value);
    await world.receipt('storage', 'operation-2');
    await world.broker.settle();
    world.clock.advance(1_000);
    // The durable still holds both messages, so nothing is sent.
    await act();
    await takeUp(10);
    expect((await replay())?.underWay).toBe(0);
    world.broker.wipe();
    world.broker.applyTopology();
    await world.register('storage');
    await read();
    await takeUp(10);
    await takeUp(10);
    expect(replayed()).toEqual(['operation-2']);
    expect(await replay()).toMatchObject({ status: 'completed', received: 1, skipped: 1 });
  });

  it('goes page by page while nothing waits for the consumer, so a live message passes it', async () => {
    for (const each of [1, 2, 3, 4, 5]) await settle(`operation-${each}`);
    await act();
    await takeUp();
    await reading.close();
    await world.announce('operation-live');
    await world.broker.settle();
    await takeUp();
    expect(replayed()).toEqual(['operation-1', 'operation-2']);
    await read();
    await world.broker.settle();
    for (let page = 0; page < 3; page += 1) await takeUp();
    expect(replayed()).toEqual([1, 2, 3, 4, 5].map((each) => `operation-${each}`));
    expect(seen.map(({ body }) => (body as LifecycleMessage).operationId).indexOf('operation-live')).toBe(7);
    expect(await replay()).toMatchObject({ status: 'completed', received: 5 });
  });

  it('waits between two pages, so that its receipts stay within half of what a consumer may report', async () => {
    expect((replayLimits.pageSize * 1_000) / replayLimits.pageEveryMs).toBeLessThanOrEqual(reportsPerSecond / 2);
    for (const each of [1, 2, 3]) await settle(`operation-${each}`);
    await act();
    await takeUp();
    await takeUpActions(running.ports, 2);
    await world.broker.settle();
    expect(replayed()).toHaveLength(2);
  });

  it.each([
    ['sends a page again that the broker has lost', true],
    ['in a build that trusts any durable, loses that page', false],
  ])('%s', async (_what, sound) => {
    for (const each of [1, 2, 3]) await settle(`operation-${each}`);
    await act();
    await reading.close();
    const trusting = async (streams?: readonly string[]) =>
      (await running.ports.broker.streamStates(streams)).map((stream) => ({
        ...stream,
        durables: stream.durables.map((durable) => ({ ...durable, createdAt: new Date(0) })),
      }));
    const ports = sound
      ? running.ports
      : { ...running.ports, broker: { ...running.ports.broker, streamStates: trusting } };
    const round = async () => {
      world.clock.advance(replayLimits.pageEveryMs);
      await takeUpActions(ports, 2);
      await world.broker.settle();
    };
    await round();
    world.broker.wipe();
    world.broker.applyTopology();
    await world.register('storage');
    await read();
    for (let page = 0; page < 4; page += 1) await round();
    expect(await replay()).toMatchObject({ status: 'completed', received: 3 });
    expect(new Set(replayed()).size).toBe(sound ? 3 : 1);
  });

  it('sends a page again to a durable that was recreated while the broker still knows its ids', async () => {
    for (const each of [1, 2, 3]) await settle(`operation-${each}`);
    await act();
    await reading.close();
    await takeUp();
    await unregister(world, 'storage');
    await world.register('storage');
    await read();
    for (let page = 0; page < 4; page += 1) await takeUp();
    expect(replayed()).toEqual([1, 2, 3].map((each) => `operation-${each}`));
    expect(await replay()).toMatchObject({ status: 'completed', received: 3 });
  });

  it('that cannot move on holds up no other one', async () => {
    await world.register('search-index');
    await world.consumeAll('search-index', []);
    await settle('operation-1');
    await act({ requestId: 'r-2', consumer: 'search-index' });
    await act();
    const { broker } = running.ports;
    const publish: typeof broker.publish = async (message) => {
      if (message.subject.endsWith('.search-index')) throw new Error('too large');
      return broker.publish(message);
    };
    for (let page = 0; page < 2; page += 1) {
      await takeUpActions({ ...running.ports, broker: { ...broker, publish } }, 2);
      await world.broker.settle();
      world.clock.advance(replayLimits.pageEveryMs);
    }
    const { consumers } = consumersListSchema.parse(await world.sendRequest(lifecycleRequests.consumers));
    expect(consumers.map((each) => each.replay?.status)).toEqual(['running', 'completed']);
  });

  it('leaves out a transition that its consumer does not register any more', async () => {
    await settle('operation-1');
    await world.register('storage', ['created']);
    await act();
    await takeUp();
    await takeUp();
    expect(replayed()).toEqual([]);
    expect(await replay()).toMatchObject({ status: 'completed', received: 0, skipped: 1 });
  });

  it('stops when a person cancels it, and another one may begin', async () => {
    for (const each of [1, 2, 3]) await settle(`operation-${each}`);
    await act();
    await takeUp();
    expect(await act({ requestId: 'c-1', action: 'cancel_replay' })).toMatchObject({ ok: true });
    await takeUp();
    await takeUp();
    expect(replayed()).toHaveLength(2);
    expect(await replay()).toMatchObject({ status: 'cancelled', requestId: 'r-1' });
    expect(await act({ requestId: 'r-2' })).toMatchObject({ ok: true });
    for (let page = 0; page < 3; page += 1) await takeUp();
    expect(await replay()).toMatchObject({ status: 'completed', requestId: 'r-2', received: 3 });
  });

  it('goes on only when its consumer is resumed', async () => {
    for (const each of [1, 2, 3]) await settle(`operation-${each}`);
    await act();
    await takeUp();
    await act({ requestId: 'p-1', action: 'pause' });
    await takeUp();
    expect(replayed()).toHaveLength(2);
    await act({ requestId: 'p-2', action: 'resume' });
    await takeUp();
    await takeUp();
    expect(await replay()).toMatchObject({ status: 'completed', received: 3 });
  });

  it('shows a failed run, and leaves the delivery and its settlement as they are', async () => {
    await settle('operation-1');
    const delivery = async () => (await world.sendRequest(lifecycleRequests.deliveries)).deliveries;
    const before = await delivery();
    await world.failure('storage', 'operation-1', 'before any replay', 'f-0');
    await world.broker.settle();
    await act();
    await takeUp();
    await world.failure('storage', 'operation-1', 'no disk', 'f-1');
    await world.failure('storage', 'operation-1', 'no disk', 'f-1');
    await world.broker.settle();
    expect(await replay()).toMatchObject({ failures: { count: 1, error: 'no disk' } });
    expect(await delivery()).toEqual(before);
    expect(world.sent('lifecycle.settled')).toHaveLength(1);
  });

  it.each([
    ['while one runs', { requestId: 'r-2' }, 'replay_running'],
    ['since a time that is not past', { requestId: 'r-2', since: '2030-01-01T00:00:00.000Z' }, 'since_not_past'],
    ['without a time', { requestId: 'r-2', since: undefined }, 'invalid_request'],
    ['under an id that names another time', { since: '2025-01-01T00:00:00.000Z' }, 'request_id_reused'],
    ['of a consumer that is not registered', { requestId: 'r-2', consumer: 'search-index' }, 'unknown_consumer'],
  ])('%s is refused and changes nothing', async (_what, over, code) => {
    await settle('operation-1');
    await act();
    const before = await replay();
    expect(await act(over)).toMatchObject({ ok: false, error: { serverCode: code } });
    expect(await replay()).toEqual(before);
  });

  it('that does not run cannot be cancelled, and a time belongs to no other action', async () => {
    expect(await act({ requestId: 'c-1', action: 'cancel_replay' })).toMatchObject({
      error: { serverCode: 'no_replay' },
    });
    expect(await act({ requestId: 'p-1', action: 'pause', since: requestedAt })).toMatchObject({
      error: { serverCode: 'invalid_request' },
    });
  });

  it('that is asked for twice under its id runs once', async () => {
    await settle('operation-1');
    await act();
    await takeUp();
    await takeUp();
    expect(await act()).toMatchObject({ ok: true, value: { replay: { status: 'completed' } } });
    await takeUp();
    expect(replayed()).toHaveLength(1);
  });
});
