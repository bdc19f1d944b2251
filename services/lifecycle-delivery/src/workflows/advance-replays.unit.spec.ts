/** One round of a replay: which page is sent, what the record says of it, and what a round leaves to the next one. */
import { lifecycleMessageIds, lifecycleStreams, type ActOnConsumer } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import type { ConsumerRecord } from '../domain/consumer';
import { deliveryIdOf } from '../domain/delivery';
import { replayLimits } from '../domain/replay';
import { requestedAt } from '../testing/fake-world';
import { startService, type StartedService } from '../testing/started-service';
import { actOnConsumer } from './act-on-consumer';
import { advanceReplays } from './advance-replays';
import type { DeliveryPorts } from './ports';

type StreamState = Awaited<ReturnType<DeliveryPorts['broker']['streamStates']>>[number];

describe('a round of a replay', () => {
  let { world, running, ports } = {} as StartedService;
  const info = jest.fn();
  const error = jest.fn();
  beforeEach(async () => {
    ({ world, running, ports } = await startService());
    for (const mock of [info, error]) mock.mockReset();
    ports = { ...ports, log: { ...silentLog, info, error } };
    await world.register('storage');
  });
  afterEach(() => running.close());

  const act = async (action: ActOnConsumer['action'], consumer = 'storage') => {
    const asked = { requestId: `${action}-1`, action, reason: 'a restore', by: 'ann@example.com', consumer };
    const since = action === 'replay' ? { since: requestedAt } : {};
    expect(await actOnConsumer(running.ports, { ...asked, ...since })).toMatchObject({ ok: true });
  };
  /** Deliveries with receipts, one a second, and a replay of them. */
  async function replayOf(operations: readonly string[], tenantOf: (operationId: string) => string = () => 'acme') {
    const reading = await world.consumeAll('storage', []);
    for (const operationId of operations) {
      world.clock.advance(1_000);
      await world.announce(operationId, 'suspended', tenantOf(operationId));
      await world.broker.settle();
    }
    await reading.close();
    world.clock.advance(1_000);
    await act('replay');
  }
  const round = async (over: Partial<DeliveryPorts> = {}, pageSize = 3) => {
    world.clock.advance(replayLimits.pageEveryMs);
    await advanceReplays({ ...ports, ...over }, await running.ports.readConsumers(), pageSize);
  };
  const read = async () => {
    await world.broker.settle();
    const reading = await world.consumeAll('storage', []);
    await world.broker.settle();
    await reading.close();
  };
  const recordOf = async (consumer = 'storage') => (await ports.consumers.findById(consumer)) as ConsumerRecord;
  const replay = async () => (await recordOf()).replay;
  const sent = () =>
    world
      .sent('tenant.lifecycle')
      .filter(({ id }) => id.startsWith('replay:'))
      .map(({ id }) => id);
  const durable = async () => {
    const [stream] = await ports.broker.streamStates([lifecycleStreams.deliveries]);
    return stream!.durables.find((each) => each.durable === 'storage')!;
  };
  const idOf = async (operationId: string) =>
    lifecycleMessageIds.replayed('replay-1', deliveryIdOf(operationId, 'storage'), (await durable()).createdAt);
  /** The broker whose durables are reported so. */
  const reporting = (streamStates: () => Promise<unknown>): Partial<DeliveryPorts> => ({
    broker: { ...ports.broker, streamStates: streamStates as DeliveryPorts['broker']['streamStates'] },
  });
  const operations = [1, 2, 3, 4].map((each) => `operation-${each}`);

  it('sends a page in the order of the receipts, and the record says where it ends', async () => {
    await replayOf(operations);
    await round();
    expect(sent()).toEqual(await Promise.all(operations.slice(0, 3).map(idOf)));
    const acceptedAt = world.clock.now().getTime() - replayLimits.pageEveryMs - 2_000;
    expect(await replay()).toMatchObject({ status: 'running', received: 0, skipped: 0 });
    expect((await replay())?.page).toEqual({
      ...{ upTo: [new Date(acceptedAt), deliveryIdOf('operation-3', 'storage')], sent: 3, skipped: 0 },
      ...{ sentAt: world.clock.now(), durableFrom: (await durable()).createdAt },
    });
    expect(info).not.toHaveBeenCalled();
  });

  it('follows when its page was read, and the last one ends the replay and says so once', async () => {
    await replayOf(operations);
    for (let page = 0; page < 4; page += 1) {
      await round();
      await read();
    }
    expect(sent()).toEqual(await Promise.all(operations.map(idOf)));
    expect(await replay()).toMatchObject({ status: 'completed', received: 4, skipped: 0, endedAt: expect.any(Date) });
    const fields = { consumer: 'storage', requestId: 'replay-1', received: 4, skipped: 0 };
    expect(info.mock.calls).toEqual([[fields, 'a replay has ended']]);
    expect(error).not.toHaveBeenCalled();
  });

  it('leaves out a deleted workspace, and counts what it leaves out', async () => {
    await replayOf(operations, (operationId) => (operationId === 'operation-2' ? 'globex' : 'acme'));
    await ports.deletedTenants.insert({ _id: 'globex', operationId: 'delete-globex', deletedAt: new Date(0) });
    await round();
    expect(sent()).toEqual(await Promise.all(['operation-1', 'operation-3'].map(idOf)));
    expect((await replay())?.page).toMatchObject({ sent: 2, skipped: 1 });
  });

  it('leaves out a transition that the consumer registers no more', async () => {
    await replayOf(operations);
    await world.register('storage', ['created']);
    await round();
    expect(sent()).toEqual([]);
    expect((await replay())?.page).toMatchObject({ sent: 0, skipped: 3 });
  });

  it.each([
    [1, 0],
    [0, 1],
    [1, 1],
  ])('waits while the durable holds messages (%i not delivered, %i not acknowledged)', async (pending, ackPending) => {
    await replayOf(operations);
    const held = { ...(await durable()), pending, ackPending };
    await round(reporting(async () => [{ durables: [held] }]));
    expect([sent(), (await replay())?.page]).toEqual([[], undefined]);
  });

  it('asks for the stream of deliveries alone, and looks at the durable of its consumer', async () => {
    await replayOf(operations);
    const other = { ...(await durable()), durable: 'another', pending: 5 };
    const own = await durable();
    const streamStates = jest.fn(async () => [{ durables: [other, own] } as unknown as StreamState]);
    await round(reporting(streamStates));
    expect(streamStates.mock.calls).toEqual([[[lifecycleStreams.deliveries]]]);
    expect(sent()).toHaveLength(3);
  });

  it.each([
    ['the stream', []],
    ['the durable', [{ durables: [] }]],
  ])('waits for %s that is missing', async (_what, states) => {
    await replayOf(operations);
    await round(reporting(async () => states));
    expect([sent(), (await replay())?.page, error.mock.calls]).toEqual([[], undefined, []]);
  });

  it('sends the page again, under the same ids, that the broker did not acknowledge whole', async () => {
    await replayOf(operations);
    let nth = 0;
    const publish: typeof ports.broker.publish = async (message) => {
      nth += 1;
      return nth === 2 ? 'unknown' : ports.broker.publish(message);
    };
    const before = await recordOf();
    await round({ broker: { ...ports.broker, publish } });
    expect(sent()).toHaveLength(2);
    expect(await recordOf()).toEqual(before);
    await read();
    await round();
    expect(new Set(sent())).toEqual(new Set(await Promise.all(operations.slice(0, 3).map(idOf))));
    expect((await replay())?.page).toMatchObject({ sent: 3 });
  });

  it('reads the record of a consumer whose replay runs, and no other one', async () => {
    await world.register('audit');
    await replayOf(operations);
    const findById = jest.fn(ports.consumers.findById);
    await round({ consumers: { ...ports.consumers, findById } });
    expect(new Set(findById.mock.calls.flat())).toEqual(new Set(['storage']));
  });

  it('sends nothing of a replay that ended since the consumers were read', async () => {
    await replayOf(operations);
    const consumers = await running.ports.readConsumers();
    await act('cancel_replay');
    await advanceReplays(ports, consumers, 3);
    expect([sent(), error.mock.calls]).toEqual([[], []]);
    expect(await replay()).toMatchObject({ status: 'cancelled' });
  });

  it('keeps a cancellation that came while the page was sent', async () => {
    await replayOf(operations);
    let cancelled: Promise<void> | undefined;
    const publish: typeof ports.broker.publish = async (message) => {
      await (cancelled ??= act('cancel_replay'));
      return ports.broker.publish(message);
    };
    await round({ broker: { ...ports.broker, publish } });
    expect(await replay()).toMatchObject({ status: 'cancelled', received: 0 });
    expect((await replay())?.page).toBeUndefined();
    expect([info.mock.calls, error.mock.calls]).toEqual([[], []]);
  });

  it('that fails holds up no other one, and says which; an unreachable store ends it', async () => {
    await world.register('audit');
    await replayOf(operations);
    await act('replay', 'audit');
    const reject = (reason: Error) => {
      const findById: typeof ports.consumers.findById = (id) =>
        id === 'audit' ? Promise.reject(reason) : ports.consumers.findById(id);
      return { consumers: { ...ports.consumers, findById } };
    };
    await expect(round(reject(new StoreUnavailableError('no answer')))).rejects.toThrow(StoreUnavailableError);
    expect([sent(), error.mock.calls]).toEqual([[], []]);
    await round(reject(new Error('odd')));
    const fields = { consumer: 'audit', error: 'Error: odd' };
    expect(error.mock.calls).toEqual([[fields, 'a replay could not move on; another round follows']]);
    expect(sent()).toHaveLength(3);
  });
});
